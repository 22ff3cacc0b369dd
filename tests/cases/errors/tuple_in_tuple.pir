import pypto.language as pl

@pl.program
class Prog:
    @pl.function
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX]):
        both: pl.Tuple[pl.Tuple[pl.Scalar[pl.INDEX]], pl.Tensor[[64, 64], pl.FP32]] = ((n,), a)
        return a
