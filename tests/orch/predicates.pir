# Launches that depend on an element: the tensor's element is what is compared, on whichever side it stands.
import pypto.language as pl


@pl.program
class Predicates:
    @pl.function(type=pl.FunctionType.AIV)
    def copy(self, a: pl.Tensor[[64], pl.FP32], out: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(
        self, a: pl.Tensor[[64], pl.FP32], flags: pl.Tensor[[4, 8], pl.INT32], out: pl.Out[pl.Tensor[[64], pl.FP32]]
    ) -> pl.Tensor[[64], pl.FP32]:
        with pl.scope():
            l0, _l0 = pl.submit(self.copy, a, out, predicate=(flags[0, 0] == -2))
            l1, _l1 = pl.submit(self.copy, a, out, predicate=(flags[1, 1] != -1))
            l2, _l2 = pl.submit(self.copy, a, out, predicate=(flags[2, 2] > 0))
            l3, _l3 = pl.submit(self.copy, a, out, predicate=(flags[3, 3] < 1))
            l4, _l4 = pl.submit(self.copy, a, out, predicate=(flags[0, 4] >= 2))
            l5, _l5 = pl.submit(self.copy, a, out, predicate=(flags[1, 5] <= 3))
            r0, _r0 = pl.submit(self.copy, a, out, predicate=(-2 == flags[0, 0]))
            r1, _r1 = pl.submit(self.copy, a, out, predicate=(-1 != flags[1, 1]))
            r2, _r2 = pl.submit(self.copy, a, out, predicate=(0 > flags[2, 2]))
            r3, _r3 = pl.submit(self.copy, a, out, predicate=(1 < flags[3, 3]))
            r4, _r4 = pl.submit(self.copy, a, out, predicate=(2 >= flags[0, 4]))
            r5, _r5 = pl.submit(self.copy, a, out, predicate=(3 <= flags[1, 5]))
        return out
