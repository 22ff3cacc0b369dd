import pypto.language as pl

# A tile that crosses from the cube core is copied out of the pipe before it is carried or comes out of a branch.
@pl.program
class PoppedJoins:
    @pl.function(type=pl.FunctionType.InCore)
    def starts(self, n: pl.Scalar[pl.INDEX], y: pl.Tensor[[16, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.tile.load(y, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
        b = pl.tile.load(w, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        c = pl.tile.matmul(a, b)
        s = pl.tile.move(c, target_memory=pl.Mem.Vec, blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)
        for i, (t,) in pl.range(n, init_values=(s,)):
            u = pl.tile.adds(t, 1.0)
            r = pl.yield_(u)
        z = pl.tile.store(r, [0, 0], z)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def goes_on(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], y: pl.Tensor[[16, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.tile.load(y, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
        b = pl.tile.load(w, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        first = pl.tile.load(x, [0, 0], [16, 64])
        for i, (t,) in pl.range(n, init_values=(first,)):
            c = pl.tile.matmul(a, b)
            s = pl.tile.move(c, target_memory=pl.Mem.Vec, blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)
            v = pl.tile.reshape(s, [16, 64])
            r = pl.yield_(v)
        z = pl.tile.store(r, [0, 0], z)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def chooses(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], y: pl.Tensor[[16, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.tile.load(y, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
        b = pl.tile.load(w, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        first = pl.tile.load(x, [0, 0], [16, 64])
        if n > 2:
            c = pl.tile.matmul(a, b)
            s = pl.tile.move(c, target_memory=pl.Mem.Vec, blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)
            r = pl.yield_(s)
        else:
            r = pl.yield_(first)
        u = pl.tile.adds(r, 1.0)
        z = pl.tile.store(u, [0, 0], z)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def halves(self, n: pl.Scalar[pl.INDEX], y: pl.Tensor[[16, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        a = pl.tile.load(y, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
        b = pl.tile.load(w, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        c = pl.tile.matmul(a, b)
        s = pl.tile.move(c, target_memory=pl.Mem.Vec, blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)
        for i, (t,) in pl.range(n, init_values=(s,)):
            u = pl.tile.adds(t, 1.0)
            r = pl.yield_(u)
        z = pl.tile.store(r, [0, 0], z)
        return z
