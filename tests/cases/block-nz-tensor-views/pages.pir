# Every page of a batch is loaded for itself, straight from the boxes.
import pypto.language as pl


@pl.program
class Batch:
    @pl.function
    def products(
        self,
        x: pl.Tensor[[2, 64, 128], pl.BF16],
        w: pl.Tensor[[2, 128, 64], pl.BF16, pl.NZ],
        out: pl.Out[pl.Tensor[[2, 64, 64], pl.FP32]],
    ) -> pl.Tensor[[2, 64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="both"):
            out = pl.matmul(x, w, out_dtype=pl.FP32)
        return out
