/* convert.h -- from one tensor operator to tile operators; part of ConvertTensorToTileOps. */
#ifndef PYPTOC_PASSES_TENSOR_TO_TILE_CONVERT_H
#define PYPTOC_PASSES_TENSOR_TO_TILE_CONVERT_H

#include "ir/op.h"
#include "ir/ops/deduce_common.h"
#include "target/target.h"

/* A call being converted: its operands are what they have become already. */
typedef struct Conv {
  Ir *ir;
  const Target *target;
  const Op *op; /* the operator it was */
  Expr **args;
  int nargs;
  AttrList kwargs;
  Span span;
  StmtList *out; /* receives the statements that must come first */
} Conv;

/* The value that the call becomes; NULL after the error. */
typedef Expr *(*ConvertFn)(Conv *c);

/* An operand that must lie in a space. */
typedef struct ConvertWant {
  int operand;
  MemSpace space;
  const char *transposed_by; /* keyword that asks for the operand transposed, or NULL */
} ConvertWant;

typedef struct Conversion {
  OpId to;      /* OP_NONE: built by `fn` */
  ConvertFn fn; /* both unset: the operator has no conversion */
  const ConvertWant *wants;
  int nwants;
} Conversion;

/* The row of an operator, or NULL if it has none. */
const Conversion *conversion_of(const Op *op);
/* The rule on operand `i`, or NULL. */
const ConvertWant *conversion_want(const Conversion *conv, int i);
/* Runs the row on `c`. */
Expr *convert_call(const Conversion *conv, Conv *c);

/* ---- for the functions of the rows; each of these gives NULL where an operand is NULL ---- */

Expr *conv_op(Conv *c, OpId op, Expr *const *args, int n, AttrList kwargs);
#define CONV_OP(c, op, kwargs, ...)           \
  conv_op((c), (op), (Expr *[]){__VA_ARGS__}, \
          (int)(sizeof((Expr *[]){__VA_ARGS__}) / sizeof(Expr *)), (kwargs))
/* Puts `name = value` before the call and gives the variable. */
Expr *conv_bind(Conv *c, const char *name, Expr *value);

#define NO_KWARGS ((AttrList){0})
AttrList conv_kw(Conv *c, AttrList list, const char *key, AttrValue value);
AttrList conv_kw_dtype(Conv *c, DType dtype);                /* dtype= */
AttrList conv_kw_tile(Conv *c, DType dtype, MemSpace space); /* dtype=, target_memory= */
AttrList conv_kw_space(Conv *c, MemSpace space);             /* target_memory= */
/* The value of a keyword of the call. */
bool conv_flag(Conv *c, const char *key, bool otherwise);
int64_t conv_int(Conv *c, const char *key, int64_t otherwise);

Expr *conv_index(Conv *c, int64_t v);             /* INDEX */
Expr *conv_const(Conv *c, double v, DType dtype); /* an integer or a float of that type */
Expr *conv_tuple(Conv *c, Expr *const *elems, int n);
#define CONV_TUPLE(c, ...) \
  conv_tuple((c), (Expr *[]){__VA_ARGS__}, (int)(sizeof((Expr *[]){__VA_ARGS__}) / sizeof(Expr *)))
Expr *conv_shape(Conv *c, const Type *t); /* the shape as a tuple */
Expr *conv_zeros(Conv *c, int n);
/* The i-th dimension as a constant, or an error that names `what`; -1 after it. */
int64_t conv_dim(Conv *c, const Type *t, int i, const char *what);
/* A tile in Vec of that shape, bound to `name`. */
Expr *conv_scratch(Conv *c, const char *name, Expr *shape, DType dtype);
/* `tile` full of one value. */
Expr *conv_full(Conv *c, const char *name, Expr *shape, double value, DType dtype);
Expr *conv_cast(Conv *c, const char *name, Expr *tile, DType dtype, const char *mode);
Expr *conv_reshape(Conv *c, const char *name, Expr *tile, Expr *const *dims, int n);
/* The whole tensor (its valid part) in Vec, bound to `name`. */
Expr *conv_load_whole(Conv *c, const char *name, Expr *tensor, bool valid_only);
/* Reports an error of the call; gives NULL. */
void *conv_error(Conv *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A loop `for i in range(stop)` that carries one value: begin, add statements, end. */
typedef struct ConvLoop {
  Conv *c;
  StmtList *outer; /* where the loop goes */
  StmtList body;
  Expr *var, *carried, *result, *stop;
} ConvLoop;
/* Names: of the loop variable, the carried value and the result.  c->out is the body until the end. */
void conv_loop_begin(ConvLoop *l, Conv *c, Expr *stop, const char *var, const char *carried,
                     const char *result, Expr *init);
/* Yields `next`; gives the loop's result, NULL if `next` is. */
Expr *conv_loop_end(ConvLoop *l, Expr *next);

/* The window of a tensor that a slice reads, with its valid extents and dropped dimensions. */
typedef struct SliceWindow {
  Dims shape, valid;
  Expr *shape_arg, *offset_arg;
  int ndrop;
  bool *drop;
} SliceWindow;
/* Reads the operands of a slice; false after the error. */
bool conv_slice_window(Conv *c, SliceWindow *w);

#define CONVERT(from, fn) Expr *fn(Conv *c);
#define RENAME(from, to)
#define WANT(from, operand, space, keyword)
#include "passes/tensor_to_tile/conversions.def"
#undef CONVERT
#undef RENAME
#undef WANT

#endif
