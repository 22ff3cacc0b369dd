import pypto.language as pl


@pl.program
class Simple:
    @pl.function
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Scalar[pl.INDEX]:
        a = (n + 4) * 2 - n * 2 - 8
        for i in pl.range(0, 8):
            if i < 8:
                n = n + i // 16
            else:
                n = n * 3
        for j in pl.range(5, 5):
            n = n - j
        b = pl.min(n, n + 1) + a
        return b
