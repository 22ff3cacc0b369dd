# Explicit dependencies: a chain of ids through a sequential loop of parallel ones, and a barrier.
import pypto.language as pl


@pl.program
class Manual:
    @pl.function(type=pl.FunctionType.InCore)
    def step(
        self,
        data: pl.Tensor[[64, 16], pl.FP32],
        row: pl.Scalar[pl.INDEX],
        out: pl.Out[pl.Tensor[[64, 16], pl.FP32]],
    ) -> pl.Tensor[[64, 16], pl.FP32]:
        t = pl.load(data, [row, 0], [16, 16])
        out = pl.store(pl.exp(t), [row, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, data: pl.Tensor[[64, 16], pl.FP32], out: pl.Out[pl.Tensor[[64, 16], pl.FP32]]
    ) -> pl.Tensor[[64, 16], pl.FP32]:
        with pl.manual_scope():
            prev = None
            for phase in pl.range(2):
                for lane in pl.parallel(2):
                    row = phase * 32 + lane * 16
                    out, prev = pl.submit(self.step, data, row, out, deps=[prev])
            fence = pl.system.task_dummy(deps=[prev])
            out, last = pl.submit(self.step, data, 0, out, deps=[fence])
        return out
