# Rows of less than 512 bytes: a tile loaded twice by one statement of an unrolled loop, a padded one of which less is
# valid, a tile of unknown valid rows; long rows need no advice.
import pypto.language as pl


@pl.program
class Rows:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[64, 256], pl.FP32],
        n: pl.Scalar[pl.INDEX],
        out: pl.Out[pl.Tensor[[64, 256], pl.FP32]],
    ) -> pl.Tensor[[64, 256], pl.FP32]:
        for i in pl.unroll(0, 2):
            t = pl.load(x, [0, i * 16], [16, 16])
            out = pl.store(t, [0, i * 16], out)
        u = pl.load(x, [16, 0], [16, 64], [16, 50])
        out = pl.store(u, [16, 0], out)
        v = pl.load(x, [32, 0], [16, 64], [n, 64])
        out = pl.store(v, [32, 0], out)
        w = pl.load(x, [48, 0], [16, 256])
        out = pl.store(w, [48, 0], out)
        return out
