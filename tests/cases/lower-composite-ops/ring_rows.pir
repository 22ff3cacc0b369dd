@pl.program
class Ring:
    @pl.function(type=pl.FunctionType.InCore)
    def sums(w: pl.InOut[pld.DistributedTensor[[2, 50], pl.FP32, pl.TensorView(valid_shape=[2, 40], stride=[], layout=pl.TensorLayout.ND)]], sig: pl.InOut[pld.DistributedTensor[[4, 3], pl.INT32]]):
        pld.tensor.allreduce(w, sig, mode='ring')
