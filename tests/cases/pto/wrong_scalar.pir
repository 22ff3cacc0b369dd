import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIV)
    def k(n: pl.Scalar[pl.INT32], out: pl.InOut[pl.Tensor[[64], pl.INT32]]):
        for i, (s,) in pl.range(0, 4, 1, init_values=(0,)):
            r = pl.yield_(s + n)
        a: pl.Scalar[pl.INT32] = r
        pl.tensor.write(out, [0], a)
