import pypto.language as pl

@pl.jit.inline
def more(x: pl.Tensor[[4], pl.FP32]):
    return more(x)

@pl.jit
def main(x: pl.Tensor[[4], pl.FP32]):
    return more(x)
