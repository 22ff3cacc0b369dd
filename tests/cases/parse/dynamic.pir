import pypto.language as pl

M = pl.dynamic("M")
K = pl.dynamic("K")

@pl.program
class Dynamic:
    @pl.function
    def twice(self, x: pl.Tensor[[M, 2 * K], pl.FP16]):
        return pl.add(x, x)

    @pl.function
    def main(self, a: pl.Tensor[[32, 2 * 64], pl.FP16], b: pl.Tensor[[M, 64], pl.FP16]):
        y = self.twice(a)
        rows = pl.tensor.dim(b, 0)
        return y
