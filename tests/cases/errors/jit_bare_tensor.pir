import pypto.language as pl

@pl.jit
def main(x: pl.Tensor):
    return x
