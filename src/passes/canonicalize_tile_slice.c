/* canonicalize_tile_slice.c -- parts of tiles are copied where they cannot be read in place; see
 * docs/passes/canonicalize-tile-slice.md. */
#include "arith/fold.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/pass.h"

enum {
  ALIGN_BITS = 32 * 8,    /* of an operand in vector memory */
  ACC_BLOCK_COLUMNS = 16, /* of an Acc tile */
  ACC_FRACTAL = 1024,
};

typedef struct Window {
  Expr *base;
  Expr *row, *col;
  MemSpace space;
} Window;

typedef struct Slices {
  Ir *ir;
  Map canonical; /* variable -> Window*: slices of three operands */
  Map all;       /* the same for all slices */
  Map multiples; /* scalar variable -> the divisor of ALIGN_BITS that it is surely a multiple of */
  Map constants; /* variable -> the constant it is */
  bool failed;
} Slices;

/* ---------------------------------------------------------------- what slices there are */

static Expr *known_constant(const Slices *sl, Expr *e) {
  Expr *value = expr_is_var(e) ? map_get(&sl->constants, e) : NULL;
  return value ? value : e;
}

static Expr *add_index(Ir *ir, Expr *a, Expr *b, Span at) {
  int64_t x = 1, y = 1, sum;
  bool ca = expr_const_int(a, &x), cb = expr_const_int(b, &y);
  if (ca && cb && !__builtin_add_overflow(x, y, &sum)) return expr_int(ir, sum, DT_INDEX, at);
  if (ca && x == 0) return b;
  if (cb && y == 0) return a;
  return make_binary(ir, EXPR_ADD, a, b, at);
}

static void enter_window(Slices *sl, Map *known, const Stmt *s) {
  const Expr *call = s->u.assign.value;
  Expr *src = call->u.call.args[0], *offset = call->u.call.args[2];
  if (!expr_is_var(src) || offset->kind != EXPR_TUPLE || offset->u.tuple.len != 2) return;
  Window *w = NEW(sl->ir->arena, Window);
  const Window *outer = map_get(known, src);
  w->space = type_is_tile(s->u.assign.var->type) ? s->u.assign.var->type->space : MEM_NONE;
  w->row = known_constant(sl, offset->u.tuple.elems[0]);
  w->col = known_constant(sl, offset->u.tuple.elems[1]);
  w->base = outer ? outer->base : src;
  if (outer) {
    w->row = add_index(sl->ir, outer->row, w->row, s->span);
    w->col = add_index(sl->ir, outer->col, w->col, s->span);
  }
  map_set(known, s->u.assign.var, w);
}

/* The accumulator of a call that accumulates in place, if it is a window. */
static Expr *window_accumulator(const Slices *sl, const Expr *call, const Window **w) {
  const Op *op = expr_op(call);
  if (!op || !op->reuses_input || op->reuses_input > call->u.call.nargs) return NULL;
  Expr *acc = call->u.call.args[op->reuses_input - 1];
  *w = expr_is_var(acc) ? map_get(&sl->all, acc) : NULL;
  return *w ? acc : NULL;
}

/* Is a window of `view`'s shape at column `col` one run of memory in the Acc tile `base`, as far as can be told? */
static bool is_run_of_acc(Ir *ir, const Type *view, const Type *base, const Expr *col) {
  int64_t rows, cols, all_rows, at;
  TileView tv = tile_view_of(ir, base);
  if (base->space != MEM_ACC && tv.blayout != TILE_LAYOUT_COL_MAJOR) return true;
  if (tv.fractal != ACC_FRACTAL) return true;
  if (!expr_const_int(view->shape[0], &rows) || !expr_const_int(view->shape[1], &cols) ||
      !expr_const_int(base->shape[0], &all_rows) || rows == all_rows)
    return true;
  return cols <= ACC_BLOCK_COLUMNS && expr_const_int(col, &at) && at >= 0 &&
         at / ACC_BLOCK_COLUMNS == (at + cols - 1) / ACC_BLOCK_COLUMNS;
}

