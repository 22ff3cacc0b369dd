import pypto.language as pl
@pl.program
class CarriedProduct:
    @pl.function
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], y: pl.Tensor[[16, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[16, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            s = pl.matmul(y, w, out_dtype=pl.FP32)
            for i in pl.range(n):
                s = pl.add(s, 1.0)
        return s
