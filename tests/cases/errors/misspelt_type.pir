import pypto.language as pl

@pl.program
class Prog:
    @pl.function
    def main(self, a: pl.Tensr[[4], pl.FP32]):
        return a
