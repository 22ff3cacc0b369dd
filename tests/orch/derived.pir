# pypto.program: Derived
import pypto.language as pl

@pl.program
class Derived:
    @pl.function(type=pl.FunctionType.AIV)
    def write(a: pl.Tensor[[64], pl.FP32], out: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return out
    @pl.function(type=pl.FunctionType.AIV)
    def add(a: pl.Tensor[[64], pl.FP32], out: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return out
    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(self, a: pl.Tensor[[64], pl.FP32], b: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64], pl.FP32]:
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            # A plain call's id, kept where later scopes find it.
            first__ssa_v0: pl.Tensor[[64], pl.FP32] = self.write(a, b, attrs={"arg_directions": [pl.adir.input, pl.adir.output_existing]})
            for i, (x__iter_v1,) in pl.parallel(3, init_values=(first__ssa_v0,), attrs={"iter_arg_rebind_0": False}):
                x__ssa_v1: pl.Tensor[[64], pl.FP32] = self.add(a, x__iter_v1, attrs={"arg_directions": [pl.adir.input, pl.adir.inout], "compiler_manual_dep_edges": [first__ssa_v0]})
                x__rv_v2: pl.Tensor[[64], pl.FP32] = pl.yield_(x__ssa_v1)
            # Three ids for four tasks each time: a barrier.
            for j in pl.range(4):
                _u: pl.Tensor[[64], pl.FP32] = self.write(a, a, attrs={"arg_directions": [pl.adir.no_dep, pl.adir.output_existing], "compiler_manual_dep_edges": [x__rv_v2]})
            # As many ids as the run wants.
            for k, (y__iter_v1,) in pl.parallel(n, init_values=(b,), attrs={"iter_arg_rebind_0": False}):
                y__ssa_v1: pl.Tensor[[64], pl.FP32] = self.add(a, y__iter_v1, attrs={"arg_directions": [pl.adir.input, pl.adir.inout]})
                y__rv_v2: pl.Tensor[[64], pl.FP32] = pl.yield_(y__ssa_v1)
            last: pl.Tensor[[64], pl.FP32] = self.write(b, a, attrs={"arg_directions": [pl.adir.input, pl.adir.output_existing], "compiler_manual_dep_edges": [y__rv_v2]})
            return last
