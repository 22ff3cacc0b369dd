import pypto.language as pl

@pl.jit.kernel
def main(x: pl.Tensor[[4], pl.FP32]):
    return x
