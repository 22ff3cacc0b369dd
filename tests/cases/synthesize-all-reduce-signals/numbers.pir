# A signal that is there stays; others are numbered over the program, past names in use; what is returned gets a name.
import pypto.language as pl
import pypto.language.distributed as pld


@pl.program
class Numbers:
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self) -> pld.DistributedTensor[[64], pl.FP32]:
        buf = pld.alloc_window_buffer(256)
        own = pld.alloc_window_buffer(8)
        data = pld.window(buf, [64], dtype=pl.FP32)
        signal = pld.window(own, [2, 1], dtype=pl.INT32)
        data_1 = pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum)
        __allreduce_signal_0 = data_1
        data_2 = pld.tensor.allreduce(__allreduce_signal_0, op=pld.ReduceOp.Max, core_num=2)
        return pld.tensor.allreduce(data_2, op=pld.ReduceOp.Sum)
