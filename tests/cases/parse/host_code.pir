#!/usr/bin/env python3
"""A kernel file as it stands beside its test."""
import argparse
import torch
import pypto.language as pl

WIDTH = 32
golden = torch.randn(WIDTH, WIDTH)

def check(x, y):
    assert (x == y).all(), f"differs: {x}"

@pl.program
class Kernel:
    """What the kernel does."""

    @pl.function
    def main(self, a: pl.Tensor[[WIDTH, WIDTH], pl.FP32]):
        """Doubles.

        All elements.
        """
        return pl.add(a, a)

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    print(Kernel)
