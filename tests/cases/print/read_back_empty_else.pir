# pypto.program: EmptyElse
import pypto.language as pl

@pl.program
class EmptyElse:
    @pl.function(type=pl.FunctionType.AIV)
    def wait(self, n: pl.Scalar[pl.INDEX]):
        if n < 4:
            pl.system.bar_all()
        else:
            pass
        pl.system.bar_all()
