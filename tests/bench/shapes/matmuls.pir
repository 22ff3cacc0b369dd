%once
import pypto.language as pl

@pl.program
class Bench:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[4096, 256], pl.BF16], y: pl.Tensor[[256, 4096], pl.BF16], z: pl.Out[pl.Tensor[[4096, 4096], pl.FP32]]) -> pl.Tensor[[4096, 4096], pl.FP32]:
%each 4
        a{k} = pl.load(x, [{k%32*128}, 0], [128, 256], target_memory=pl.Mem.Mat)
        b{k} = pl.load(y, [0, {k%32*128}], [256, 128], target_memory=pl.Mem.Mat)
        c{k} = pl.matmul(a{k}, b{k})
        z = pl.store(c{k}, [{k%32*128}, {k/32%32*128}], z)
%once
        return z

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[4096, 256], pl.BF16], y: pl.Tensor[[256, 4096], pl.BF16], z: pl.Out[pl.Tensor[[4096, 4096], pl.FP32]]) -> pl.Tensor[[4096, 4096], pl.FP32]:
        z = self.kernel(x, y, z)
        return z
