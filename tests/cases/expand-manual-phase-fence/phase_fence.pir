# Eight tasks that each wait for four: one barrier.  Two that wait for two: not worth one.
import pypto.language as pl


@pl.program
class Fence:
    @pl.function(type=pl.FunctionType.AIV)
    def put(self, x: pl.Tensor[[8], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]]) -> pl.Tensor[[8], pl.FP32]:
        return y

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(self, x: pl.Tensor[[8], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]]) -> pl.Tensor[[8], pl.FP32]:
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            many: pl.Array[4, pl.TASK_ID] = pl.array.create(4, pl.TASK_ID)
            few: pl.Array[2, pl.TASK_ID] = pl.array.create(2, pl.TASK_ID)
            for i in pl.parallel(8):
                a: pl.Tuple[pl.Tensor[[8], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.put, x, y, deps=[many])
            for j in pl.parallel(2):
                b: pl.Tuple[pl.Tensor[[8], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.put, x, y, deps=[few])
        return y
