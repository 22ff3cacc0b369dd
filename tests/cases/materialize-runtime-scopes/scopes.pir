# Scopes around the body, loops and branches, but not inside a manual scope.
import pypto.language as pl


@pl.program
class Scopes:
    @pl.function(type=pl.FunctionType.AIV)
    def put(self, x: pl.Tensor[[8], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]]) -> pl.Tensor[[8], pl.FP32]:
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[8], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]]) -> pl.Tensor[[8], pl.FP32]:
        for i in pl.range(4):
            if i < 2:
                self.put(x, y)
        with pl.manual_scope():
            for j in pl.range(4):
                self.put(x, y)
        return y
