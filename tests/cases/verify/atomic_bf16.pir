import pypto.language as pl


@pl.program
class Atomic:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[16, 64], pl.BF16], out: pl.InOut[pl.Tensor[[16, 64], pl.BF16]]
    ) -> pl.Tensor[[16, 64], pl.BF16]:
        t = pl.load(x, [0, 0], [16, 64])
        out = pl.store(t, [0, 0], out, atomic=pl.AtomicType.Add)
        return out
