import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIV)
    def down(x: pl.Tensor[[8, 32], pl.FP32], out: pl.InOut[pl.Tensor[[8, 32], pl.FP32]]):
        for i in pl.range(7, -1, -1):
            a: pl.Scalar[pl.FP32] = pl.tensor.read(x, [i, 0])
            pl.tensor.write(out, [i, 0], a)
