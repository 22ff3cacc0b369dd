import pypto.language as pl

@pl.program
class Good:
    @pl.function(type=pl.FunctionType.AIV)
    def f(self, v: pl.Reg[64, pl.FP32], m: pl.Reg[64, pl.BOOL, pl.RegKind.MaskReg], s: pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ], w: pl.Tensor[[64, 128], pl.FP16, pl.NZ], q: pl.Tensor[[64, 32], pl.FP4], c: pl.Scalar[pl.TASK_ID], d: pl.Scalar[pl.HF8]):
        return
