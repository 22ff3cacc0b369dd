import pypto.language as pl

@pl.program
class Calls:
    @pl.function(type=pl.FunctionType.InCore)
    def pair(self, a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32]):
        return pl.maximum(a, b), pl.minimum(a, b)

    @pl.function(type=pl.FunctionType.InCore)
    def single(self, a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        return pl.add(a, b)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32]):
        big, small = self.pair(a, b)
        both = self.pair(big, small)
        again = self.single(big, both[1])
        with pl.manual_scope():
            r, tid = pl.submit(self.single, again, b)
            last, tid2 = pl.submit(self.single, r, a, deps=[tid])
        return last
