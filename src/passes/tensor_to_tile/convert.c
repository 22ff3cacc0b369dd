#include "passes/tensor_to_tile/convert.h"

#include "ir/ops/deduce_region.h"

/* ---------------------------------------------------------------- the table */

/* Rules on operands, with the operator they belong to. */
static const struct {
  OpId op;
  ConvertWant want;
} wants[] = {
#define CONVERT(from, fn)
#define RENAME(from, to)
#define WANT(from, operand, space, keyword) {OP_##from, {operand, space, keyword}},
#include "passes/tensor_to_tile/conversions.def"
#undef CONVERT
#undef RENAME
#undef WANT
};

static const Conversion conversions[OP_COUNT] = {
#define CONVERT(from, function) [OP_##from] = {.fn = function},
#define RENAME(from, target) [OP_##from] = {.to = OP_##target},
#define WANT(from, operand, space, keyword)
#include "passes/tensor_to_tile/conversions.def"
#undef CONVERT
#undef RENAME
#undef WANT
};

const Conversion *conversion_of(const Op *op) {
  const Conversion *conv = op ? &conversions[op->id] : NULL;
  return conv && (conv->fn || conv->to) ? conv : NULL;
}

const ConvertWant *conversion_want(const Conversion *conv, int i) {
  OpId id = (OpId)(conv - conversions);
  for (size_t k = 0; k < sizeof wants / sizeof *wants; k++)
    if (wants[k].op == id && wants[k].want.operand == i) return &wants[k].want;
  return NULL;
}

Expr *convert_call(const Conversion *conv, Conv *c) {
  return conv->fn ? conv->fn(c) : conv_op(c, conv->to, c->args, c->nargs, c->kwargs);
}

/* ---------------------------------------------------------------- building */

Expr *conv_op(Conv *c, OpId op, Expr *const *args, int n, AttrList kwargs) {
  for (int i = 0; i < n; i++)
    if (!args[i]) return NULL;
  return op_call(c->ir, op_get(c->ir, op), args, n, kwargs, c->span);
}

Expr *conv_bind(Conv *c, const char *name, Expr *value) {
  if (!value) return NULL;
  Expr *var = expr_var(c->ir, ir_name(c->ir, name), value->type, c->span);
  vec_push(c->out, stmt_assign(c->ir, var, value, c->span));
  return var;
}

AttrList conv_kw(Conv *c, AttrList list, const char *key, AttrValue value) {
  return attr_with(c->ir, list, ir_name(c->ir, key), value);
}

AttrList conv_kw_dtype(Conv *c, DType dtype) {
  return conv_kw(c, NO_KWARGS, "dtype", attr_of_dtype(dtype));
}

AttrList conv_kw_space(Conv *c, MemSpace space) {
  return conv_kw(c, NO_KWARGS, "target_memory", attr_of_enum(ENUM_MEM, space));
}

AttrList conv_kw_tile(Conv *c, DType dtype, MemSpace space) {
  return conv_kw(c, conv_kw_dtype(c, dtype), "target_memory", attr_of_enum(ENUM_MEM, space));
}

bool conv_flag(Conv *c, const char *key, bool otherwise) {
  return attr_bool(c->kwargs, ir_name(c->ir, key), otherwise);
}

int64_t conv_int(Conv *c, const char *key, int64_t otherwise) {
  return attr_int(c->kwargs, ir_name(c->ir, key), otherwise);
}

Expr *conv_index(Conv *c, int64_t v) { return expr_index(c->ir, v); }

Expr *conv_const(Conv *c, double v, DType dtype) {
  if (dtype_is_float(dtype)) return expr_float(c->ir, v, dtype, c->span);
  return expr_int(c->ir, (int64_t)v, dtype, c->span);
}

Expr *conv_tuple(Conv *c, Expr *const *elems, int n) {
  for (int i = 0; i < n; i++)
    if (!elems[i]) return NULL;
  return expr_tuple(c->ir, elems, n, c->span);
}

Expr *conv_shape(Conv *c, const Type *t) { return conv_tuple(c, t->shape, t->rank); }

Expr *conv_zeros(Conv *c, int n) {
  Expr **zeros = NEW_ARRAY(c->ir->arena, Expr *, n);
  for (int i = 0; i < n; i++) zeros[i] = conv_index(c, 0);
  return conv_tuple(c, zeros, n);
}

int64_t conv_dim(Conv *c, const Type *t, int i, const char *what) {
  int64_t v;
  if (expr_const_int(t->shape[i], &v)) return v;
  conv_error(c, "%s must be a constant in an InCore function", what);
  return -1;
}

Expr *conv_scratch(Conv *c, const char *name, Expr *shape, DType dtype) {
  return conv_bind(c, name, CONV_OP(c, OP_TILE_CREATE, conv_kw_tile(c, dtype, MEM_VEC), shape));
}

