import pypto.language as pl

@pl.program
class Scopes:
    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(self, a: pl.Tensor[[256, 64], pl.FP32], out: pl.Out[pl.Tensor[[256, 64], pl.FP32]]):
        # The first stage.
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="first", optimizations=[pl.split(pl.SplitMode.UP_DOWN)]):
            x = pl.mul(a, 2.0)
        # The second
        # stage.
        for block in pl.spmd(4, name_hint="second"):
            part = pl.slice(x, [64, 64], [block * 64, 0])
            out = pl.assemble(out, part, [block * 64, 0])
        with pl.scope():
            y = pl.add(out, a)
        return y
