# pypto.program: Order
import pypto.language as pl

N = pl.dynamic("N")

@pl.program
class Order:
    @pl.function(type=pl.FunctionType.Orchestration)
    def a_main(self, x: pl.Tensor[[N, 64], pl.FP32], y: pl.Out[pl.Tensor[[N, 64], pl.FP32]]) -> pl.Tensor[[N, 64], pl.FP32]:
        y = self.z_kernel(x, y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def z_kernel(self, x: pl.Tensor[[N, 64], pl.FP32], y: pl.Out[pl.Tensor[[N, 64], pl.FP32]]) -> pl.Tensor[[N, 64], pl.FP32]:
        pl.func_attr({"marker": 3, "note": "a \"quoted\" word"})
        t = pl.load(x, [0, 0], [32, 64])
        y = pl.store(pl.exp(t), [0, 0], y)
        return y
