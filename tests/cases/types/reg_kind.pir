import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, v: pl.Reg[64, pl.FP32, pl.RegKind.Scalar]):
        return
