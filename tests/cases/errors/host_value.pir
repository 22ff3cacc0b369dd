import pypto.language as pl
import os

N = os.cpu_count()

@pl.program
class Prog:
    @pl.function
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX]):
        return pl.add(a, N)
