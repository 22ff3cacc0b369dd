# The smallest whole program: one vector kernel and the orchestration that launches it.
import pypto.language as pl


@pl.program
class VectorAdd:
    @pl.function(type=pl.FunctionType.InCore)
    def add_kernel(
        self,
        a: pl.Tensor[[64, 128], pl.FP32],
        b: pl.Tensor[[64, 128], pl.FP32],
        c: pl.Out[pl.Tensor[[64, 128], pl.FP32]],
    ) -> pl.Tensor[[64, 128], pl.FP32]:
        a_tile = pl.load(a, [0, 0], [64, 128])
        b_tile = pl.load(b, [0, 0], [64, 128])
        c_tile = pl.add(a_tile, b_tile)
        out = pl.store(c_tile, [0, 0], c)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[64, 128], pl.FP32],
        b: pl.Tensor[[64, 128], pl.FP32],
        c: pl.Out[pl.Tensor[[64, 128], pl.FP32]],
    ) -> pl.Tensor[[64, 128], pl.FP32]:
        c = self.add_kernel(a, b, c)
        return c
