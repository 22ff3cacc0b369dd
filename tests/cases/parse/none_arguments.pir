import pypto.language as pl

@pl.program
class Left:
    # None in the place of an argument that may be left out is the same as leaving it out.
    @pl.function
    def tensors(self, a: pl.Tensor[[64, 64], pl.FP32]):
        most = pl.row_max(a, None)
        part = pl.slice(a, [8, 32], [0, 0], [8, 16], None, pl.PadValue.max)
        whole = pl.slice(a, [8, 32], [0, 0], None)
        return most

    # Of tiles, exhausted= is about several lists; with one it says nothing.
    @pl.function(type=pl.FunctionType.InCore)
    def tiles(self, a: pl.Tensor[[1, 512], pl.FP32]):
        t = pl.load(a, [0, 0], [1, 512])
        u = pl.tile.mrgsort(t, None, None, block_len=64, exhausted=True)
        return u

    @pl.function(type=pl.FunctionType.Orchestration)
    def tasks(self, a: pl.Tensor[[64, 64], pl.FP32]):
        ids = pl.array.create(2, pl.TASK_ID)
        ids = pl.array.update_element(ids, 0, None)
        return a
