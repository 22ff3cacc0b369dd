import pypto.language as pl

@pl.program
class Prog:
    pass
