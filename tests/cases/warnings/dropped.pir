import pypto.language as pl


@pl.program
class Dropped:
    @pl.function
    def main(
        self, x: pl.Tensor[[16, 64], pl.FP32], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            out = pl.mul(x, 2.0)
        return out
