#!/bin/sh
# What a chip gives back to the host is the tensor that it says, also where its `->` is left out and where it
# writes more than it returns.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/passed.pir" <<'P'
import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class Passed:
    @pl.function(type=pl.FunctionType.InCore)
    def more(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        y = pl.store(pl.add(pl.load(x, [0, 0], [16, 64]), 1.0), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def plain(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        y = self.more(x, y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def second(self, x: pl.Tensor[[16, 64], pl.FP32], a: pl.Out[pl.Tensor[[16, 64], pl.FP32]], b: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = self.more(x, a)
        b = self.more(a, b)
        return b

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[16, 64], pl.FP32], m: pl.Out[pl.Tensor[[16, 64], pl.FP32]], k: pl.Out[pl.Tensor[[16, 64], pl.FP32]], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]], q: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        m = self.plain(x, m, device=0)
        r = self.second(m, k, y, device=0)
        s = self.plain(r, q, device=0)
        return s
P
"$PYPTOC" "$dir/passed.pir" --output-dir="$dir/out"
host=$dir/out/orchestration/host_orch.py
# Every tensor that is read was given to the host or bound to one that was.
given=" x__ssa_v0 m__ssa_v0 k__ssa_v0 y__ssa_v0 q__ssa_v0 "
grep -o 'tensors\["[a-z_0-9]*"\].*' "$host" | while read -r line; do
  to=$(echo "$line" | sed -n 's/^tensors\["\([a-z_0-9]*\)"\] = .*/\1/p')
  from=$(echo "$line" | sed 's/.*tensors\["\([a-z_0-9]*\)"\].*/\1/')
  case $given in *" $from "*) ;; *) echo "'$from' is read and nothing sets it"; exit 1 ;; esac
  given="$given$to "
done
grep -q 'tensors\["r__ssa_v0"\] = tensors\["y__ssa_v0"\]' "$host" || { echo "the result is not what is returned"; exit 1; }
