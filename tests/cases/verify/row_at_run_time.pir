# Rows of some columns of a tile, chosen at run time: their references name all of the allocation, but they see no
# more than the columns, so that what lies in front of these may be written again.
import pypto.language as pl


@pl.program
class Rows:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[16, 512], pl.FP32], order: pl.Tensor[[16, 64], pl.INT32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            whole = x[0:16, 0:512]
            doubled = pl.add(whole, whole)
            columns = doubled[0:16, 448:512]
            swapped = pl.gather(columns, dim=-1, index=order)
            both = pl.add(columns, swapped)
            y = pl.assemble(y, both, [0, 0])
        return y
