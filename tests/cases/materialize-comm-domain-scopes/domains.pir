# From a collective without a signal to one built-in call per device, with its domain and contexts.
import pypto.language as pl
import pypto.language.distributed as pld


@pl.program
class Domains:
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def chip(self, data: pl.InOut[pld.DistributedTensor[[64], pl.FP32]]) -> pld.DistributedTensor[[64], pl.FP32]:
        return data

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self):
        buf = pld.alloc_window_buffer(256)
        data = pld.window(buf, [64], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            self.chip(data, device=r)
        data = pld.tensor.allreduce(data, op=pld.ReduceOp.Sum)
