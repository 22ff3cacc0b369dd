# A tile that passes through two loops is needed behind them, in each turn of the third: nothing may lie over it there.
import pypto.language as pl


@pl.program
class Through:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 32], pl.FP32], y: pl.Out[pl.Tensor[[64, 32], pl.FP32]]) -> pl.Tensor[[64, 32], pl.FP32]:
        pool = pl.tile.create([8, 32], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        for i in pl.range(4):
            low = pl.load(x, [i, 0], [1, 32])
            pool = pl.tile.assemble(pool, low, [i, 0])
        for j in pl.range(4):
            high = pl.load(x, [j + 4, 0], [1, 32])
            pool = pl.tile.assemble(pool, high, [j + 4, 0])
        for k in pl.range(8):
            row = pl.tile.slice(pool, [1, 32], [k, 0])
            twice = pl.add(row, row)
            more = pl.exp(twice)
            y = pl.store(more, [k, 0], y)
        return y
