import pypto.language as pl

# Values that are read again after their memory has been taken over, and values that change places by assignment.
@pl.program
class KeptDsa:
    # Before the loop t is copied: s is still x + 1 behind it.  o = (x + 1) * 8 - (x + 1).
    @pl.function(type=pl.FunctionType.InCore)
    def start(self, x: pl.Tensor[[16, 64], pl.FP32], o: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        s = pl.tile.adds(pl.load(x, [0, 0], [16, 64]), 1.0)
        t = s
        for i in pl.range(3):
            t = pl.tile.muls(t, 2.0)
        o = pl.store(pl.tile.sub(t, s), [0, 0], o)
        return o

    # Each operand that an operator changes in place is copied, but the last time.
    @pl.function(type=pl.FunctionType.InCore)
    def operand(self, x: pl.Tensor[[8, 64], pl.FP32], p: pl.Tensor[[2, 64], pl.FP32], o: pl.Out[pl.Tensor[[24, 64], pl.FP32]]) -> pl.Tensor[[24, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [8, 64])
        part = pl.load(p, [0, 0], [2, 64])
        a = pl.tile.assemble(t, part, [0, 0])
        o = pl.store(a, [0, 0], o)
        b = pl.tile.assemble(t, part, [2, 0])
        o = pl.store(b, [8, 0], o)
        c = pl.tile.assemble(t, part, [4, 0])
        o = pl.store(c, [16, 0], o)
        return o

    # In every round t is as it was loaded.
    @pl.function(type=pl.FunctionType.InCore)
    def round(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[8, 64], pl.FP32], p: pl.Tensor[[2, 64], pl.FP32], o: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [8, 64])
        part = pl.load(p, [0, 0], [2, 64])
        for i in pl.range(n):
            u = pl.tile.assemble(t, part, [i, 0])
            o = pl.store(u, [i * 8, 0], o)
        return o

    # The product is computed twice, as no chip copies accumulators.
    @pl.function(type=pl.FunctionType.InCore)
    def product(self, a: pl.Tensor[[16, 32], pl.FP16], b: pl.Tensor[[32, 16], pl.FP16], c: pl.Tensor[[32, 16], pl.FP16], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]], z: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tuple[pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[16, 16], pl.FP32]]:
        l = pl.move(pl.load(a, [0, 0], [16, 32], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)
        r = pl.move(pl.load(b, [0, 0], [32, 16], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
        s = pl.move(pl.load(c, [0, 0], [32, 16], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
        base = pl.matmul(l, r)
        more = pl.matmul_acc(base, l, s)
        y = pl.store(more, [0, 0], y)
        z = pl.store(base, [0, 0], z)
        return y, z

    # v1 and v2 lag one and two rounds behind: v2 is filled first, then v1.
    @pl.function(type=pl.FunctionType.InCore)
    def lag(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 64], pl.FP32], o: pl.Out[pl.Tensor[[8, 64], pl.FP32]]) -> pl.Tensor[[8, 64], pl.FP32]:
        v1 = pl.load(x, [0, 0], [8, 64])
        v2 = pl.load(x, [8, 0], [8, 64])
        for i in pl.range(2, n):
            v = pl.load(x, [i * 8, 0], [8, 64])
            v2 = v1
            v1 = v
        o = pl.store(pl.tile.sub(v1, v2), [0, 0], o)
        return o

    # A circle: one tile goes out of the way.
    @pl.function(type=pl.FunctionType.InCore)
    def swap(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[24, 64], pl.FP32], o: pl.Out[pl.Tensor[[24, 64], pl.FP32]]) -> pl.Tensor[[24, 64], pl.FP32]:
        a = pl.load(x, [0, 0], [8, 64])
        b = pl.load(x, [8, 0], [8, 64])
        c = pl.load(x, [16, 0], [8, 64])
        for i in pl.range(n):
            a, b, c = b, c, a
        o = pl.store(a, [0, 0], o)
        o = pl.store(b, [8, 0], o)
        o = pl.store(c, [16, 0], o)
        return o

    # What the branch takes b's memory for is computed in a copy: with n <= 1, b is x[8:16] behind it, and a is b + 1.
    @pl.function(type=pl.FunctionType.InCore)
    def branch(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], o: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.load(x, [0, 0], [8, 64])
        b = pl.load(x, [8, 0], [8, 64])
        if n > 1:
            a = b
        else:
            a = pl.tile.adds(b, 1.0)
        o = pl.store(a, [0, 0], o)
        o = pl.store(b, [8, 0], o)
        return o
