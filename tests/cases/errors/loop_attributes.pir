import pypto.language as pl

@pl.program
class Prog:
    @pl.function
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX]):
        for i in pl.range(4, attrs={"depth": 2, "width": n}):
            b = pl.add(a, a)
        return a
