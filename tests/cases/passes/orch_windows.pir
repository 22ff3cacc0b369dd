# Windows are not built yet.
import pypto.language as pl


@pl.program
class Windows:
    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def copy(self, x: pl.Tensor[[16, 32], pl.FP32]):
        t: pl.Tile[[16, 32], pl.FP32] = pl.tile.load(x, [0, 0], [16, 32], [16, 32])
