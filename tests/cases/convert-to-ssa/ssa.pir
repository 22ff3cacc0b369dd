import pypto.language as pl


@pl.program
class Carry:
    @pl.function
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[32, 32], pl.FP32]) -> pl.Tensor[[32, 32], pl.FP32]:
        y = pl.add(x, 1.0)
        k: pl.Scalar[pl.INDEX] = 0
        for i in pl.range(n):
            if i > 3:
                y = pl.mul(y, 2.0)
            else:
                k = k + i
            z = pl.sub(y, x)
            y = z
        while k < 10:
            k = k * 2 + 1
        if k == 11:
            y = pl.add(y, x)
        return y
