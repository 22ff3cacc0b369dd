import pypto.language as pl

@pl.program
class P:
    @pl.function
    def main(self, n: pl.Scalar[pl.INDEX]):
        return n
    @pl.function
    def main(self, n: pl.Scalar[pl.INDEX]):
        return n
