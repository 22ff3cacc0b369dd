import pypto.language as pl

@pl.program
class Prog:
    @pl.function
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX]):
        one: pl.Tuple(pl.Scalar[pl.INDEX]) = (n,)
        return a
