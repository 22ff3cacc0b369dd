import pypto.language as pl


@pl.program
class Power:
    @pl.function(type=pl.FunctionType.InCore)
    def main(self, n: pl.Scalar[pl.INDEX]) -> pl.Scalar[pl.INT64]:
        k = n * 0 + 2
        m = pl.cast(k, pl.INT64) + pl.const(2, pl.INT64) ** pl.const(-1, pl.INT64)
        return m
