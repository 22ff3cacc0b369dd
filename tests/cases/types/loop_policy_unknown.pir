import pypto.language as pl

@pl.program
class Policies:
    @pl.function(type=pl.FunctionType.AIV)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        for i in pl.range(0, 64, 16, hardware_loop_policy=pl.HardwareLoopPolicy.Require):
            a: pl.Tile[[16, 64], pl.FP32] = pl.load(x, [i, 0], [16, 64])
            out = pl.store(a, [i, 0], out)
        for j in pl.range(1, hardware_loop_policy=pl.HardwareLoopPolicy.Require):
            b: pl.Tile[[16, 64], pl.FP32] = pl.load(x, [j, 0], [16, 64])
            out = pl.store(b, [j, 0], out)
        for k in pl.range(0, hardware_loop_policy=pl.HardwareLoopPolicy.Require):
            c: pl.Tile[[16, 64], pl.FP32] = pl.load(x, [k, 0], [16, 64])
            out = pl.store(c, [k, 0], out)
        for m in pl.range(1, hardware_loop_policy=pl.HardwareLoopPolicy.Always):
            d: pl.Tile[[16, 64], pl.FP32] = pl.load(x, [m, 0], [16, 64])
            out = pl.store(d, [m, 0], out)
        return out
