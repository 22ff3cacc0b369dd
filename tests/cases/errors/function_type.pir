import pypto.language as pl

@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.Incore)
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX]):
        return a
