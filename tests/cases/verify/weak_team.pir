# `tally` adds into its second parameter, so the team that hands its own `total` on cannot only read it.
import pypto.language as pl

@pl.program
class Sums:
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def tally(self, part: pl.Tensor[[8, 32], pl.FP16], total: pl.InOut[pl.Tensor[[8, 32], pl.FP16]]) -> pl.Tensor[[8, 32], pl.FP16]:
        p = pl.tile.load(part, [0, 0], [8, 32], [8, 32], target_memory=pl.Mem.Vec)
        q = pl.tile.load(total, [0, 0], [8, 32], [8, 32], target_memory=pl.Mem.Vec)
        s = pl.tile.add(p, q)
        total_1 = pl.tile.store(s, [0, 0], total)
        return total_1

    @pl.function(type=pl.FunctionType.Group, level=pl.Level.CORE_GROUP, role=pl.Role.SubWorker)
    def team(self, total: pl.Tensor[[8, 32], pl.FP16], part: pl.Tensor[[8, 32], pl.FP16]) -> pl.Tensor[[8, 32], pl.FP16]:
        total_1 = self.tally(part, total, attrs={"arg_directions": [pl.adir.input, pl.adir.inout]})
        return total_1
