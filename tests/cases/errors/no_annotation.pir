import pypto.language as pl

@pl.program
class Prog:
    @pl.function
    def main(self, a):
        return a
