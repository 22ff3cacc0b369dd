import pypto.language as pl

@pl.program
class Prog:
    @pl.function
    def main(self, n: pl.Scalar[pl.INDEX]):
        k = n
	j = n
        return k
