# A carry that is the same buffer all the time, one that changes, and ids of parallel tasks.
import pypto.language as pl


@pl.program
class Carries:
    @pl.function(type=pl.FunctionType.AIV)
    def put(self, x: pl.Tensor[[8], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]]) -> pl.Tensor[[8], pl.FP32]:
        return y

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(self, x: pl.Tensor[[8], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]]) -> pl.Tensor[[8], pl.FP32]:
        for i, (same, other) in pl.range(4, init_values=(y, x)):
            same_1: pl.Tensor[[8], pl.FP32] = self.put(x, same, attrs={"arg_directions": [pl.adir.input, pl.adir.inout]})
            new: pl.Tensor[[8], pl.FP32] = pl.tensor.create([8], dtype=pl.FP32)
            same_2, other_1 = pl.yield_(same_1, new)
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            none: pl.Scalar[pl.TASK_ID] = pl.system.task_invalid()
            for k, (before,) in pl.range(2, init_values=(none,)):
                for j, (id,) in pl.parallel(3, init_values=(before,)):
                    pair: pl.Tuple[pl.Tensor[[8], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.put, x, same_2, deps=[id], attrs={"arg_directions": [pl.adir.input, pl.adir.inout]})
                    id_1: pl.Scalar[pl.TASK_ID] = pair[1]
                    id_2 = pl.yield_(id_1)
                before_1 = pl.yield_(id_2)
        return same_2
