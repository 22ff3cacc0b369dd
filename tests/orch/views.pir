# Views of the arguments, a dynamic extent, branches, and values read and computed on the way.
import pypto.language as pl

ROWS = pl.dynamic("ROWS")


@pl.program
class Views:
    @pl.function(type=pl.FunctionType.InCore)
    def copy(
        self, a: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        out = pl.store(pl.load(a, [0, 0], [16, 16]), [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[ROWS, 16], pl.FP32],
        picks: pl.Tensor[[8], pl.INT32],
        out: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        for i in pl.range(0, ROWS, 16):
            part: pl.Tensor[[16, 16], pl.FP32] = pl.slice(a, [16, 16], [i, 0])
            pick: pl.Scalar[pl.INT32] = pl.read(picks, [i // 16])
            if pick > 0:
                out = self.copy(part, out)
            else:
                tmp: pl.Tensor[[16, 16], pl.FP32] = pl.create_tensor([16, 16], dtype=pl.FP32)
                tmp = self.copy(part, tmp)
                out = self.copy(tmp, out)
        return out
