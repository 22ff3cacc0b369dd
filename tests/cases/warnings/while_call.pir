import pypto.language as pl


@pl.program
class Wait:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, flag: pl.Tensor[[8], pl.INT32], n: pl.Scalar[pl.INDEX]) -> pl.Scalar[pl.INDEX]:
        while pl.read(flag, [0]) == 0:
            n = n + 1
        return n
