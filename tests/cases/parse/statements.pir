import pypto.language as pl

@pl.program
class Statements:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[8, 8], pl.FP32], n: pl.Scalar[pl.INDEX]):
        pl.static_assert(2 * 4 == 8, "arithmetic works")
        x: pl.Tensor[[8, 8], pl.FP32] = pl.add(a, a)
        x = pl.mul(x, 3.0)
        t, u = x, n + 1
        if n > 3:
            z = pl.add(x, 1.0)
        elif n > 2:
            z = pl.sub(x, 1.0)
        else:
            z = x
            pass
        pl.dump_tag(z)
        return z, u
