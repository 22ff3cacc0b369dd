# Down to the instructions: the view, its type and the part that is loaded have five dimensions, the tile two.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function
    def product(
        self,
        x: pl.Tensor[[32, 256], pl.BF16],
        w: pl.Tensor[[256, 256], pl.BF16, pl.NZ],
        out: pl.Out[pl.Tensor[[32, 256], pl.FP32]],
    ) -> pl.Tensor[[32, 256], pl.FP32]:
        for block in pl.spmd(4, name_hint="columns"):
            n = block * 64
            xt = pl.slice(x, [32, 256], [0, 0])
            out[0:32, n : n + 64] = pl.matmul(xt, w[n : n + 64, 0:256], b_trans=True, out_dtype=pl.FP32)
        return out
