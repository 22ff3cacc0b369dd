import pypto.language as pl


@pl.program
class Loop:
    @pl.function(type=pl.FunctionType.AIV)
    def sum_up(self, n: pl.Scalar[pl.INDEX]):
        acc = n + 0
        for i in pl.range(4):
            with pl.reg_scope():
                acc = acc + i
        return
