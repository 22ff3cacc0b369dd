/* tiles.c -- writes a vector kernel of N tiles to standard output, for measuring the memory planners.
 *
 *   tiles N ALIVE [straight|loops]
 *
 * Each tile is computed from the one before it and the one ALIVE before it, so that about ALIVE are needed at
 * once.  straight: one block; loops: blocks of 50 tiles in loops of their own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 50 };

static void tile(const char *indent, int k, int first, int alive) {
  if (k - first < 2) {
    printf("%st%d = pl.load(x, [%d, 0], [1, 32])\n", indent, k, k % 64);
    return;
  }
  int other = k - first < alive ? first : k - alive;
  /* exp must not write over its argument on every chip, add may */
  if (k % 3 == 0)
    printf("%st%d = pl.exp(t%d)\n", indent, k, other);
  else
    printf("%st%d = pl.add(t%d, t%d)\n", indent, k, k - 1, other);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  int alive = argc > 2 ? atoi(argv[2]) : 8;
  int loops = argc > 3 && strcmp(argv[3], "loops") == 0;
  const char *const tensor = "pl.Tensor[[64, 32], pl.FP32]";
  puts("import pypto.language as pl\n\n@pl.program\nclass Tiles:");
  puts("    @pl.function(type=pl.FunctionType.InCore)");
  printf("    def kernel(self, x: %s, z: pl.Out[%s]) -> %s:\n", tensor, tensor, tensor);
  for (int k = 0; k < n; k++) {
    if (loops && k % BLOCK == 0) printf("        for i%d in pl.range(0, 64):\n", k);
    tile(loops ? "            " : "        ", k, loops ? k - k % BLOCK : 0, alive);
    if (loops && (k % BLOCK == BLOCK - 1 || k == n - 1))
      printf("            z = pl.store(t%d, [i%d, 0], z)\n", k, k - k % BLOCK);
  }
  if (!loops) printf("        z = pl.store(t%d, [0, 0], z)\n", n - 1);
  puts("        return z\n");
  puts("    @pl.function(type=pl.FunctionType.Orchestration)");
  printf("    def main(self, x: %s, z: pl.Out[%s]) -> %s:\n", tensor, tensor, tensor);
  puts("        z = self.kernel(x, z)\n        return z");
  return 0;
}
