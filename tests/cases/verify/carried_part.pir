# Only a part of what is yielded is valid.
import pypto.language as pl


@pl.program
class Part:
    @pl.function(type=pl.FunctionType.InCore)
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        first = pl.load(a, [0, 0], [32, 64])
        for i, (x,) in pl.range(4, init_values=(first,)):
            part = pl.load(a, [0, 0], [32, 64], [20, 64])
            x = pl.yield_(part)
        out = pl.store(x, [0, 0], out)
        return out
