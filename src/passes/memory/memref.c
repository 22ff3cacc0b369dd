#include "passes/memory/memref.h"

#include "base/map.h"
#include "ir/visit.h"

const Type *type_placed(Ir *ir, const Type *t, const MemRef *m, MemSpace space) {
  t = type_with_memref(ir, t, m);
  return type_is_tile(t) && space != MEM_NONE ? type_with_space(ir, t, space) : t;
}

MemSpace call_fixed_space(const Expr *call) {
  const Op *op = expr_op(call);
  return op ? op_result_space(op, call->u.call.kwargs) : MEM_NONE;
}

Expr *move_call(Ir *ir, Expr *tile, MemSpace to, Span span) {
  AttrList kwargs =
      key_with(ir, (AttrList){NULL, 0}, KEY_TARGET_MEMORY, attr_of_enum(ENUM_MEM, to));
  return op_call_id(ir, OP_TILE_MOVE, &tile, 1, kwargs, span);
}

/* ---------------------------------------------------------------- joins */

static bool any_tile(Expr *const *vars, int n) {
  for (int i = 0; i < n; i++)
    if (type_is_tile(vars[i]->type)) return true;
  return false;
}

static bool note_join(Visitor *v, Stmt *s) {
  bool *found = v->ctx;
  if (s->kind == STMT_IF) *found |= any_tile(s->u.if_.results, s->u.if_.nresults);
  if (stmt_is_loop(s))
    *found |= any_tile(s->u.loop.iter_args, s->u.loop.ncarried) ||
              any_tile(s->u.loop.results, s->u.loop.nresults);
  return !*found;
}

bool func_joins_tiles(const Function *f) {
  bool found = false;
  Visitor v = {.ctx = &found, .stmt = note_join, .expr = visit_no_expr};
  visit_block(&v, f->body);
  return found;
}

/* ---------------------------------------------------------------- sizes */

static bool mul_fits(uint64_t a, uint64_t b, uint64_t *out) {
  return !__builtin_mul_overflow(a, b, out);
}

/* Packed bytes of `n` elements. */
static bool packed_bytes(DType dtype, uint64_t n, uint64_t *bytes) {
  uint64_t width = dtype_bits(dtype) == 4 ? 4 : (uint64_t)dtype_get_byte(dtype) * 8, bits;
  if (!width || !mul_fits(n, width, &bits)) return false;
  *bytes = bits / 8 + (bits % 8 != 0);
  return true;
}

static bool extent(const Expr *e, uint64_t *out) {
  int64_t v;
  if (!expr_const_int(e, &v) || v <= 0) return false;
  *out = (uint64_t)v;
  return true;
}

bool alloc_bytes(const Target *target, const Type *t, MemSpace space, uint64_t *bytes) {
  uint64_t n = 1;
  if (space == MEM_ACC && t->rank < 2) return false;
  for (int i = 0; i < t->rank; i++) {
    uint64_t v;
    if (!extent(t->shape[i], &v)) return false;
    if (space == MEM_ACC && i == t->rank - 2) {
      uint64_t rows = (uint64_t)target_acc_rows(target, t->dtype), rest = v % rows;
      if (rest && __builtin_add_overflow(v, rows - rest, &v)) return false;
    }
    if (!mul_fits(n, v, &n)) return false;
  }
  return packed_bytes(t->dtype, n, bytes);
}

static bool is_slice(const Expr *call) {
  return expr_is_op(call, OP_TILE_SLICE) || expr_is_op(call, OP_TENSOR_SLICE);
}

bool slice_span(const Expr *call, const Type *parent, const Type *result, uint64_t *bytes) {
  if (!is_slice(call) || call->u.call.nargs < 2) return false;
  const Expr *shape =
      call->u.call.args[1]; /* as asked for: the result may have dropped dimensions */
  if (shape->kind != EXPR_TUPLE || shape->u.tuple.len != parent->rank) return false;
  uint64_t last = 0, stride = 1, n, whole, step;
  for (int i = parent->rank - 1; i >= 0; i--) {
    if (!extent(parent->shape[i], &whole) || !extent(shape->u.tuple.elems[i], &n) || n > whole)
      return false;
    if (!mul_fits(n - 1, stride, &step) || __builtin_add_overflow(last, step, &last)) return false;
    if (i > 0 && !mul_fits(stride, whole, &stride)) return false;
  }
  return last != UINT64_MAX && packed_bytes(result->dtype, last + 1, bytes);
}

/* ---------------------------------------------------------------- offsets */

Expr *offset_add(Ir *ir, Expr *a, Expr *b) {
  int64_t x, y;
  bool ax = expr_const_int(a, &x), by = expr_const_int(b, &y);
  if (ax && by) return expr_index(ir, (int64_t)((uint64_t)x + (uint64_t)y));
  if (by && y == 0) return a;
  if (ax && x == 0) return b;
  return expr_binary(ir, EXPR_ADD, a, b, DT_INDEX, NO_SPAN);
}

