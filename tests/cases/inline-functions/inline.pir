import pypto.language as pl


@pl.program
class Inlined:
    @pl.function(type=pl.FunctionType.Inline)
    def square(self, a: pl.Tensor[[16, 16], pl.FP32]) -> pl.Tensor[[16, 16], pl.FP32]:
        s = pl.mul(a, a)
        return s

    @pl.function(type=pl.FunctionType.Inline)
    def both(
        self, a: pl.Tensor[[16, 16], pl.FP32]
    ) -> tuple[pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[16, 16], pl.FP32]]:
        s = self.square(a)
        t = pl.add(s, a)
        return s, t

    @pl.function
    def main(self, x: pl.Tensor[[16, 16], pl.FP32]) -> pl.Tensor[[16, 16], pl.FP32]:
        p, q = self.both(x)
        r = self.square(q)
        return pl.add(p, r)
