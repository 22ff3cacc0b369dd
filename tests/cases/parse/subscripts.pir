import pypto.language as pl

@pl.program
class Subscripts:
    @pl.function
    def main(self, a: pl.Tensor[[16, 32, 64], pl.FP32], c: pl.InOut[pl.Tensor[[16, 64], pl.FP32]], i: pl.Scalar[pl.INDEX]):
        plane = a[i]
        row = a[2, 3]
        block = a[0:8, i, 16:48]
        tail = a[15, :, :8]
        one = c[1, 2]
        first = a[1:3][0]
        c[i] = row
        c[0:8, 32:] = c[8:16, :32]
        ids = pl.array.create(4, dtype=pl.INT32)
        ids[2] = pl.cast(i, pl.INT32)
        n = ids[2]
        return plane
