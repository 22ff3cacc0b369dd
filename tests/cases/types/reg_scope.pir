import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIV)
    def f(self, v: pl.Reg[64, pl.FP32], w: pl.Reg[64, pl.FP32, pl.RegKind.VecReg], m: pl.Reg[256, pl.BOOL, pl.RegKind.MaskReg], n: pl.Scalar[pl.INDEX]):
        with pl.reg_scope():
            i = n + 1
            j = i + 2
        return
