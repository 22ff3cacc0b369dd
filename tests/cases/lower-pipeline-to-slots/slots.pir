# Loads of a pipeline get a slot per stage: not if it starts amid the stages, or has a view of one, or too little room.
import pypto.language as pl


@pl.program
class Slots:
    @pl.function(type=pl.FunctionType.AIV)
    def slotted(self, x: pl.Tensor[[96, 16], pl.FP32], y: pl.Out[pl.Tensor[[96, 16], pl.FP32]]):
        for k in pl.pipeline(3, 6, stage=3):
            left: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [k * 16, 0], [16, 16], [16, 16], target_memory=pl.Mem.Vec)
            mine: pl.Tile[[16, 16], pl.FP32, pl.MemRef("mine", slots=2)[k % 2], pl.Mem.Vec] = pl.tile.load(x, [k * 16, 0], [16, 16], [16, 16], target_memory=pl.Mem.Vec)
            both: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.add(left, mine)
            pl.tile.store(both, [k * 16, 0], y)

    @pl.function(type=pl.FunctionType.AIV)
    def odd_start(self, x: pl.Tensor[[96, 16], pl.FP32], y: pl.Out[pl.Tensor[[96, 16], pl.FP32]]):
        for k in pl.pipeline(1, 5, stage=2):
            part: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [k * 16, 0], [16, 16], [16, 16], target_memory=pl.Mem.Vec)
            twice: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.add(part, part)
            pl.tile.store(twice, [k * 16, 0], y)

    @pl.function(type=pl.FunctionType.AIV)
    def viewed(self, x: pl.Tensor[[96, 16], pl.FP32], y: pl.Out[pl.Tensor[[96, 16], pl.FP32]]):
        for k in pl.pipeline(6, stage=2):
            part: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [k * 16, 0], [16, 16], [16, 16], target_memory=pl.Mem.Vec)
            flat: pl.Tile[[8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(part, [8, 32])
            twice: pl.Tile[[8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.add(flat, flat)
            back: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(twice, [16, 16])
            pl.tile.store(back, [k * 16, 0], y)

    @pl.function(type=pl.FunctionType.AIV)
    def too_large(self, x: pl.Tensor[[768, 128], pl.FP32], y: pl.Out[pl.Tensor[[768, 128], pl.FP32]]):
        for k in pl.pipeline(6, stage=3):
            part: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [k * 128, 0], [128, 128], [128, 128], target_memory=pl.Mem.Vec)
            pl.tile.store(part, [k * 128, 0], y)
