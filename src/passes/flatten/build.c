/* build.c -- calls and statements that the parts of FlattenTileNdTo2D make. */
#include "passes/flatten/flatten.h"

Expr *flat_op(Flatten *f, OpId op, Expr *const *args, int n, AttrList kwargs, Span at) {
  for (int i = 0; i < n; i++)
    if (!args[i]) return NULL;
  return op_call(f->ir, op_get(f->ir, op), args, n, kwargs, at);
}

Expr *flat_bind(Flatten *f, Name name, Expr *value, Span at, Span stmt_at, StmtList *out) {
  if (!value) return NULL;
  Expr *var = expr_var(f->ir, name, value->type, at);
  vec_push(out, stmt_assign(f->ir, var, value, stmt_at));
  return var;
}

Expr *flat_tuple(Flatten *f, int64_t a, int64_t b, Span at) {
  Expr *pair[] = {expr_index(f->ir, a), expr_index(f->ir, b)};
  return expr_tuple(f->ir, pair, 2, at);
}

AttrList flat_tile_kwargs(Flatten *f, DType dtype, MemSpace space) {
  AttrList kw = key_with(f->ir, (AttrList){0}, KEY_DTYPE, attr_of_dtype(dtype));
  return key_with(f->ir, kw, KEY_TARGET_MEMORY, attr_of_enum(ENUM_MEM, space));
}
