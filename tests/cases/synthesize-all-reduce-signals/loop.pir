# A signal is for one use: a loop needs one that the author made.
import pypto.language as pl
import pypto.language.distributed as pld


@pl.program
class Loop:
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self):
        buf = pld.alloc_window_buffer(256)
        data = pld.window(buf, [64], dtype=pl.FP32)
        for i in pl.range(4):
            pld.tensor.allreduce(data, op=pld.ReduceOp.Sum)
