# A context for each distributed parameter, in order; a plain tensor has none; the host asks once for each argument.
import pypto.language as pl
import pypto.language.distributed as pld


@pl.program
class PassedOn:
    @pl.function(type=pl.FunctionType.AIV)
    def kernel(
        self,
        a: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]],
        x: pl.Tensor[[16, 16], pl.FP32],
        b: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]],
    ):
        return

    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def chip(
        self,
        p: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]],
        x: pl.Tensor[[16, 16], pl.FP32],
        q: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]],
    ):
        again: pld.DistributedTensor[[16, 16], pl.FP32] = q
        self.kernel(again, x, p)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[16, 16], pl.FP32]):
        one = pld.alloc_window_buffer(1024)
        two = pld.alloc_window_buffer(1024)
        u = pld.window(one, [16, 16], dtype=pl.FP32)
        v = pld.window(two, [16, 16], dtype=pl.FP32)
        self.chip(u, x, v, device=0)
