import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIV)
    def elements(x: pl.Tensor[[8, 32], pl.INT32], i: pl.Scalar[pl.INT32], out: pl.InOut[pl.Tensor[[8, 32], pl.INT32]]):
        m: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 1024)
        t: pl.Tile[[8, 32], pl.INT32, pl.MemRef(m, 0, 1024), pl.Mem.Vec] = pl.tile.load(x, [0, 0], [8, 32], [8, 32], target_memory=pl.Mem.Vec)
        a: pl.Scalar[pl.INT32] = pl.tile.read(t, [i, 3])
        b: pl.Scalar[pl.INT32] = pl.tensor.read(x, [1, 2])
        u: pl.Tile[[8, 32], pl.INT32, pl.MemRef(m, 0, 1024), pl.Mem.Vec] = pl.tile.write(t, [0, 1], a + b)
        pl.tensor.write(out, [2, i], b)
        v: pl.Tile[[8, 32], pl.INT32, pl.MemRef(m, 0, 1024), pl.Mem.Vec] = pl.tile.shls(u, pl.const(7, pl.INT32))
        arr: pl.Array[4, pl.INT32] = pl.array.create(4, pl.INT32)
        arr1: pl.Array[4, pl.INT32] = pl.array.update_element(arr, 2, a)
        c: pl.Scalar[pl.INT32] = pl.array.get_element(arr1, i)
        pl.tensor.write(out, [0, 0], c)
