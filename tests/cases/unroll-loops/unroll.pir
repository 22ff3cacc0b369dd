import pypto.language as pl


@pl.program
class Unroll:
    @pl.function
    def main(self, x: pl.Tensor[[8, 64], pl.FP32]) -> pl.Tensor[[8, 64], pl.FP32]:
        y = x
        for i in pl.unroll(6, 0, -2):
            for j in pl.unroll(2):
                y = pl.add(y, 1.0)
            t = pl.slice(x, [1, 64], [i, 0])
            y = pl.assemble(y, t, [i - 1, 0])
        return y
