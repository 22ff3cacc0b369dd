import pypto.language as pl

HALVES = {"split": pl.SplitMode.UP_DOWN, "depth": 2}

@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.InCore, attrs=HALVES)
    def main(self, a: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        return a
