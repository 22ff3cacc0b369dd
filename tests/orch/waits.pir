# Derived dependencies: windows that do not meet, tasks in branches, a buffer that is only read.
import pypto.language as pl


@pl.program
class Waits:
    @pl.function(type=pl.FunctionType.InCore)
    def half(
        self, a: pl.Tensor[[32, 64], pl.FP32], out: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        t = pl.add(pl.load(a, [0, 0], [32, 64]), pl.load(out, [0, 0], [32, 64]))
        out = pl.store(t, [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def whole(
        self, a: pl.Tensor[[32, 64], pl.FP32], out: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.add(pl.load(a, [0, 0], [32, 64]), pl.load(out, [32, 0], [32, 64]))
        out = pl.store(t, [32, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[32, 64], pl.FP32],
        b: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
        n: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        top = b[0:32, :]
        low = b[32:64, :]
        top = self.half(a, top)
        low = self.half(a, low)
        if n > 0:
            top = self.half(a, top)
        else:
            low = self.half(a, low)
        top = self.half(a, top)
        b = self.whole(a, b)
        for i in pl.range(3):
            b = self.whole(a, b)
        return b
