import pypto.language as pl

STEP = 2

@pl.program
class Loops:
    @pl.function
    def plain(self, a: pl.Tensor[[64, 64], pl.FP32]):
        acc = a
        for i in pl.range(4):
            acc = pl.add(acc, acc)
        for j in pl.parallel(0, 8, STEP, attrs={"loop_tag": "outer"}):
            acc = pl.mul(acc, 2.0)
        for k in pl.unroll(2, 6):
            acc = pl.sub(acc, a)
        for s in pl.pipeline(8, stage=2):
            acc = pl.add(acc, a)
        return acc

    @pl.function
    def carried(self, a: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX]):
        for i, (x, total) in pl.range(0, n, init_values=(a, 0)):
            if i > 4 and total < 100:
                y = pl.add(x, 1.0)
                more = pl.yield_(y)
            else:
                more = pl.yield_(x)
            x_next, total_next = pl.yield_(more, total + i)
        while total_next > 0:
            total_next = total_next // 2
            if total_next == 7:
                break
            elif total_next == 9:
                continue
        return x_next
