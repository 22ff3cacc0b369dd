# A mixed kernel, an spmd launch and a plain vector kernel in one orchestration.
import pypto.language as pl


@pl.program
class Mixed:
    @pl.function(type=pl.FunctionType.AIC)
    def cube_part(
        self, a: pl.Tensor[[16, 16], pl.FP32], b: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.AIV)
    def vector_part(
        self, a: pl.Tensor[[16, 16], pl.FP32], b: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.Group)
    def both(
        self, a: pl.Tensor[[16, 16], pl.FP32], b: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        self.cube_part(a, b, out)
        out = self.vector_part(a, b, out)
        return out

    @pl.function(type=pl.FunctionType.Spmd)
    def many(
        self, x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        out = self.vector_part(x, x, out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(
        self, a: pl.Tensor[[16, 16], pl.FP32], b: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        with pl.scope():
            tmp: pl.Tensor[[16, 16], pl.FP32] = pl.create_tensor([16, 16], dtype=pl.FP32)
            tmp_1: pl.Tensor[[16, 16], pl.FP32] = self.both(a, b, tmp)
            tmp_2, tid = pl.spmd_submit(self.many, tmp_1, tmp, core_num=8, sync_start=True)
            out_1, _ = pl.submit(self.vector_part, tmp_2, b, out, deps=[tid], allow_early_resolve=True)
        return out
