import pypto.language as pl
import pypto.language.distributed as pld


@pl.program
class HostSum:
    @pl.function(type=pl.FunctionType.InCore)
    def copy(self, data: pld.DistributedTensor[[1, 64], pl.FP32], out: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
        t = pl.load(data, [0, 0], [1, 64])
        out = pl.store(t, [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, data: pld.DistributedTensor[[1, 64], pl.FP32], out: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
        out = self.copy(data, out)
        return out

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, out: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
        buf = pld.alloc_window_buffer(256)
        sig = pld.alloc_window_buffer(64)
        data = pld.window(buf, [1, 64], dtype=pl.FP32)
        signal = pld.window(sig, [16, 1], dtype=pl.INT32)
        data = pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum)
        out = self.chip(data, out, device=0)
        return out
