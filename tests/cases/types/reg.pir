import pypto.language as pl

@pl.program
class P:
    @pl.function
    def f(self, v: pl.Reg[64, pl.FP32], m: pl.Reg[64, pl.BOOL]):
        return
