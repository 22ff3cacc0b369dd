%once
import pypto.language as pl

@pl.program
class Bench:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[4096, 64], pl.FP32], y: pl.Tensor[[4096, 64], pl.FP32], z: pl.Out[pl.Tensor[[4096, 64], pl.FP32]]) -> pl.Tensor[[4096, 64], pl.FP32]:
%each 8
        a{k} = pl.load(x, [{k%256*16}, 0], [16, 64])
        b{k} = pl.load(y, [{k%256*16}, 0], [16, 64])
        c{k} = pl.add(a{k}, b{k})
        d{k} = pl.mul(c{k}, 0.5)
        e{k} = pl.exp(d{k})
        f{k} = pl.sub(e{k}, a{k})
        g{k} = pl.maximum(f{k}, b{k})
        z = pl.store(g{k}, [{k%256*16}, 0], z)
%once
        return z

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[4096, 64], pl.FP32], y: pl.Tensor[[4096, 64], pl.FP32], z: pl.Out[pl.Tensor[[4096, 64], pl.FP32]]) -> pl.Tensor[[4096, 64], pl.FP32]:
        z = self.kernel(x, y, z)
        return z
