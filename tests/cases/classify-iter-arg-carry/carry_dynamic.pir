# The ids of a parallel loop need an array, so its length must be known.
import pypto.language as pl


@pl.program
class Dynamic:
    @pl.function(type=pl.FunctionType.AIV)
    def put(self, x: pl.Tensor[[8], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]]) -> pl.Tensor[[8], pl.FP32]:
        return y

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(
        self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[8], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]]
    ) -> pl.Tensor[[8], pl.FP32]:
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            none: pl.Scalar[pl.TASK_ID] = pl.system.task_invalid()
            for j, (id,) in pl.parallel(n, init_values=(none,)):
                pair: pl.Tuple[pl.Tensor[[8], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.put, x, y, deps=[id])
                id_1: pl.Scalar[pl.TASK_ID] = pair[1]
                id_2 = pl.yield_(id_1)
        return y
