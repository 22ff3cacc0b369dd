%once
import pypto.language as pl

@pl.program
class Bench:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[4096, 64], pl.FP32], y: pl.Tensor[[4096, 64], pl.FP32], z: pl.Out[pl.Tensor[[4096, 64], pl.FP32]]) -> pl.Tensor[[4096, 64], pl.FP32]:
%each 49
        for i{k} in pl.range(0, 256, 16):
            a0_{k} = pl.load(x, [i{k}, 0], [16, 64])
            b0_{k} = pl.load(y, [i{k}, 0], [16, 64])
            c0_{k} = pl.add(a0_{k}, b0_{k})
            d0_{k} = pl.mul(c0_{k}, 0.5)
            e0_{k} = pl.exp(d0_{k})
            f0_{k} = pl.sub(e0_{k}, a0_{k})
            g0_{k} = pl.maximum(f0_{k}, b0_{k})
            z = pl.store(g0_{k}, [i{k}, 0], z)
            a1_{k} = pl.load(x, [i{k}, 0], [16, 64])
            b1_{k} = pl.load(y, [i{k}, 0], [16, 64])
            c1_{k} = pl.add(a1_{k}, b1_{k})
            d1_{k} = pl.mul(c1_{k}, 0.5)
            e1_{k} = pl.exp(d1_{k})
            f1_{k} = pl.sub(e1_{k}, a1_{k})
            g1_{k} = pl.maximum(f1_{k}, b1_{k})
            z = pl.store(g1_{k}, [i{k}, 0], z)
            a2_{k} = pl.load(x, [i{k}, 0], [16, 64])
            b2_{k} = pl.load(y, [i{k}, 0], [16, 64])
            c2_{k} = pl.add(a2_{k}, b2_{k})
            d2_{k} = pl.mul(c2_{k}, 0.5)
            e2_{k} = pl.exp(d2_{k})
            f2_{k} = pl.sub(e2_{k}, a2_{k})
            g2_{k} = pl.maximum(f2_{k}, b2_{k})
            z = pl.store(g2_{k}, [i{k}, 0], z)
            a3_{k} = pl.load(x, [i{k}, 0], [16, 64])
            b3_{k} = pl.load(y, [i{k}, 0], [16, 64])
            c3_{k} = pl.add(a3_{k}, b3_{k})
            d3_{k} = pl.mul(c3_{k}, 0.5)
            e3_{k} = pl.exp(d3_{k})
            f3_{k} = pl.sub(e3_{k}, a3_{k})
            g3_{k} = pl.maximum(f3_{k}, b3_{k})
            z = pl.store(g3_{k}, [i{k}, 0], z)
            a4_{k} = pl.load(x, [i{k}, 0], [16, 64])
            b4_{k} = pl.load(y, [i{k}, 0], [16, 64])
            c4_{k} = pl.add(a4_{k}, b4_{k})
            d4_{k} = pl.mul(c4_{k}, 0.5)
            e4_{k} = pl.exp(d4_{k})
            f4_{k} = pl.sub(e4_{k}, a4_{k})
            g4_{k} = pl.maximum(f4_{k}, b4_{k})
            z = pl.store(g4_{k}, [i{k}, 0], z)
            a5_{k} = pl.load(x, [i{k}, 0], [16, 64])
            b5_{k} = pl.load(y, [i{k}, 0], [16, 64])
            c5_{k} = pl.add(a5_{k}, b5_{k})
            d5_{k} = pl.mul(c5_{k}, 0.5)
            e5_{k} = pl.exp(d5_{k})
            f5_{k} = pl.sub(e5_{k}, a5_{k})
            g5_{k} = pl.maximum(f5_{k}, b5_{k})
            z = pl.store(g5_{k}, [i{k}, 0], z)
%once
        return z

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[4096, 64], pl.FP32], y: pl.Tensor[[4096, 64], pl.FP32], z: pl.Out[pl.Tensor[[4096, 64], pl.FP32]]) -> pl.Tensor[[4096, 64], pl.FP32]:
        z = self.kernel(x, y, z)
        return z