Expr *conv_full(Conv *c, const char *name, Expr *shape, double value, DType dtype) {
  Expr *full =
      CONV_OP(c, OP_TILE_FULL, conv_kw_dtype(c, dtype), shape, conv_const(c, value, dtype));
  return conv_bind(c, name, full);
}

Expr *conv_cast(Conv *c, const char *name, Expr *tile, DType dtype, const char *mode) {
  AttrList kw = conv_kw(c, NO_KWARGS, "target_type", attr_of_dtype(dtype));
  kw = conv_kw(c, kw, "mode", attr_of_str(ir_name(c->ir, mode)));
  return conv_bind(c, name, CONV_OP(c, OP_TILE_CAST, kw, tile));
}

Expr *conv_reshape(Conv *c, const char *name, Expr *tile, Expr *const *dims, int n) {
  return conv_bind(c, name, CONV_OP(c, OP_TILE_RESHAPE, NO_KWARGS, tile, conv_tuple(c, dims, n)));
}

Expr *conv_load_whole(Conv *c, const char *name, Expr *tensor, bool valid_only) {
  const Type *t = tensor->type;
  Expr *shape = conv_shape(c, t), *valid = shape;
  if (valid_only) {
    Dims v = valid_of(t);
    valid = conv_tuple(c, v.at, v.n);
  }
  return conv_bind(c, name,
                   CONV_OP(c, OP_TILE_LOAD, conv_kw_space(c, MEM_VEC), tensor,
                           conv_zeros(c, t->rank), shape, valid));
}

void *conv_error(Conv *c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_error(c->ir->diag, c->span, "%s: %s", c->op->name, arena_vprintf(c->ir->arena, fmt, ap));
  va_end(ap);
  return NULL;
}

/* ---------------------------------------------------------------- loops */

void conv_loop_begin(ConvLoop *l, Conv *c, Expr *stop, const char *var, const char *carried,
                     const char *result, Expr *init) {
  *l = (ConvLoop){.c = c, .outer = c->out, .stop = stop};
  l->var = expr_var(c->ir, ir_name(c->ir, var), type_scalar(c->ir, DT_INDEX), c->span);
  if (init) {
    l->carried = expr_iter_arg(c->ir, ir_name(c->ir, carried), init->type, init, c->span);
    l->result = expr_var(c->ir, ir_name(c->ir, result), init->type, c->span);
  }
  c->out = &l->body;
}

Expr *conv_loop_end(ConvLoop *l, Expr *next) {
  Ir *ir = l->c->ir;
  Span span = l->c->span;
  l->c->out = l->outer;
  if (!next || !l->carried) {
    vec_free(&l->body);
    return NULL;
  }
  vec_push(&l->body, stmt_yield(ir, &next, 1, span));
  Stmt *s = stmt_new(ir, STMT_FOR, span);
  s->u.loop.kind = FOR_RANGE;
  s->u.loop.var = l->var;
  s->u.loop.start = expr_index(ir, 0);
  s->u.loop.stop = l->stop;
  s->u.loop.step = expr_index(ir, 1);
  s->u.loop.iter_args = COPY_ARRAY(ir->arena, Expr *, &l->carried, 1);
  s->u.loop.results = COPY_ARRAY(ir->arena, Expr *, &l->result, 1);
  s->u.loop.ncarried = s->u.loop.nresults = 1;
  s->u.loop.body = block_take(ir, &l->body);
  vec_push(l->outer, s);
  return l->result;
}

/* ---------------------------------------------------------------- slices */

bool conv_slice_window(Conv *c, SliceWindow *w) {
  OpCall call = {c->ir, c->op, c->args, c->nargs, c->kwargs, c->span};
  Dims offsets, requested = {0};
  if (!arg_list(&call, 1, &w->shape) || !arg_list(&call, 2, &offsets)) return false;
  if (c->nargs >= 4 && !arg_list(&call, 3, &requested)) return false;
  w->shape_arg = c->args[1];
  w->offset_arg = c->args[2];
  w->drop = NEW_ARRAY(c->ir->arena, bool, w->shape.n + 1);
  w->ndrop = drop_dims_read(&call, c->nargs == 5 ? c->args[4] : NULL, w->shape, (Dims){0}, w->drop);
  if (w->ndrop < 0) return false;
  if (w->ndrop == w->shape.n && w->ndrop)
    return conv_error(c, "a tile keeps at least one dimension; read a single element with pl.read"),
           false;

  const Type *src = c->args[0]->type;
  w->valid = requested.n ? requested : w->shape;
  if (!type_is_tensor(src) || w->shape.n != src->rank || offsets.n != src->rank) return true;
  WindowRead read = {.physical = dims_of(src),
                     .valid = valid_of(src),
                     .offsets = offsets,
                     .window = w->shape,
                     .requested = requested,
                     .clamp = conv_flag(c, "clamp", false)};
  Expr **valid = window_read_valid(&call, &read);
  if (!valid) return false;
  w->valid = (Dims){valid, w->shape.n};
  return true;
}