static void check_accumulator(Slices *sl, const Expr *call) {
  const Window *w;
  const Expr *acc = window_accumulator(sl, call, &w);
  if (!acc) return;
  const Type *view = acc->type, *base = w->base->type;
  if (!type_is_tile(view) || !type_is_tile(base) || view->rank != 2 || base->rank != 2) return;
  if (is_run_of_acc(sl->ir, view, base, w->col)) return;
  diag_error(sl->ir->diag, call->span,
             "%s: the accumulator is a window of %lld of the %lld rows of an Acc tile, which is "
             "not contiguous there",
             call->u.call.op->name, (long long)view->shape[0]->u.i, (long long)base->shape[0]->u.i);
  diag_note(sl->ir->diag, call->span,
            "Acc holds blocks of %d columns, each over all rows: slice along the columns, so that "
            "a window spans "
            "every row",
            ACC_BLOCK_COLUMNS);
  sl->failed = true;
}

/* The largest divisor of ALIGN_BITS that `e` is surely a multiple of. */
static int64_t known_multiple(const Slices *sl, const Expr *e) {
  if (e->kind == EXPR_INT) return gcd(floor_mod(e->u.i, ALIGN_BITS), ALIGN_BITS);
  if (expr_is_var(e)) return map_has(&sl->multiples, e) ? map_get_int(&sl->multiples, e) : 1;
  if (e->kind != EXPR_ADD && e->kind != EXPR_SUB && e->kind != EXPR_MUL) return 1;
  int64_t a = known_multiple(sl, e->u.bin.lhs), b = known_multiple(sl, e->u.bin.rhs);
  return e->kind == EXPR_MUL ? gcd(a * b, ALIGN_BITS) : gcd(a, b);
}

static bool collect_stmt(Visitor *v, Stmt *s) {
  Slices *sl = v->ctx;
  if (s->kind != STMT_ASSIGN) return true;
  Expr *var = s->u.assign.var, *value = s->u.assign.value;
  if (type_is_scalar(var->type)) map_set(&sl->multiples, var, map_int(known_multiple(sl, value)));
  Expr *constant = known_constant(sl, value);
  if (constant->kind == EXPR_INT) map_set(&sl->constants, var, constant);
  if (expr_is_op(value, OP_TILE_SLICE)) {
    enter_window(sl, &sl->all, s);
    if (value->u.call.nargs == 3) enter_window(sl, &sl->canonical, s);
  } else {
    check_accumulator(sl, value);
  }
  return false;
}

/* ---------------------------------------------------------------- alignment */

/* Four-bit elements are packed, all others lie in whole bytes. */
static int64_t storage_bits(DType t) {
  int bits = dtype_bits(t);
  return bits == 4 ? 4 : (bits + 7) / 8 * 8;
}

/* Adds offset * stride bits to *bits, modulo ALIGN_BITS; false if that is not known. */
static bool add_offset(const Slices *sl, const Expr *offset, int64_t stride, int64_t *bits) {
  int64_t n;
  if (!expr_const_int(offset, &n)) return known_multiple(sl, offset) * stride % ALIGN_BITS == 0;
  *bits = (*bits + floor_mod(n, ALIGN_BITS) * stride) % ALIGN_BITS;
  return true;
}

static bool is_aligned(const Slices *sl, const Window *w) {
  const Type *t = w->base->type;
  int64_t bits = 0, cols, from;
  if (!type_is_tile(t) || t->rank != 2) return false;
  int64_t element = storage_bits(t->dtype);
  if (t->memref) {
    if (!expr_const_int(t->memref->offset, &from)) return false;
    if (from >= 0) bits = from % (ALIGN_BITS / 8) * 8;
  }
  if (!add_offset(sl, w->col, element % ALIGN_BITS, &bits)) return false;
  if (w->row->kind == EXPR_INT && w->row->u.i == 0) return bits == 0;
  if (!expr_const_int(t->shape[1], &cols)) return false;
  return add_offset(sl, w->row, floor_mod(cols, ALIGN_BITS) * element % ALIGN_BITS, &bits) &&
         bits == 0;
}

