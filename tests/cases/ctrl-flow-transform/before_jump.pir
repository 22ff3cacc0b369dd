# What stands before a jump in its branch is done, what stands behind it is not; also in scopes, in branches of
# branches, and where the loop carries a value.
import pypto.language as pl

@pl.program
class Jumps:
    @pl.function(type=pl.FunctionType.InCore)
    def leaves(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 32], pl.FP32], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]]):
        for i in pl.range(8):
            if i == n:
                if i == 5:
                    a = pl.load(x, [0, 0], [8, 32])
                    y = pl.store(a, [0, 0], y)
                    continue
                b = pl.load(x, [8, 0], [8, 32])
                y = pl.store(b, [0, 0], y)
                break
            c = pl.load(x, [16, 0], [8, 32])
            y = pl.store(c, [0, 0], y)
        return y

    @pl.function
    def in_scope(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 32], pl.FP32], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            for i in pl.range(8):
                if i > n:
                    d = pl.load(x, [24, 0], [8, 32])
                    y = pl.store(d, [0, 0], y)
                    break
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def carries(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 32], pl.FP32], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]]):
        t = pl.load(x, [0, 0], [8, 32])
        for i, (acc,) in pl.range(8, init_values=(t,)):
            if i < n:
                if i > 2:
                    continue
            u = pl.add(acc, acc)
            r = pl.yield_(u)
        y = pl.store(r, [0, 0], y)
        return y
