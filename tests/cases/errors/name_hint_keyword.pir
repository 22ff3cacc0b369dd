import pypto.language as pl

@pl.program
class Prog:
    @pl.function
    def main(self, a: pl.Tensor[[64, 64], pl.FP32]):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="lambda"):
            b = pl.add(a, a)
        return a
