import pypto.language as pl
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def kernel(self, x: pl.Tensor[[64], pl.FP32], out: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        t = pl.tile.load(x, [0], [64], [64], target_memory=pl.Mem.Vec)
        ret = pl.tile.store(t, [0], out)
        return ret
    @pl.function(type=pl.FunctionType.Group, level=pl.Level.CORE_GROUP, role=pl.Role.SubWorker)
    def group(self, x: pl.Tensor[[64], pl.FP32], out: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        r = self.kernel(x, out, attrs={"arg_directions": [pl.adir.input, pl.adir.output_existing]})
        return r
    @pl.function
    def main(self, x: pl.Tensor[[64], pl.FP32], dst: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        r = self.group(x, dst, attrs={"arg_directions": [pl.adir.input, pl.adir.input]})
        return r
