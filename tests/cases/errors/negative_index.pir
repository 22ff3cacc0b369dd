import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def slice(self, x: pl.Tensor[[64, 64], pl.FP32]):
        a = x[0:-1, 0:4]
        return x

    @pl.function(type=pl.FunctionType.InCore)
    def element(self, x: pl.Tensor[[64, 64], pl.FP32]):
        a = x[-1, 0]
        return x

    @pl.function(type=pl.FunctionType.Orchestration)
    def array(self, n: pl.Scalar[pl.INT32]):
        a = pl.array.create(4, pl.INT32)
        a[-1] = n
        return
