import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: pl.Tensor[[32, 64], pl.FP16], b: pl.Tensor[[64, 32], pl.FP16], n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        w: pl.Tile[[32, 32], pl.FP16, pl.Mem.Vec] = pl.tile.create([32, 32], dtype=pl.FP16, target_memory=pl.Mem.Vec)
        zero: pl.Tile[[32, 32], pl.FP32, pl.Mem.Vec] = pl.tile.full([32, 32], dtype=pl.FP32, value=0.0)
        for i, (total,) in pl.range(n, init_values=(zero,)):
            x: pl.Tile[[32, 64], pl.FP16, pl.Mem.Mat] = pl.tile.load(a, [0, 0], [32, 64], [32, 64], target_memory=pl.Mem.Mat)
            y: pl.Tile[[64, 32], pl.FP16, pl.Mem.Mat] = pl.tile.load(b, [0, 0], [64, 32], [64, 32], target_memory=pl.Mem.Mat)
            xl: pl.Tile[[32, 64], pl.FP16, pl.Mem.Left] = pl.tile.move(x, target_memory=pl.Mem.Left)
            yr: pl.Tile[[64, 32], pl.FP16, pl.Mem.Right] = pl.tile.move(y, target_memory=pl.Mem.Right)
            z: pl.Tile[[32, 32], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(xl, yr)
            v: pl.Tile[[32, 32], pl.FP32, pl.Mem.Vec] = pl.tile.move(z, target_memory=pl.Mem.Vec)
            sum: pl.Tile[[32, 32], pl.FP32, pl.Mem.Vec] = pl.tile.add(total, v)
            last: pl.Tile[[32, 32], pl.FP32, pl.Mem.Vec] = pl.yield_(sum)
        out1: pl.Tensor[[32, 32], pl.FP32] = pl.tile.store(last, [0, 0], out)
        return out1
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[32, 64], pl.FP16], b: pl.Tensor[[64, 32], pl.FP16], n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        r: pl.Tensor[[32, 32], pl.FP32] = self.kernel(a, b, n, out)
        return r
