import pypto.language as pl

@pl.jit
def one(x: pl.Tensor[[4], pl.FP32]):
    return x

@pl.jit
def two(x: pl.Tensor[[4], pl.FP32]):
    return x
