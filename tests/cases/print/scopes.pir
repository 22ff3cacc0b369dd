import pypto.language as pl

@pl.program
class Scopes:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [64, 64])
        y = pl.store(t, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], z: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.manual_scope():
            y, tid = pl.submit(self.k, x, y)
            z, tid2 = pl.submit(self.k, y, z, deps=[tid], allow_early_resolve=True)
        for b in pl.spmd(4, name_hint="rows"):
            r = pl.slice(x, [16, 64], [b * 16, 0])
            y = pl.assemble(y, pl.add(r, 1.0), [b * 16, 0])
        with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN)], name_hint="one"):
            y = pl.assemble(y, pl.exp(x), [0, 0])
        return y
