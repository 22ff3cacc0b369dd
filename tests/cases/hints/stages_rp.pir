# Four stages ask for four buffers each, of which not all fit.
import pypto.language as pl


@pl.program
class Stages:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[64, 192], pl.FP32], out: pl.Out[pl.Tensor[[64, 192], pl.FP32]]
    ) -> pl.Tensor[[64, 192], pl.FP32]:
        start: pl.Tile[[64, 192], pl.FP32] = pl.load(x, [0, 0], [64, 192])
        for i, (acc,) in pl.pipeline(0, 8, 1, stage=4, init_values=(start,)):
            e: pl.Tile[[64, 192], pl.FP32] = pl.exp(acc)
            r: pl.Tile[[64, 192], pl.FP32] = pl.sqrt(e)
            s: pl.Tile[[64, 192], pl.FP32] = pl.mul(r, 0.5)
            end = pl.yield_(s)
        out = pl.store(end, [0, 0], out)
        return out
