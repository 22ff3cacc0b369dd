# Dependencies derived from the directions: rows in parallel, then a sum over them in order.
import pypto.language as pl


@pl.program
class Auto:
    @pl.function(type=pl.FunctionType.InCore)
    def row(
        self,
        data: pl.Tensor[[64, 16], pl.FP32],
        at: pl.Scalar[pl.INDEX],
        out: pl.Out[pl.Tensor[[64, 16], pl.FP32]],
    ) -> pl.Tensor[[64, 16], pl.FP32]:
        t = pl.load(data, [at, 0], [16, 16])
        out = pl.store(pl.exp(t), [at, 0], out)
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def add(
        self,
        rows: pl.Tensor[[64, 16], pl.FP32],
        at: pl.Scalar[pl.INDEX],
        total: pl.InOut[pl.Tensor[[16, 16], pl.FP32]],
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        t = pl.add(pl.load(rows, [at, 0], [16, 16]), pl.load(total, [0, 0], [16, 16]))
        total = pl.store(t, [0, 0], total)
        return total

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, data: pl.Tensor[[64, 16], pl.FP32], total: pl.InOut[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        rows = pl.create_tensor([64, 16], dtype=pl.FP32)
        for i in pl.parallel(2):
            at = i * 16
            rows = self.row(data, at, rows)
        for k in pl.range(2):
            row = k * 16
            total = self.add(rows, row, total)
        rows = self.row(data, 0, rows)
        return total