static bool in_vector_memory(const Window *w) {
  return w->space == MEM_NONE || w->space == MEM_VEC;
}

static bool unaligned_vec(const Slices *sl, const Window *w) {
  return in_vector_memory(w) && !is_aligned(sl, w);
}

/* Would unfolding the window in place overwrite what lies beside it? */
static bool spills(const Expr *slice, const Window *w) {
  int64_t rows, cols, all_cols;
  const Type *t = slice->type, *base = w->base->type;
  if (w->row->kind != EXPR_INT || w->col->kind != EXPR_INT) return true;
  if (!type_is_tile(t) || !type_is_tile(base) || t->rank != 2 || base->rank != 2) return true;
  if (!expr_const_int(t->shape[0], &rows) || !expr_const_int(t->shape[1], &cols) ||
      !expr_const_int(base->shape[1], &all_cols))
    return true;
  return rows != 1 && cols != all_cols;
}

/* ---------------------------------------------------------------- rewrites */

typedef struct Canon {
  Slices *sl;
  Map uses; /* slice -> number of uses */
} Canon;

static Slices *slices_of(Rewriter *r) { return ((Canon *)r->ctx)->sl; }

static const Window *window_of(Rewriter *r, const Expr *e) {
  return expr_is_var(e) ? map_get(&slices_of(r)->canonical, e) : NULL;
}

/* `tile.extract` of the window; NULL after an error. */
static Expr *extract_call(Rewriter *r, const Expr *slice, const Window *w, MemSpace target,
                          Span at) {
  Ir *ir = r->ir;
  Expr *args[] = {w->base, w->row, w->col,
                  expr_tuple(ir, slice->type->shape, slice->type->rank, at)};
  AttrList kw = key_with(ir, (AttrList){0}, KEY_TARGET_MEMORY, attr_of_enum(ENUM_MEM, target));
  Expr *call = op_call_id(ir, OP_TILE_EXTRACT, args, 4, kw, at);
  if (!call) slices_of(r)->failed = true;
  return call;
}

/* Assigns it to NAME_textract; the slice itself after an error. */
static Expr *extract(Rewriter *r, Expr *slice, const Window *w, MemSpace target, Span at,
                     StmtList *out) {
  Expr *call = extract_call(r, slice, w, target, at);
  if (!call) return slice;
  Name name = ir_name(r->ir, arena_printf(r->ir->arena, "%s_textract", slice->u.var.name));
  Expr *var = expr_var(r->ir, name, call->type, at);
  vec_push(out, stmt_assign(r->ir, var, call, at));
  return var;
}

/* The first of the two operands multiplied; -1 if the operator is no such product. */
static int matmul_left(const Expr *call) {
  switch (call->u.call.op->id) {
    case OP_TILE_MATMUL:
    case OP_TILE_MATMUL_BIAS: return 0;
    case OP_TILE_MATMUL_ACC: return 1;
    default: return -1;
  }
}

static bool unfolds_in_place(const Expr *call) {
  switch (call->u.call.op->id) {
    case OP_TILE_COL_EXPAND_ADD:
    case OP_TILE_COL_EXPAND_SUB:
    case OP_TILE_COL_EXPAND_MUL:
    case OP_TILE_COL_EXPAND_DIV:
    case OP_TILE_COL_EXPAND_MAX:
    case OP_TILE_COL_EXPAND_MIN:
    case OP_TILE_COL_EXPAND_EXPDIF: return call->u.call.nargs == 2;
    default: return false;
  }
}

/* Which operands a rewrite takes, and where to. */
typedef MemSpace (*Wanted)(Rewriter *r, const Expr *call, int i, const Window *w);

static MemSpace wanted_by_matmul(Rewriter *r, const Expr *call, int i, const Window *w) {
  int left = matmul_left(call);
  (void)r;
  if (w->space != MEM_MAT || i < left || i > left + 1) return MEM_NONE;
  return i == left ? MEM_LEFT : MEM_RIGHT;
}

static MemSpace wanted_in_place(Rewriter *r, const Expr *call, int i, const Window *w) {
  (void)r;
  return in_vector_memory(w) && spills(call->u.call.args[i], w) ? MEM_VEC : MEM_NONE;
}