Expr *offset_mul(Ir *ir, Expr *a, Expr *b) {
  int64_t x, y;
  bool ax = expr_const_int(a, &x), by = expr_const_int(b, &y);
  if (ax && by) return expr_index(ir, (int64_t)((uint64_t)x * (uint64_t)y));
  if (by && y == 1) return a;
  if (ax && x == 1) return b;
  return expr_binary(ir, EXPR_MUL, a, b, DT_INDEX, NO_SPAN);
}

/* Two elements share a byte: only an even constant origin has a byte offset. */
static Expr *nibble_offset(Ir *ir, const Expr *call, Expr *elements) {
  int64_t n;
  if (!expr_const_int(elements, &n))
    diag_error(ir->diag, call->span, "a slice of a 4-bit type needs a constant origin");
  else if (n < 0 || n % 2)
    diag_error(ir->diag, call->span, "a slice of a 4-bit type starts inside a byte (element %lld)",
               (long long)n);
  else
    return expr_index(ir, n / 2);
  return NULL;
}

Expr *view_offset(Ir *ir, const Expr *call, const Type *parent) {
  Expr *sum = expr_index(ir, 0);
  if (!is_slice(call) || call->u.call.nargs < 3) return sum;
  Expr *origin = call->u.call.args[2];
  Expr *const *at = origin->kind == EXPR_TUPLE ? origin->u.tuple.elems : &origin;
  int n = origin->kind == EXPR_TUPLE ? origin->u.tuple.len : 1;
  if (n != parent->rank) {
    diag_error(ir->diag, call->span, "a slice of %d dimensions has %d offsets", parent->rank, n);
    return NULL;
  }
  for (int i = 0; i < n; i++) {
    Expr *stride = expr_index(ir, 1);
    for (int k = i + 1; k < n; k++) stride = offset_mul(ir, stride, parent->shape[k]);
    sum = offset_add(ir, sum, offset_mul(ir, at[i], stride));
  }
  if (dtype_bits(parent->dtype) == 4) return nibble_offset(ir, call, sum);
  return offset_mul(ir, sum, expr_index(ir, dtype_get_byte(parent->dtype)));
}

/* ---------------------------------------------------------------- declarations */

Expr *alloc_expr(Ir *ir, MemSpace space, uint64_t bytes, bool pinned) {
  Expr *args[] = {expr_index(ir, space), expr_index(ir, (int64_t)bytes)};
  AttrList kwargs = {NULL, 0};
  if (pinned) kwargs = key_with(ir, kwargs, KEY_PINNED, attr_of_bool(true));
  const Op *op = op_get(ir, space == MEM_DDR ? OP_TENSOR_ALLOC : OP_TILE_ALLOC);
  return expr_call_op(ir, op, args, 2, kwargs, type_simple(ir, TYPE_PTR), NO_SPAN);
}

const Expr *alloc_call(const Stmt *s) {
  if (s->kind != STMT_ASSIGN) return NULL;
  const Expr *v = s->u.assign.value;
  return expr_is_op(v, OP_TILE_ALLOC) || expr_is_op(v, OP_TENSOR_ALLOC) ? v : NULL;
}

bool pinned_bytes(Ir *ir, const Stmt *s, uint64_t *bytes) {
  const Expr *call = alloc_call(s);
  int64_t n;
  if (!call || !attr_bool(call->u.call.kwargs, ir_name(ir, "pinned"), false)) return false;
  if (call->u.call.nargs < 2 || !expr_const_int(call->u.call.args[1], &n) || n <= 0) return false;
  *bytes = (uint64_t)n;
  return true;
}

static void note_base(Map *used, const Expr *var) {
  if (type_is_shaped(var->type) && var->type->memref) map_set(used, var->type->memref->base, used);
}

static void note_def(Visitor *v, Expr *var) { note_base(v->ctx, var); }

static bool note_use(Visitor *v, Expr *e) {
  if (expr_is_var(e)) note_base(v->ctx, e);
  return true;
}

Block drop_unused_allocs(Ir *ir, Block b) {
  Map used = {0};
  Visitor v = {.ctx = &used, .expr = note_use, .def = note_def};
  visit_block(&v, b);
  StmtList out = {0};
  for (int i = 0; i < b.len; i++)
    if (!alloc_call(b.items[i]) || map_has(&used, b.items[i]->u.assign.var))
      vec_push(&out, b.items[i]);
  map_free(&used);
  if ((int)out.len == b.len) {
    vec_free(&out);
    return b;
  }
  return block_take(ir, &out);
}
