"""Functions beside each other: the one with @pl.jit is the program's entry."""
import torch
import pypto.language as pl

ROWS = 64

@pl.jit.incore
def scale(x: pl.Tensor[[ROWS, 32], pl.FP32], factor: pl.Scalar[pl.FP32],
          out: pl.Out[pl.Tensor[[ROWS, 32], pl.FP32]]):
    M, N = x.shape
    x = pl.load(x, [0, 0], [M, N])
    out = pl.store(pl.mul(x, factor), [0, 0], out)
    return out

@pl.jit.inline
def twice(x: pl.Tensor[[ROWS, 32], pl.FP32]):
    k = x.shape[0]
    return pl.reshape(pl.add(x, x), [k // 2, 2 * x.shape[1]])

@pl.jit(auto_scope=False)
def main(a: pl.Tensor[[ROWS, 32], pl.FP32], out: pl.Out[pl.Tensor[[ROWS, 32], pl.FP32]]):
    zero = pl.create_tensor([ROWS, 32], dtype=a.dtype)
    with pl.scope():
        wide = twice(a)
        scaled = scale(a, out=out, factor=2.0)
    with pl.manual_scope():
        again, tid = pl.submit(scale, scaled, 3.0, out)
    return again

if __name__ == "__main__":
    main(torch.randn(ROWS, 32), torch.empty(ROWS, 32))
