import pypto.language as pl

@pl.program
class Prog:
    @pl.function
    def main(self, n: pl.Scalar[pl.INDEX]):
        if n > 3:
        return n
