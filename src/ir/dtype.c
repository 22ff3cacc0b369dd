#include "ir/dtype.h"

#include <string.h>

static const struct {
  const char *name;
  int bits;
  DTypeClass cls;
  const char *mlir, *c;
} table[DT_COUNT] = {
#define DTYPE(id, bits, cls, mlir, c) [DT_##id] = {#id, bits, cls, mlir, c},
#include "ir/dtype.def"
#undef DTYPE
};

const char *dtype_name(DType t) { return table[t].name ? table[t].name : "?"; }
const char *dtype_mlir(DType t) { return table[t].mlir; }
const char *dtype_c(DType t) { return table[t].c; }
int dtype_bits(DType t) { return table[t].bits; }
DTypeClass dtype_class(DType t) { return table[t].cls; }

DType dtype_by_name(const char *name) {
  for (DType t = DT_NONE + 1; t < DT_COUNT; t++)
    if (strcmp(table[t].name, name) == 0) return t;
  return DT_NONE;
}

int dtype_get_byte(DType t) { return (table[t].bits + 7) / 8; }

int64_t dtype_bytes(DType t, int64_t n) {
  if (table[t].bits == 4) return n / 2 + n % 2;
  return n * dtype_get_byte(t);
}
