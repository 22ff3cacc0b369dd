%once
import pypto.language as pl

@pl.program
class Bench:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[4096, 64], pl.FP32], z: pl.Out[pl.Tensor[[4096, 64], pl.FP32]]) -> pl.Tensor[[4096, 64], pl.FP32]:
%each 10
        for i in pl.range(0, 256, 16):
            if i > n:
                break
            a = pl.load(x, [i, 0], [16, 64])
            if i == {k%256*16}:
                continue
            b = pl.mul(a, 0.5)
            if i + 16 == n:
                b = pl.exp(b)
            z = pl.store(b, [i, 0], z)
%once
        return z

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[4096, 64], pl.FP32], z: pl.Out[pl.Tensor[[4096, 64], pl.FP32]]) -> pl.Tensor[[4096, 64], pl.FP32]:
        z = self.kernel(n, x, z)
        return z
