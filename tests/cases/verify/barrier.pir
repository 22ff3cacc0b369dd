import pypto.language as pl


@pl.program
class Barrier:
    @pl.function(type=pl.FunctionType.InCore)
    def step(
        self, x: pl.Tensor[[768, 64], pl.FP32], out: pl.Out[pl.Tensor[[768, 64], pl.FP32]]
    ) -> pl.Tensor[[768, 64], pl.FP32]:
        b = pl.tile.get_block_idx()
        t = pl.load(x, [b * 16, 0], [16, 64])
        pl.system.syncall(core_type="aiv_only")
        out = pl.store(t, [b * 16, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, x: pl.Tensor[[768, 64], pl.FP32], out: pl.Out[pl.Tensor[[768, 64], pl.FP32]]
    ) -> pl.Tensor[[768, 64], pl.FP32]:
        with pl.spmd(40, sync_start=True):
            out = self.step(x, out)
        return out
