# Names tell level and role; what is read goes in, what is used afterwards comes out; a scope of level CORE_GROUP stays.
import pypto.language as pl


@pl.program
class Levels:
    @pl.function
    def main(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Tensor[[16, 16], pl.FP32]) -> pl.Tensor[[16, 16], pl.FP32]:
        with pl.at(level=pl.Level.HOST):
            a: pl.Tensor[[16, 16], pl.FP32] = pl.tensor.adds(y, 1.0)
            b: pl.Tensor[[16, 16], pl.FP32] = pl.tensor.add(a, x)
        with pl.at(level=pl.Level.CHIP, role=pl.Role.Orchestrator):
            c: pl.Tensor[[16, 16], pl.FP32] = pl.tensor.muls(b, 2.0)
        with pl.at(level=pl.Level.CORE_GROUP):
            d: pl.Tensor[[16, 16], pl.FP32] = pl.tensor.adds(c, 3.0)
        return d
