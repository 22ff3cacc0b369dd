import pypto.language as pl
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        for i0 in pl.pipeline(0, 4, stage=2):
         for i1 in pl.pipeline(0, 4, stage=2):
          for i2 in pl.pipeline(0, 4, stage=2):
           for i3 in pl.pipeline(0, 4, stage=2):
            for i4 in pl.pipeline(0, 4, stage=2):
             for i5 in pl.pipeline(0, 4, stage=2):
              for i6 in pl.pipeline(0, 4, stage=2):
               for i7 in pl.pipeline(0, 4, stage=2):
                for i8 in pl.pipeline(0, 4, stage=2):
                 for i9 in pl.pipeline(0, 4, stage=2):
                  for i10 in pl.pipeline(0, 4, stage=2):
                   for i11 in pl.pipeline(0, 4, stage=2):
                    for i12 in pl.pipeline(0, 4, stage=2):
                     for i13 in pl.pipeline(0, 4, stage=2):
                      for i14 in pl.pipeline(0, 4, stage=2):
                       for i15 in pl.pipeline(0, 4, stage=2):
                        for i16 in pl.pipeline(0, 4, stage=2):
                         for i17 in pl.pipeline(0, 4, stage=2):
                          for i18 in pl.pipeline(0, 4, stage=2):
                           for i19 in pl.pipeline(0, 4, stage=2):
                            t = pl.load(x, [0, 0], [16, 64])
                            pl.store(t, [0, 0], out)
        return out
