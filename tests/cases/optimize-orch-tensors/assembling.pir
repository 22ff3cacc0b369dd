# Loops that assemble a tile: which of them store the parts instead.
import pypto.language as pl

@pl.program
class Assembling:
    # The parts fill the tile: what the loop begins with is never seen, so neither load nor tile is needed.
    @pl.function(type=pl.FunctionType.InCore)
    def filled(self, x: pl.Tensor[[16, 16], pl.FP32], p: pl.Tensor[[16, 4], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        t: pl.Tile[[16, 16], pl.FP32] = pl.tile.load(x, [0, 0], [16, 16])
        part: pl.Tile[[16, 4], pl.FP32] = pl.tile.load(p, [0, 0], [16, 4])
        for i, (c,) in pl.range(4, init_values=(t,)):
            n: pl.Tile[[16, 16], pl.FP32] = pl.tile.assemble(c, part, [0, i * 4])
            r = pl.yield_(n)
        s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(r, [0, 0], y)
        return s

    # The same, but the first tile is stored elsewhere, too: it stays.
    @pl.function(type=pl.FunctionType.InCore)
    def filled_twice(self, x: pl.Tensor[[16, 16], pl.FP32], p: pl.Tensor[[16, 4], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]], z: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tuple[pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[16, 16], pl.FP32]]:
        t: pl.Tile[[16, 16], pl.FP32] = pl.tile.load(x, [0, 0], [16, 16])
        part: pl.Tile[[16, 4], pl.FP32] = pl.tile.load(p, [0, 0], [16, 4])
        for i, (c,) in pl.range(4, init_values=(t,)):
            n: pl.Tile[[16, 16], pl.FP32] = pl.tile.assemble(c, part, [0, i * 4])
            r = pl.yield_(n)
        s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(r, [0, 0], y)
        w: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(t, [0, 0], z)
        return s, w

    # Nothing was in the tile: what is not assembled need not be stored.
    @pl.function(type=pl.FunctionType.InCore)
    def created(self, p: pl.Tensor[[16, 4], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        t: pl.Tile[[16, 16], pl.FP32] = pl.tile.create([16, 16], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        part: pl.Tile[[16, 4], pl.FP32] = pl.tile.load(p, [0, 0], [16, 4])
        for i, (c,) in pl.range(3, init_values=(t,)):
            n: pl.Tile[[16, 16], pl.FP32] = pl.tile.assemble(c, part, [0, i * 4])
            r = pl.yield_(n)
        s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(r, [0, 0], y)
        return s

    # Columns 12 to 15 keep what x has there.
    @pl.function(type=pl.FunctionType.InCore)
    def left_out(self, x: pl.Tensor[[16, 16], pl.FP32], p: pl.Tensor[[16, 4], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        t: pl.Tile[[16, 16], pl.FP32] = pl.tile.load(x, [0, 0], [16, 16])
        part: pl.Tile[[16, 4], pl.FP32] = pl.tile.load(p, [0, 0], [16, 4])
        for i, (c,) in pl.range(3, init_values=(t,)):
            n: pl.Tile[[16, 16], pl.FP32] = pl.tile.assemble(c, part, [0, i * 4])
            r = pl.yield_(n)
        s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(r, [0, 0], y)
        return s

    # How many parts there are is not known.
    @pl.function(type=pl.FunctionType.InCore)
    def some(self, k: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 16], pl.FP32], p: pl.Tensor[[16, 4], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        t: pl.Tile[[16, 16], pl.FP32] = pl.tile.load(x, [0, 0], [16, 16])
        part: pl.Tile[[16, 4], pl.FP32] = pl.tile.load(p, [0, 0], [16, 4])
        for i, (c,) in pl.range(k, init_values=(t,)):
            n: pl.Tile[[16, 16], pl.FP32] = pl.tile.assemble(c, part, [0, i * 4])
            r = pl.yield_(n)
        s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(r, [0, 0], y)
        return s

    # The tile is read again behind the loop.
    @pl.function(type=pl.FunctionType.InCore)
    def read_again(self, x: pl.Tensor[[16, 16], pl.FP32], p: pl.Tensor[[16, 4], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]], z: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tuple[pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[16, 16], pl.FP32]]:
        t: pl.Tile[[16, 16], pl.FP32] = pl.tile.load(x, [0, 0], [16, 16])
        part: pl.Tile[[16, 4], pl.FP32] = pl.tile.load(p, [0, 0], [16, 4])
        for i, (c,) in pl.range(4, init_values=(t,)):
            n: pl.Tile[[16, 16], pl.FP32] = pl.tile.assemble(c, part, [0, i * 4])
            r = pl.yield_(n)
        s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(r, [0, 0], y)
        d: pl.Tile[[16, 16], pl.FP32] = pl.tile.adds(r, 1.0)
        w: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(d, [0, 0], z)
        return s, w

    # The tile is stored further down.
    @pl.function(type=pl.FunctionType.InCore)
    def elsewhere(self, x: pl.Tensor[[16, 16], pl.FP32], p: pl.Tensor[[16, 4], pl.FP32], y: pl.Out[pl.Tensor[[32, 16], pl.FP32]]) -> pl.Tensor[[32, 16], pl.FP32]:
        t: pl.Tile[[16, 16], pl.FP32] = pl.tile.load(x, [0, 0], [16, 16])
        part: pl.Tile[[16, 4], pl.FP32] = pl.tile.load(p, [0, 0], [16, 4])
        for i, (c,) in pl.range(4, init_values=(t,)):
            n: pl.Tile[[16, 16], pl.FP32] = pl.tile.assemble(c, part, [0, i * 4])
            r = pl.yield_(n)
        s: pl.Tensor[[32, 16], pl.FP32] = pl.tile.store(r, [16, 0], y)
        return s