static MemSpace wanted_aligned(Rewriter *r, const Expr *call, int i, const Window *w) {
  (void)call;
  (void)i;
  return unaligned_vec(slices_of(r), w) ? MEM_VEC : MEM_NONE;
}

/* The call with the wanted operands extracted, or NULL if there are none. */
static Expr *with_extracts(Rewriter *r, Expr *call, Wanted wanted, StmtList *out) {
  Ir *ir = r->ir;
  Expr **args = NULL;
  for (int i = 0; i < call->u.call.nargs; i++) {
    const Window *w = window_of(r, call->u.call.args[i]);
    MemSpace to = w ? wanted(r, call, i, w) : MEM_NONE;
    if (to == MEM_NONE) continue;
    if (!args) args = COPY_ARRAY(ir->arena, Expr *, call->u.call.args, call->u.call.nargs);
    args[i] = extract(r, call->u.call.args[i], w, to, call->span, out);
  }
  if (!args) return NULL;
  Expr *n = op_call(ir, call->u.call.op, args, call->u.call.nargs, call->u.call.kwargs, call->span);
  if (!n) slices_of(r)->failed = true;
  return n ? n : call;
}

/* An extract of a window is one of the tile itself. */
static Expr *extract_of_base(Rewriter *r, Expr *call) {
  const Window *w = call->u.call.nargs == 4 ? window_of(r, call->u.call.args[0]) : NULL;
  if (!w) return NULL;
  Expr **old = call->u.call.args;
  Expr *args[] = {w->base, add_index(r->ir, old[1], w->row, call->span),
                  add_index(r->ir, old[2], w->col, call->span), old[3]};
  Expr *n = op_call(r->ir, call->u.call.op, args, 4, call->u.call.kwargs, call->span);
  if (!n) slices_of(r)->failed = true;
  return n ? n : call;
}

/* What the value of a statement becomes; the same if nothing is to be done. */
static Expr *canonical_value(Rewriter *r, Expr *value, bool assigned, StmtList *out) {
  const Op *op = expr_op(value);
  Expr *n = NULL;
  if (!op || op->id == OP_TILE_SLICE) return value;
  if (op->id == OP_TILE_EXTRACT) {
    n = assigned ? extract_of_base(r, value) : NULL;
    return n ? n : value;
  }
  if (assigned && matmul_left(value) >= 0) n = with_extracts(r, value, wanted_by_matmul, out);
  if (!n && assigned && unfolds_in_place(value)) n = with_extracts(r, value, wanted_in_place, out);
  if (!n) n = with_extracts(r, value, wanted_aligned, out);
  return n ? n : value;
}

static Stmt *canonical_assign(Rewriter *r, Stmt *s, StmtList *out) {
  Expr *value = s->u.assign.value;
  const Window *w = window_of(r, value);
  Expr *n = w && unaligned_vec(slices_of(r), w) ? extract_call(r, value, w, MEM_VEC, s->span)
                                                : canonical_value(r, value, true, out);
  if (!n || n == value) return s;
  Stmt *copy = stmt_copy(r->ir, s);
  copy->u.assign.value = n;
  return copy;
}

static Stmt *canonical_eval(Rewriter *r, Stmt *s, StmtList *out) {
  Expr *n = canonical_value(r, s->u.eval, false, out);
  if (n == s->u.eval) return s;
  Stmt *copy = stmt_copy(r->ir, s);
  copy->u.eval = n;
  return copy;
}

static Stmt *canonical_yield(Rewriter *r, Stmt *s, StmtList *out) {
  Stmt *copy = NULL;
  for (int i = 0; i < s->u.ret.len; i++) {
    const Window *w = window_of(r, s->u.ret.values[i]);
    if (!w || !unaligned_vec(slices_of(r), w)) continue;
    if (!copy) {
      copy = stmt_copy(r->ir, s);
      copy->u.ret.values = COPY_ARRAY(r->ir->arena, Expr *, s->u.ret.values, s->u.ret.len);
    }
    copy->u.ret.values[i] = extract(r, s->u.ret.values[i], w, MEM_VEC, s->span, out);
  }
  return copy ? copy : s;
}

