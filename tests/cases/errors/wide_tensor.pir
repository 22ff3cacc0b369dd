import pypto.language as pl

@pl.program
class WideTensor:
    @pl.function(type=pl.FunctionType.Orchestration)
    def create(self, x: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.create_tensor([9223372036854775807, 9223372036854775807], dtype=pl.FP32)
        z = self.k(x, t, z)
        return z
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[16, 64], pl.FP32], t: pl.Out[pl.Tensor[[9223372036854775807, 9223372036854775807], pl.FP32]], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.load(x, [0, 0], [16, 64])
        z = pl.store(a, [0, 0], z)
        return z
