import pypto.language as pl

LONG = (1 +
        0x1F  # a comment within brackets
        + 0b11 + 0o17
        + 1_000)
SUM = 1 + \
    2
TEXT = 'it''s' "\x41" r'\n'

@pl.program
class Lexical:
    @pl.function(
        type=pl.FunctionType.Opaque,
    )
    def main(self,
             größe: pl.Tensor[[LONG, SUM], pl.FP32],  # the ö counts as one column
             ):
        a = 1; b = 2.5e-3; c = .5
        if a == 1: d = a
        else: d = a + 1
        return größe
