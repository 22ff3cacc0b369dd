# Tensors with a dynamic dimension, and with views of their own.
import pypto.language as pl

N = pl.dynamic("N")


@pl.program
class Dynamic:
    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def stripe(self, x: pl.Tensor[[N, 64], pl.FP32], row: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[N, 64], pl.FP32]]) -> pl.Tensor[[N, 64], pl.FP32]:
        t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [row, 0], [16, 64], [16, 64])
        y_1: pl.Tensor[[N, 64], pl.FP32] = pl.tile.store(t, [row, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def fixed(self, x: pl.Tensor[[64, N], pl.FP32], y: pl.Out[pl.Tensor[[64, N], pl.FP32]]) -> pl.Tensor[[64, N], pl.FP32]:
        t: pl.Tile[[64, 16], pl.FP32] = pl.tile.load(x, [0, 16], [64, 16], [64, 16])
        y_1: pl.Tensor[[64, N], pl.FP32] = pl.tile.store(t, [0, 16], y)
        return y_1

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def columns(self, x: pl.Tensor[[16, N], pl.FP32], col: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[16, N], pl.FP32]]) -> pl.Tensor[[16, N], pl.FP32]:
        t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [0, col], [16, 64], [16, 64])
        y_1: pl.Tensor[[16, N], pl.FP32] = pl.tile.store(t, [0, col], y)
        return y_1

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def turned(self, x: pl.Tensor[[64, 64], pl.FP32, pl.TensorView(stride=[1, 64], layout=pl.TensorLayout.DN)], row: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[64, 64], pl.FP32, pl.TensorView(stride=[128, 1], layout=pl.TensorLayout.ND)]]) -> pl.Tensor[[64, 64], pl.FP32, pl.TensorView(stride=[128, 1], layout=pl.TensorLayout.ND)]:
        t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [row, 0], [16, 64], [16, 64])
        y_1: pl.Tensor[[64, 64], pl.FP32, pl.TensorView(stride=[128, 1], layout=pl.TensorLayout.ND)] = pl.tile.store(t, [row, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def at_a_scalar(self, a: pl.Tensor[[N, 64], pl.FP32], n: pl.Scalar[pl.INDEX], b: pl.Out[pl.Tensor[[N, 64], pl.FP32]]) -> pl.Tensor[[N, 64], pl.FP32]:
        b_1: pl.Tensor[[N, 64], pl.FP32] = self.stripe(a, n * 16, b)
        return b_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def at_a_constant(self, a: pl.Tensor[[N, 64], pl.FP32], b: pl.Out[pl.Tensor[[N, 64], pl.FP32]]) -> pl.Tensor[[N, 64], pl.FP32]:
        b_1: pl.Tensor[[N, 64], pl.FP32] = self.stripe(a, 16, b)
        return b_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def in_loops(self, a: pl.Tensor[[N, 64], pl.FP32], n: pl.Scalar[pl.INDEX], b: pl.Out[pl.Tensor[[N, 64], pl.FP32]]) -> pl.Tensor[[N, 64], pl.FP32]:
        for i, (b_i,) in pl.range(4, init_values=(b,)):
            r: pl.Tensor[[N, 64], pl.FP32] = self.stripe(a, i * 16, b_i)
            b_1: pl.Tensor[[N, 64], pl.FP32] = pl.yield_(r)
        for k, (b_k,) in pl.range(n, init_values=(b_1,)):
            s: pl.Tensor[[N, 64], pl.FP32] = self.stripe(a, k * 16, b_k)
            b_2: pl.Tensor[[N, 64], pl.FP32] = pl.yield_(s)
        return b_2

    @pl.function(type=pl.FunctionType.Orchestration)
    def others(self, a: pl.Tensor[[64, N], pl.FP32], b: pl.Out[pl.Tensor[[64, N], pl.FP32]], c: pl.Tensor[[16, N], pl.FP32], d: pl.Out[pl.Tensor[[16, N], pl.FP32]], n: pl.Scalar[pl.INDEX]) -> tuple[pl.Tensor[[64, N], pl.FP32], pl.Tensor[[16, N], pl.FP32]]:
        b_1: pl.Tensor[[64, N], pl.FP32] = self.fixed(a, b)
        d_1: pl.Tensor[[16, N], pl.FP32] = self.columns(c, n, d)
        return b_1, d_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def views(self, a: pl.Tensor[[64, 64], pl.FP32, pl.TensorView(stride=[1, 64], layout=pl.TensorLayout.DN)], b: pl.Out[pl.Tensor[[64, 64], pl.FP32, pl.TensorView(stride=[128, 1], layout=pl.TensorLayout.ND)]]) -> pl.Tensor[[64, 64], pl.FP32]:
        b_1: pl.Tensor[[64, 64], pl.FP32, pl.TensorView(stride=[128, 1], layout=pl.TensorLayout.ND)] = self.turned(a, 16, b)
        return b_1
