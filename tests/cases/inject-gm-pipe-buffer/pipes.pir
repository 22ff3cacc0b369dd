# Who sets up a pipe, and who calls it, gets the buffer; an orchestration makes one for each call.
import pypto.language as pl


@pl.program
class Pipes:
    @pl.function(type=pl.FunctionType.AIV)
    def plain(self, x: pl.Tensor[[16, 16], pl.FP32]):
        t: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [16, 16], [16, 16], target_memory=pl.Mem.Vec)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, n: pl.Scalar[pl.INDEX]):
        if n == 1:
            back: pl.Scalar[pl.INT32] = pl.system.reserve_buffer(name="back", size=4096, base=0)
            pl.system.aiv_initialize_pipe(back, pl.const(0, pl.INT32), dir_mask=1, slot_size=1024)

    @pl.function(type=pl.FunctionType.Group)
    def group(self, n: pl.Scalar[pl.INDEX]):
        self.vector(n)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 16], pl.FP32]):
        self.group(n)
        self.plain(x)
        self.group(n)
