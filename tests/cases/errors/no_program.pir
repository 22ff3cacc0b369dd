import pypto.language as pl

N = 3
