# Two kernels through a buffer of the orchestration's own, then a loop that adds up in place.
import pypto.language as pl


@pl.program
class Chain:
    @pl.function(type=pl.FunctionType.InCore)
    def twice(
        self, a: pl.Tensor[[32, 64], pl.FP32], out: pl.Out[pl.Tensor[[32, 64], pl.FP32]]
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        t = pl.load(a, [0, 0], [32, 64])
        out = pl.store(pl.add(t, t), [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def accumulate(
        self,
        a: pl.Tensor[[32, 64], pl.FP32],
        weight: pl.Scalar[pl.FP32],
        total: pl.InOut[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        t = pl.mul(pl.load(a, [0, 0], [32, 64]), weight)
        s = pl.load(total, [0, 0], [32, 64])
        total = pl.store(pl.add(s, t), [0, 0], total)
        return total

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[32, 64], pl.FP32],
        weight: pl.Scalar[pl.FP32],
        total: pl.InOut[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        scratch: pl.Tensor[[32, 64], pl.FP32] = pl.create_tensor([32, 64], dtype=pl.FP32)
        scratch = self.twice(a, scratch)
        for i in pl.range(3):
            total = self.accumulate(scratch, weight, total)
        scratch = self.twice(total, scratch)
        total = self.accumulate(scratch, 0.5, total)
        return total
