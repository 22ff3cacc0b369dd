import pypto.language as pl

@pl.program
class Prog:
    @pl.function
    def main(self, a: pl.Tensor[[4], pl.FP32], n: pl.InOut[pl.Scalar[pl.INDEX]]):
        return a