static Stmt *canonical_loop(Rewriter *r, Stmt *s, StmtList *out) {
  VEC(Expr *) replaced = {0};
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    Expr *init = rewrite_expr(r, s->u.loop.iter_args[i]->u.var.init);
    const Window *w = window_of(r, init);
    if (!w || !unaligned_vec(slices_of(r), w)) continue;
    map_set(&r->subst, init, extract(r, init, w, MEM_VEC, s->span, out));
    vec_push(&replaced, init);
  }
  s = rewrite_stmt_children(r, s);
  for (size_t i = 0; i < replaced.len; i++) map_remove(&r->subst, replaced.data[i]);
  vec_free(&replaced);
  return s;
}

static void canonical_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  if (stmt_is_loop(s)) {
    s = canonical_loop(r, s, out);
  } else {
    s = rewrite_stmt_children(r, s);
    if (s->kind == STMT_ASSIGN) s = canonical_assign(r, s, out);
    if (s->kind == STMT_EVAL) s = canonical_eval(r, s, out);
    if (s->kind == STMT_YIELD) s = canonical_yield(r, s, out);
  }
  vec_push(out, s);
}

/* ---------------------------------------------------------------- slices that nobody reads */

static bool count_use(Visitor *v, Expr *e) {
  Canon *c = v->ctx;
  if (expr_is_var(e) && map_has(&c->sl->canonical, e)) ++*(intptr_t *)(void *)map_at(&c->uses, e);
  return true;
}

/* Backwards, so that a slice's own use of another is gone when the other is looked at. */
static Block drop_dead(Rewriter *r, Block b) {
  Canon *c = r->ctx;
  StmtList kept = {0};
  for (int i = b.len - 1; i >= 0; i--) {
    Stmt *s = b.items[i];
    if (s->kind == STMT_ASSIGN && map_has(&c->sl->canonical, s->u.assign.var) &&
        map_get_int(&c->uses, s->u.assign.var) == 0) {
      Expr *src = s->u.assign.value->u.call.args[0];
      if (map_has(&c->uses, src)) --*(intptr_t *)(void *)map_at(&c->uses, src);
      continue;
    }
    vec_push(&kept, rewrite_stmt_children(r, s));
  }
  for (size_t i = 0, j = kept.len; i + 1 < j; i++) {
    Stmt *t = kept.data[i];
    kept.data[i] = kept.data[--j];
    kept.data[j] = t;
  }
  return block_take(r->ir, &kept);
}

static Block drop_dead_slices(Ir *ir, Canon *c, Block body) {
  Visitor v = {.ctx = c, .expr = count_use};
  visit_block(&v, body);
  Rewriter r;
  rewriter_init(&r, ir, c);
  r.block = drop_dead;
  body = rewrite_block(&r, body);
  rewriter_free(&r);
  map_free(&c->uses);
  return body;
}

/* ---------------------------------------------------------------- functions */

static Function *canonicalize(Ir *ir, Slices *sl, Function *f) {
  Canon c = {.sl = sl};
  Rewriter r;
  rewriter_init(&r, ir, &c);
  r.stmt = canonical_stmt;
  Function *out = func_copy(ir, f);
  out->body = drop_dead_slices(ir, &c, rewrite_block(&r, f->body));
  rewriter_free(&r);
  return out;
}

static Function *on_func(void *ctx, Function *f) {
  Ir *ir = ctx;
  if (!func_is_incore(f->type)) return f;
  Slices sl = {.ir = ir};
  Visitor v = {.ctx = &sl, .stmt = collect_stmt};
  visit_block(&v, f->body);
  if (!sl.failed && sl.canonical.count > 0) f = canonicalize(ir, &sl, f);
  map_free(&sl.canonical);
  map_free(&sl.all);
  map_free(&sl.multiples);
  map_free(&sl.constants);
  return sl.failed ? NULL : f;
}

Program *canonicalize_tile_slice(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, on_func, ctx->ir);
}
