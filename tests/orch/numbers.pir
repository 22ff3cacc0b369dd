# Numbers that kernels give back: the host computes what is made of the arguments.  A tensor that comes back as it was
# given is that tensor, and a size that a branch decides is known behind the branch only.
import pypto.language as pl

R = pl.dynamic("R")

@pl.program
class Numbers:
    @pl.function(type=pl.FunctionType.InCore)
    def first(self, k: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tuple[pl.Tensor[[64, 64], pl.FP32], pl.Scalar[pl.INDEX]]:
        row = k * 8
        y = pl.store(pl.exp(pl.load(x, [row, 0], [8, 64])), [row, 0], y)
        last = row + m
        return y, last

    @pl.function(type=pl.FunctionType.InCore)
    def second(self, o: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 64], pl.FP32], z: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        z = pl.store(pl.load(x, [o, 0], [8, 64]), [o, 0], z)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def look(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, x: pl.Tensor[[64, 64], pl.FP32], t: pl.Out[pl.Tensor[[R, 64], pl.FP32]]) -> pl.Tensor[[R, 64], pl.FP32]:
        t = pl.store(pl.load(x, [0, 0], [16, 64]), [0, 0], t)
        return t

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], z: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        for k in pl.range(3):
            y, o = self.first(k, n, x, y)
            z = self.second(o, y, z)
            z = self.look(z)
        if n > 1:
            r: pl.Scalar[pl.INDEX] = pl.yield_(16)
        else:
            r: pl.Scalar[pl.INDEX] = pl.yield_(32)
        t = pl.create_tensor([r, 64], dtype=pl.FP32)
        t = self.fill(x, t)
        return y, z
