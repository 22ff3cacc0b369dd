#include "passes/flatten/flatten.h"

static Name numbered(Flatten *f, const char *what, int64_t i) {
  return name_printf(&f->ir->names, "%s_%lld", what, (long long)i);
}

static Expr *slice(Flatten *f, Name name, Expr *tile, int64_t rows, int64_t cols, int64_t row,
                   Stmt *s, StmtList *out) {
  Span at = s->u.assign.value->span;
  Expr *args[] = {tile, flat_tuple(f, rows, cols, at), flat_tuple(f, row, 0, at)};
  return flat_bind(f, name, flat_op(f, OP_TILE_SLICE, args, 3, (AttrList){0}, at), at, s->span,
                   out);
}

static Expr *create(Flatten *f, Name name, int64_t rows, int64_t cols, const Type *like, Stmt *s,
                    StmtList *out) {
  Span at = s->u.assign.value->span;
  MemSpace space = like->space == MEM_NONE ? MEM_VEC : like->space;
  Expr *shape = flat_tuple(f, rows, cols, at);
  Expr *tile = flat_op(f, OP_TILE_CREATE, &shape, 1, flat_tile_kwargs(f, like->dtype, space), at);
  return flat_bind(f, name, tile, at, s->span, out);
}

/* Page by page through a scratch pool as large as the input. */
static Expr *transpose_pages(Flatten *f, Stmt *s, Expr *in, int64_t pages, int64_t rows,
                             int64_t cols, StmtList *out) {
  Span at = s->u.assign.value->span;
  Name name = s->u.assign.var->u.var.name;
  Expr *result = create(f, name, pages * cols, rows, in->type, s, out);
  Expr *pool = create(f, ir_name(f->ir, "trans_tmp_pool"), pages * rows, cols, in->type, s, out);
  for (int64_t i = 0; i < pages && result && pool; i++) {
    Expr *page = slice(f, numbered(f, "trans_page", i), in, rows, cols, i * rows, s, out);
    Expr *tmp = slice(f, numbered(f, "trans_tmp", i), pool, rows, cols, i * rows, s, out);
    Expr *swap[] = {page, expr_index(f->ir, 0), expr_index(f->ir, 1), tmp};
    Expr *turned =
        flat_bind(f, numbered(f, "trans", i),
                  flat_op(f, OP_TILE_TRANSPOSE, swap, 4, (AttrList){0}, at), at, s->span, out);
    Expr *put[] = {result, turned, flat_tuple(f, i * cols, 0, at)};
    result = flat_bind(f, name, flat_op(f, OP_TILE_ASSEMBLE, put, 3, (AttrList){0}, at), at,
                       s->span, out);
  }
  return result;
}

static bool swaps_last_two(const Expr *call, int rank) {
  int64_t a, b;
  if (!expr_const_int(call->u.call.args[1], &a) || !expr_const_int(call->u.call.args[2], &b))
    return false;
  if (a < 0) a += rank;
  if (b < 0) b += rank;
  return (a == rank - 2 && b == rank - 1) || (a == rank - 1 && b == rank - 2);
}

static Expr *transpose_nd(Flatten *f, Stmt *s, Expr *in, StmtList *out) {
  const Expr *call = s->u.assign.value;
  const Type *t = call->u.call.args[0]->type;
  Expr *flat[2];
  if (!swaps_last_two(call, t->rank)) {
    diag_error(f->ir->diag, call->span,
               "a transpose of a tile of %d dimensions must swap the last two; reshape it first",
               t->rank);
    return NULL;
  }
  if (!flat_shape(f, dims_of(t), call->u.call.op->name, call->span, flat)) return NULL;
  if (is_nd(in->type)) {
    Expr *args[] = {in, expr_tuple(f->ir, flat, 2, call->span)};
    in = flat_bind(f, ir_name(f->ir, "trans_in_2d"),
                   flat_op(f, OP_TILE_RESHAPE, args, 2, (AttrList){0}, call->span), call->span,
                   s->span, out);
    if (!in) return NULL;
  }
  int64_t rows = t->shape[t->rank - 2]->u.i, cols = flat[1]->u.i;
  return transpose_pages(f, s, in, rows ? flat[0]->u.i / rows : 0, rows, cols, out);
}

static Expr *transpose_matrix(Flatten *f, Stmt *s, Expr *in, StmtList *out) {
  const Expr *call = s->u.assign.value;
  MemSpace space = in->type->space == MEM_NONE ? MEM_VEC : in->type->space;
  Expr *shape = expr_tuple(f->ir, in->type->shape, in->type->rank, call->span);
  Expr *tmp = flat_op(f, OP_TILE_CREATE, &shape, 1, flat_tile_kwargs(f, in->type->dtype, space),
                      call->span);
  tmp = flat_bind(f, ir_name(f->ir, "transpose_tmp"), tmp, call->span, s->span, out);
  Expr *args[] = {in, call->u.call.args[1], call->u.call.args[2], tmp};
  Expr *turned = flat_op(f, OP_TILE_TRANSPOSE, args, 4, (AttrList){0}, call->span);
  Expr *var = s->u.assign.var;
  return flat_bind(f, var->u.var.name, turned, var->span, s->span, out);
}

bool flatten_transpose(Flatten *f, Stmt *s, StmtList *out) {
  const Expr *call = s->u.assign.value;
  Expr *in = rewrite_expr(f->r, call->u.call.args[0]);
  Expr *result = is_nd(call->u.call.args[0]->type) ? transpose_nd(f, s, in, out)
                                                   : transpose_matrix(f, s, in, out);
  if (result) map_set(&f->r->subst, s->u.assign.var, result);
  return result != NULL;
}
