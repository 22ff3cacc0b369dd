import pypto.language as pl


@pl.program
class Unused:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[16, 64], pl.FP32], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 64])
        u = pl.mul(t, 2.0)
        _ = pl.mul(t, 3.0)
        stored = pl.store(t, [0, 0], out)
        return out
