# Derived dependencies over scopes of the user's own: the runtime still tracks, but less.
import pypto.language as pl


@pl.program
class Scoped:
    @pl.function(type=pl.FunctionType.InCore)
    def add(
        self, a: pl.Tensor[[32, 64], pl.FP32], out: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        t = pl.add(pl.load(a, [0, 0], [32, 64]), pl.load(out, [0, 0], [32, 64]))
        out = pl.store(t, [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(
        self, a: pl.InOut[pl.Tensor[[32, 64], pl.FP32]], b: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        with pl.scope():
            with pl.scope():
                b1 = self.add(a, b)
            for i, (c__iter_v1,) in pl.range(2, init_values=(b1,)):
                c__ssa_v2 = self.add(a, c__iter_v1)
                c__rv_v3 = pl.yield_(c__ssa_v2)
            with pl.scope():
                a1 = self.add(c__rv_v3, a)
        return a1
