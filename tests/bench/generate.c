/* generate.c -- writes a vector kernel of about N statements to standard output.
 *
 *   generate N [straight|loops]     straight: one block; loops: blocks of 50 statements in loops
 *
 * Each chain loads a tile, computes on it and stores it, so that lifetimes stay short and memory can be
 * planned whatever N is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAIN = 8 };

static void chain(int k, const char *indent, const char *row) {
  printf("%sa%d = pl.load(x, [%s, 0], [16, 64])\n", indent, k, row);
  printf("%sb%d = pl.load(y, [%s, 0], [16, 64])\n", indent, k, row);
  printf("%sc%d = pl.add(a%d, b%d)\n", indent, k, k, k);
  printf("%sd%d = pl.mul(c%d, 0.5)\n", indent, k, k);
  printf("%se%d = pl.exp(d%d)\n", indent, k, k);
  printf("%sf%d = pl.sub(e%d, a%d)\n", indent, k, k, k);
  printf("%sg%d = pl.maximum(f%d, b%d)\n", indent, k, k, k);
  printf("%sz = pl.store(g%d, [%s, 0], z)\n", indent, k, row);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  int loops = argc > 2 && strcmp(argv[2], "loops") == 0;
  const char *const tensor = "pl.Tensor[[4096, 64], pl.FP32]";
  puts("import pypto.language as pl\n\n@pl.program\nclass Bench:");
  puts("    @pl.function(type=pl.FunctionType.InCore)");
  printf("    def kernel(self, x: %s, y: %s, z: pl.Out[%s]) -> %s:\n", tensor, tensor, tensor, tensor);
  int chains = (n + CHAIN - 1) / CHAIN;
  for (int k = 0; k < chains; k++) {
    char row[32];
    if (loops && k % 6 == 0) printf("        for i%d in pl.range(0, 256, 16):\n", k);
    if (loops)
      snprintf(row, sizeof row, "i%d", k - k % 6);
    else
      snprintf(row, sizeof row, "%d", k % 256 * 16);
    chain(k, loops ? "            " : "        ", row);
  }
  puts("        return z\n");
  puts("    @pl.function(type=pl.FunctionType.Orchestration)");
  printf("    def main(self, x: %s, y: %s, z: pl.Out[%s]) -> %s:\n", tensor, tensor, tensor, tensor);
  puts("        z = self.kernel(x, y, z)\n        return z");
  return 0;
}
