# 17 tensors created in one block, one more than one allocation can hold; a last one whose extent the block
# computes stays in its place.  The manual scope's are allocated before it, so the task after it finds them.
import pypto.language as pl

N = pl.dynamic("N")


@pl.program
class Creates:
    @pl.function(type=pl.FunctionType.AIV)
    def copy(self, a: pl.Tensor[[64], pl.FP32], out: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.AIV)
    def fill(self, a: pl.Tensor[[64], pl.FP32], out: pl.Out[pl.Tensor[[N], pl.FP32]]) -> pl.Tensor[[N], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(
        self, a: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[64], pl.FP32]]
    ) -> pl.Tensor[[64], pl.FP32]:
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            m: pl.Scalar[pl.INDEX] = n * 2
            late: pl.Tensor[[m], pl.FP32] = pl.create_tensor([m], dtype=pl.FP32)
            x0: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x1: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x2: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x3: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x4: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x5: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x6: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x7: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x8: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x9: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x10: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x11: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x12: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x13: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x14: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x15: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            x16: pl.Tensor[[64], pl.FP32] = pl.create_tensor([64], dtype=pl.FP32)
            y0, t0 = pl.submit(self.copy, a, x0)
            y15, t15 = pl.submit(self.copy, y0, x15, deps=[t0])
            y16, t16 = pl.submit(self.copy, y15, x16, deps=[t15])
            z, t = pl.submit(self.fill, y16, late, deps=[t16])
        out_1, _ = pl.submit(self.copy, y16, out)
        return out_1
