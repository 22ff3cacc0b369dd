# A loop over blocks of rows: each block is divided by the sum of its row.
import pypto.language as pl


@pl.program
class RowNorm:
    @pl.function(type=pl.FunctionType.InCore)
    def norm_kernel(
        self,
        x: pl.Tensor[[256, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[256, 64], pl.FP32]],
    ) -> pl.Tensor[[256, 64], pl.FP32]:
        for r in pl.range(0, 256, 32):
            block = pl.load(x, [r, 0], [32, 64])
            scratch = pl.tile.create([32, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)
            total = pl.tile.row_sum(block, scratch)
            scaled = pl.tile.row_expand_div(block, total)
            y = pl.store(scaled, [r, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[256, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[256, 64], pl.FP32]],
    ) -> pl.Tensor[[256, 64], pl.FP32]:
        y = self.norm_kernel(x, y)
        return y
