# One call for each row of the table: first and second writers, sequential and parallel loops, branches,
# parameters of the orchestration, and an override.
import pypto.language as pl


@pl.program
class Directions:
    @pl.function(type=pl.FunctionType.AIV)
    def put(self, x: pl.Tensor[[8], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]]) -> pl.Tensor[[8], pl.FP32]:
        return y

    @pl.function(type=pl.FunctionType.AIV)
    def add(self, n: pl.Scalar[pl.INT32], y: pl.InOut[pl.Tensor[[8], pl.FP32]]) -> pl.Tensor[[8], pl.FP32]:
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[8], pl.FP32],
        a: pl.Out[pl.Tensor[[8], pl.FP32]],
        b: pl.InOut[pl.Tensor[[8], pl.FP32]],
    ) -> pl.Tensor[[8], pl.FP32]:
        first: pl.Tensor[[8], pl.FP32] = pl.tensor.create([8], dtype=pl.FP32)
        first_1: pl.Tensor[[8], pl.FP32] = self.put(x, first)
        first_2: pl.Tensor[[8], pl.FP32] = self.put(x, first_1)
        a_1: pl.Tensor[[8], pl.FP32] = self.put(first_2, a)
        b_1: pl.Tensor[[8], pl.FP32] = self.put(x, b)
        b_2: pl.Tensor[[8], pl.FP32] = self.add(1, b_1)
        second: pl.Tensor[[8], pl.FP32] = pl.tensor.create([8], dtype=pl.FP32)
        for i in pl.parallel(4):
            self.put(x, second)
        for i in pl.range(4):
            own: pl.Tensor[[8], pl.FP32] = pl.tensor.create([8], dtype=pl.FP32)
            self.put(x, own)
        third: pl.Tensor[[8], pl.FP32] = pl.tensor.create([8], dtype=pl.FP32)
        if 1 < 2:
            self.put(x, third)
        else:
            self.put(x, third)
        self.put(x, third)
        self.put(pl.no_dep(x), third)
        return a_1
