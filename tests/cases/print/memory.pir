import pypto.language as pl

pair = pl.MemRef(slots=2)
STRIDED = pl.TensorView(stride=[256, 1], layout=pl.TensorLayout.ND)

@pl.program
class Memory:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, x: pl.Tensor[[64, 64], pl.FP32, STRIDED], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        for i in pl.range(2):
            t: pl.Tile[[32, 64], pl.FP32, pair[i % 2], pl.Mem.Vec] = pl.load(x, [i * 32, 0], [32, 64])
            u: pl.Tile[[32, 64], pl.FP32, pl.MemRef("other"), pl.Mem.Vec] = pl.tile.full([32, 64], dtype=pl.FP32, value=2)
            y = pl.store(pl.mul(t, u), [i * 32, 0], y)
        return y

    @pl.function(type=pl.FunctionType.AIV)
    def g(self, x: pl.Tensor[[64], pl.FP32, pl.MemRef("mem_ddr_0", 0, 256)], k: pl.Scalar[pl.INDEX]):
        mem_vec_1: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)
        t: pl.Tile[[1, 64], pl.FP32, pl.MemRef(mem_vec_1, 0, 256), pl.Mem.Vec] = pl.tile.create([1, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        u: pl.Tile[[1, 64], pl.FP32, pl.MemRef(mem_vec_1, k * 4, 256), pl.Mem.Vec, pl.TileView(valid_shape=[1, k])] = pl.tile.set_validshape(t, 1, k)
        return
