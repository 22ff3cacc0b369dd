%once
import pypto.language as pl

@pl.program
class Bench:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[4, 4096, 64], pl.FP32], y: pl.Tensor[[4096, 64], pl.INT32], z: pl.Out[pl.Tensor[[4096, 64], pl.FP32]]) -> pl.Tensor[[4096, 64], pl.FP32]:
%each 10
        a{k} = pl.load(x, [0, {k%256*16}, 0], [2, 16, 64])
        b{k} = pl.mul(a{k}, 0.5)
        c{k} = pl.reshape(b{k}, [32, 64])
        d{k} = pl.slice(c{k}, [16, 64], [16, 0])
        e{k} = pl.load(y, [{k%256*16}, 0], [16, 64])
        f{k} = pl.cast(e{k}, pl.BF16)
        g{k} = pl.cast(f{k}, pl.FP32)
        h{k} = pl.sin(g{k})
        j{k} = pl.add(h{k}, d{k})
        z = pl.store(j{k}, [{k%256*16}, 0], z)
%once
        return z

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[4, 4096, 64], pl.FP32], y: pl.Tensor[[4096, 64], pl.INT32], z: pl.Out[pl.Tensor[[4096, 64], pl.FP32]]) -> pl.Tensor[[4096, 64], pl.FP32]:
        z = self.kernel(x, y, z)
        return z
