import pypto.language as pl

# What the first loop sums up is needed again, but it cannot be copied, and it would take the loop to compute it again.
@pl.program
class KeptAccumulator:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, a: pl.Tensor[[16, 32], pl.FP16], b: pl.Tensor[[32, 16], pl.FP16], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]], z: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tuple[pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[16, 16], pl.FP32]]:
        l = pl.move(pl.load(a, [0, 0], [16, 32], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)
        r = pl.move(pl.load(b, [0, 0], [32, 16], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
        t = pl.matmul(l, r)
        for i in pl.range(3):
            t = pl.matmul_acc(t, l, r)
        u = pl.matmul_acc(t, l, r)
        y = pl.store(u, [0, 0], y)
        z = pl.store(t, [0, 0], z)
        return y, z
