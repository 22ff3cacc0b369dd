/* dtype.h -- element types: widths, classes, and their names in other languages. */
#ifndef PYPTOC_IR_DTYPE_H
#define PYPTOC_IR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum DType {
  DT_NONE,
#define DTYPE(id, bits, cls, mlir, c) DT_##id,
#include "ir/dtype.def"
#undef DTYPE
  DT_COUNT
} DType;

typedef enum {
  DT_CLASS_NONE,
  DT_CLASS_BOOL,
  DT_CLASS_INT,
  DT_CLASS_UINT,
  DT_CLASS_FLOAT,
  DT_CLASS_HANDLE
} DTypeClass;

/* "FP32", as written behind `pl.`. */
const char *dtype_name(DType t);
/* Spelling in MLIR and in C; NULL where the type has none. */
const char *dtype_mlir(DType t);
const char *dtype_c(DType t);
int dtype_bits(DType t);
DTypeClass dtype_class(DType t);
/* DT_NONE if there is no such type. */
DType dtype_by_name(const char *name);

/* Bytes of one element, rounded up: what `.get_byte()` gives. */
int dtype_get_byte(DType t);
/* Bytes of `n` elements, four-bit types packed two to a byte and rounded up. */
int64_t dtype_bytes(DType t, int64_t n);

static inline bool dtype_is_signed(DType t) { return dtype_class(t) == DT_CLASS_INT; }
static inline bool dtype_is_unsigned(DType t) { return dtype_class(t) == DT_CLASS_UINT; }
/* Signed and unsigned integers and INDEX; not BOOL. */
static inline bool dtype_is_int(DType t) { return dtype_is_signed(t) || dtype_is_unsigned(t); }
static inline bool dtype_is_float(DType t) { return dtype_class(t) == DT_CLASS_FLOAT; }

#endif
