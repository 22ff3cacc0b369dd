import pypto.language as pl

N = pl.dynamic("N")


@pl.program
class Rectify:
    @pl.function(type=pl.FunctionType.AIV)
    def kernel(self, x: pl.Tensor[[N, 32], pl.FP32], out: pl.Out[pl.Tensor[[N, 32], pl.FP32]]):
        m_a: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 2048)
        m_s: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 2048)
        m_t: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)
        m_r: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 2048)
        a: pl.Tile[[16, 32], pl.FP32, pl.MemRef(m_a, 0, 2048), pl.Mem.Vec,
                   pl.TileView(valid_shape=[N, 32])] = pl.tile.load(
            x, [0, 0], [16, 32], [N, 32], target_memory=pl.Mem.Vec, clamp=True)
        s: pl.Tile[[16, 32], pl.FP32, pl.MemRef(m_s, 2048, 2048), pl.Mem.Vec,
                   pl.TileView(valid_shape=[N, 32])] = pl.tile.load(
            x, [0, 0], [16, 32], [N, 32], target_memory=pl.Mem.Vec, clamp=True)
        t: pl.Tile[[16, 32], pl.UINT8, pl.MemRef(m_t, 4096, 512), pl.Mem.Vec] = pl.tile.create(
            [16, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        r: pl.Tile[[16, 32], pl.FP32, pl.MemRef(m_r, 4608, 2048), pl.Mem.Vec,
                   pl.TileView(valid_shape=[N, 32])] = pl.tile.prelu(a, s, t)
        o = pl.tile.store(r, [0, 0], out)
        return o
