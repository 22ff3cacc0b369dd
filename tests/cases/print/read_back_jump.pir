import pypto.language as pl
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kern(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 64])
        z = pl.store(t, [0, 0], z)
        for i in pl.range(4):
            if i > n:
                if i == 3:
                    break
            v = i
        return z
    @pl.function
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        z = self.kern(n, x, z)
        return z
