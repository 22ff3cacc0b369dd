# Not yet in SSA form: `sheet` is the target and the result of one assemble, so no definition of it is final.
import pypto.language as pl

@pl.program
class Columns:
    @pl.function(type=pl.FunctionType.InCore)
    def double(self, src: pl.Tensor[[16, 64], pl.FP16], dst: pl.Out[pl.Tensor[[16, 64], pl.FP16]]) -> pl.Tensor[[16, 64], pl.FP16]:
        t = pl.load(src, [0, 0], [16, 64])
        u = pl.add(t, t)
        dst_1 = pl.store(u, [0, 0], dst)
        return dst_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def fill(self, src: pl.Tensor[[16, 64], pl.FP16], sheet: pl.Out[pl.Tensor[[16, 192], pl.FP16]]) -> pl.Tensor[[16, 192], pl.FP16]:
        for c in pl.range(0, 192, 64):
            strip: pl.Tensor[[16, 64], pl.FP16] = pl.create_tensor([16, 64], dtype=pl.FP16)
            done = self.double(src, strip)
            sheet = pl.assemble(sheet, done, [0, c])
        return sheet
