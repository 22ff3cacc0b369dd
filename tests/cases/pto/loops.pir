import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIV)
    def loops(x: pl.Tensor[[64], pl.INT32], out: pl.InOut[pl.Tensor[[64], pl.INT32]], n: pl.Scalar[pl.INT32]):
        for (k, s) in pl.while_(init_values=(0, n)):
            pl.cond(k < 8)
            a: pl.Scalar[pl.INT32] = pl.tensor.read(x, [k])
            k1, s1 = pl.yield_(k + 1, s + a)
        pl.tensor.write(out, [0], s1)
        for i in pl.range(0, n, 1):
            pl.tensor.write(out, [i], n)
