import pypto.language as pl

@pl.program
class Halves:
    @pl.function(type=pl.FunctionType.InCore)
    def scale(x: pl.Tensor[[32, 48], pl.FP32], y: pl.Out[pl.Tensor[[32, 48], pl.FP32]]) -> pl.Tensor[[32, 48], pl.FP32]:
        for core in pl.split_aiv(2, mode=pl.SplitMode.LEFT_RIGHT):
            a: pl.Tile[[32, 48], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [32, 48], [32, 48], target_memory=pl.Mem.Vec)
            b: pl.Tile[[32, 48], pl.FP32, pl.Mem.Vec] = pl.tile.add(a, a)
            done: pl.Tensor[[32, 48], pl.FP32] = pl.tile.store(b, [0, 0], y)
        return done

    @pl.function(type=pl.FunctionType.InCore)
    def drain(m: pl.Tile[[32, 16], pl.FP32, pl.Mem.Mat], y: pl.Out[pl.Tensor[[32, 16], pl.FP32]]) -> pl.Tensor[[32, 16], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        v: pl.Tile[[32, 16], pl.FP32, pl.Mem.Vec] = pl.tile.move(m, target_memory=pl.Mem.Vec)
        e: pl.Tile[[32, 16], pl.FP32, pl.Mem.Vec] = pl.tile.exp(v)
        done: pl.Tensor[[32, 16], pl.FP32] = pl.tile.store(e, [0, 0], y)
        return done
