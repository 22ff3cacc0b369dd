import pypto.language as pl

@pl.program
class Split:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN)], name_hint="scale"):
            t = pl.tile.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Vec)
            out = pl.tile.store(pl.tile.muls(t, 2.0), [0, 0], out)
        return out
