import pypto.language as pl


@pl.program
class Outlined:
    @pl.function
    def main(
        self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="twice"):
            y = pl.add(x, x)
        with pl.cluster():
            with pl.at(level=pl.Level.CORE_GROUP):
                z = pl.mul(y, x)
        for b in pl.spmd(4, name_hint="rows"):
            t = pl.load(z, [b * 16, 0], [16, 64])
            out = pl.store(t, [b * 16, 0], out)
        return out
