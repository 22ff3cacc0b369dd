# A cluster becomes a group and a launch an spmd function; a launch inside a cluster goes to the call of the group.
import pypto.language as pl


@pl.program
class Launches:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        t: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [16, 16])
        y_1: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(t, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        with pl.cluster():
            y_1: pl.Tensor[[16, 16], pl.FP32] = self.k(x, y)
        with pl.spmd(4):
            y_2: pl.Tensor[[16, 16], pl.FP32] = self.k(x, y_1)
        with pl.cluster():
            with pl.spmd(8):
                y_3: pl.Tensor[[16, 16], pl.FP32] = self.k(x, y_2)
        return y_3
