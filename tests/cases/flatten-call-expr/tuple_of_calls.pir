import pypto.language as pl
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[64, 64], pl.FP32], z: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        a, b = pl.exp(pl.load(x, [0, 0], [64, 64])), pl.load(x, [0, 0], [64, 64])
        a = pl.add(a, b)
        z = pl.store(a, [0, 0], z)
        return z
    @pl.function
    def main(self, x: pl.Tensor[[64, 64], pl.FP32], z: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        z = self.k(x, z)
        return z
