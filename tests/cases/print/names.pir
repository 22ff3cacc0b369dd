# pypto.program: Names
import pypto.language as pl

@pl.program
class Names:
    @pl.function(type=pl.FunctionType.InCore)
    def step(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        # the same loop variable twice
        for i in pl.range(2):
            a: pl.Tile[[32, 64], pl.FP32] = pl.load(x, [i * 32, 0], [32, 64])
            out = pl.store(pl.add(a, 1.0), [i * 32, 0], out)
        for i in pl.range(2):
            a = pl.load(x, [i * 32, 0], [32, 64])
            out = pl.store(pl.mul(a, 2.0), [i * 32, 0], out)
        return out
