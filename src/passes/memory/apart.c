#include "passes/memory/apart.h"

#include <stdlib.h>

#include "ir/visit.h"
#include "passes/memory/memref.h"

typedef struct Collect {
  Apart *a;
  Ir *ir;
  const Target *target;
  const Lives *l;
  Map tuples; /* variable of a tuple -> the call that gives it */
  bool guard_loads;
  Map loaded;       /* tiles loaded, and views of such */
  Map popped;       /* tiles popped from a pipe */
  VEC(int) poppers; /* tiles whose operator reads a popped one */
} Collect;

/* ---------------------------------------------------------------- no alias */

/* Arguments that are read while the result is written, if the operator isn't safe in place. */
static int args_read(const Target *target, const Expr *call) {
  bool skips_tmp = expr_is_op(call, OP_TILE_PRELU) && !target->prelu_reads_tmp;
  return skips_tmp && call->u.call.nargs > 2 ? 2 : call->u.call.nargs;
}

bool may_alias_arg(const Target *target, const Expr *call, const Type *result, int i) {
  const Op *op = expr_op(call);
  if (!op) return true;
  if (op->flags & OPF_NOT_INPLACE) return i >= args_read(target, call);
  if (i < 32 && (op->no_alias >> i & 1)) return false;
  if (op->id != OP_TILE_CAST || i != 0) return true;
  /* a wider result overtakes the elements still to be read */
  const Type *in = call->u.call.args[0]->type;
  return !type_is_tile(result) || !type_is_tile(in) ||
         dtype_bits(result->dtype) <= dtype_bits(in->dtype);
}

static void forbid(Collect *c, const Expr *result, const Expr *call) {
  int a = lives_interval(c->l, var_base(result));
  if (a < 0) return;
  for (int i = 0; i < call->u.call.nargs; i++) {
    if (may_alias_arg(c->target, call, result->type, i)) continue;
    int b = lives_interval(c->l, var_base(call->u.call.args[i]));
    if (b >= 0 && b != a) vec_push(&c->a->no_alias, (IntervalPair){a, b});
  }
}

static void collect_no_alias(Collect *c, Expr *var, Expr *value) {
  if (value->kind == EXPR_TUPLE_GET && expr_is_var(value->u.get.tuple)) {
    const Expr *call = map_get(&c->tuples, value->u.get.tuple);
    if (call) forbid(c, var, call);
  }
  if (value->kind != EXPR_CALL) return;
  if (var->type->kind == TYPE_TUPLE)
    map_set(&c->tuples, var, value);
  else
    forbid(c, var, value);
}

/* ---------------------------------------------------------------- loads next to pops */

static bool is_load_view(const Op *op) {
  switch (op->id) {
    case OP_TILE_RESHAPE:
    case OP_TILE_EXTRACT:
    case OP_TILE_SLICE:
    case OP_TILE_FILLPAD:
    case OP_TILE_FILLPAD_INPLACE:
    case OP_TILE_TRANSPOSE_VIEW:
    case OP_TILE_REINTERPRET_VIEW:
    case OP_TENSOR_SLICE: return true;
    default: return false;
  }
}

static bool any_arg_in(const Map *set, const Expr *call) {
  for (int i = 0; i < call->u.call.nargs; i++)
    if (map_has(set, call->u.call.args[i])) return true;
  return false;
}

static void collect_loads(Collect *c, Expr *var, Expr *value) {
  const Op *op = expr_op(value);
  if (!op || !tile_base(var->type)) return;
  if (op->id == OP_TILE_LOAD || (is_load_view(op) && any_arg_in(&c->loaded, value)))
    map_set(&c->loaded, var, var);
  if (op->id == OP_TILE_TPOP_FROM_AIC) map_set(&c->popped, var, var);
  if (any_arg_in(&c->popped, value)) vec_push(&c->poppers, lives_tile(c->l, var));
}

typedef struct AtPoint {
  int point, interval;
} AtPoint;

static int by_point(const void *x, const void *y) {
  const AtPoint *a = x, *b = y;
  if (a->point != b->point) return a->point < b->point ? -1 : 1;
  return a->interval - b->interval;
}

/* Pairs every interval defined by a popping operator with the loaded ones last used at that point. */
static void pair_hazards(Collect *c) {
  const Lives *l = c->l;
  VEC(AtPoint) ends = {0};
  for (size_t i = 0; i < l->intervals.len; i++) {
    const Interval *iv = &l->intervals.data[i];
    if (map_has(&c->loaded, iv->var)) vec_push(&ends, (AtPoint){iv->last, (int)i});
  }
  if (ends.len) qsort(ends.data, ends.len, sizeof *ends.data, by_point);
  for (size_t i = 0; i < c->poppers.len; i++) {
    const Tile *t = &l->tiles.data[c->poppers.data[i]];
    const Interval *iv = &l->intervals.data[t->interval];
    if (iv->var != t->var) continue;
    size_t lo = 0, hi = ends.len;
    while (lo < hi) {
      size_t mid = lo + (hi - lo) / 2;
      if (ends.data[mid].point < iv->def)
        lo = mid + 1;
      else
        hi = mid;
    }
    for (; lo < ends.len && ends.data[lo].point == iv->def; lo++)
      if (ends.data[lo].interval != t->interval)
        vec_push(&c->a->hazards, (IntervalPair){t->interval, ends.data[lo].interval});
  }
  vec_free(&ends);
}

static bool is_split_vector(Ir *ir, const Target *target, const Function *f) {
  if (f->type != FUNC_AIV || !target->load_pop_hazard) return false;
  if (attr_bool(f->attrs, ir_name(ir, "split_aiv"), false)) return true;
  return attr_int(f->attrs, ir_name(ir, "split"), SPLIT_NONE) != SPLIT_NONE;
}

/* ---------------------------------------------------------------- declared allocations */

/* A tile that the author bound to a slot, by itself: not a view or copy of another one. */
typedef struct Bound {
  int interval;
  int64_t offset; /* tells slots of one allocation apart */
  int def, tile;
} Bound;

static int by_slot(const void *x, const void *y) {
  const Bound *a = x, *b = y;
  if (a->interval != b->interval) return a->interval - b->interval;
  if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
  return a->def != b->def ? a->def - b->def : a->tile - b->tile;
}

static bool is_bound(const Collect *c, const Tile *t, Bound *out) {
  const MemRef *m = t->var->type->memref;
  if (!t->stmt || !map_has(&c->a->pinned, m->base)) return false;
  const Expr *value = t->stmt->u.assign.value;
  const Op *op = expr_op(value);
  if (expr_is_var(value) || (op && op_result_is_arg(op))) return false;
  /* with a slot chosen at run time, keeping the slots apart is up to the author */
  if (!expr_const_int(m->offset, &out->offset)) return false;
  out->interval = t->interval;
  out->def = t->def;
  return true;
}

static bool check_slots(Collect *c) {
  VEC(Bound) list = {0};
  bool ok = true;
  for (size_t i = 0; i < c->l->tiles.len && c->a->pinned.count; i++) {
    Bound b = {.tile = (int)i};
    if (is_bound(c, &c->l->tiles.data[i], &b)) vec_push(&list, b);
  }
  if (list.len) qsort(list.data, list.len, sizeof *list.data, by_slot);
  for (size_t i = 1; i < list.len; i++) {
    const Bound *a = &list.data[i - 1], *b = &list.data[i];
    if (a->interval != b->interval || a->offset != b->offset) continue;
    const Tile *s = &c->l->tiles.data[a->tile], *t = &c->l->tiles.data[b->tile];
    if (s->last <= t->def) continue;
    ok = false;
    diag_error(
        c->ir->diag, t->var->span,
        "tiles '%s' and '%s' are bound to one slot of allocation '%s' and alive at the same time",
        s->var->u.var.name, t->var->u.var.name, c->l->intervals.data[b->interval].base->u.var.name);
    diag_note(c->ir->diag, s->var->span, "'%s' is still needed when '%s' is written",
              s->var->u.var.name, t->var->u.var.name);
  }
  vec_free(&list);
  return ok;
}

/* ---------------------------------------------------------------- all of them */

static bool collect_stmt(Visitor *v, Stmt *s) {
  Collect *c = v->ctx;
  if (s->kind != STMT_ASSIGN) return true;
  collect_no_alias(c, s->u.assign.var, s->u.assign.value);
  if (c->guard_loads) collect_loads(c, s->u.assign.var, s->u.assign.value);
  return false;
}

bool apart_init(Apart *a, Ir *ir, const Target *target, const Function *f, const Lives *l) {
  *a = (Apart){0};
  Collect c = {.a = a, .ir = ir, .target = target, .l = l};
  c.guard_loads = is_split_vector(ir, target, f);
  for (int i = 0; i < f->body.len; i++) {
    uint64_t bytes;
    if (!pinned_bytes(ir, f->body.items[i], &bytes)) continue;
    uint64_t *kept = NEW(ir->arena, uint64_t);
    *kept = bytes;
    map_set(&a->pinned, f->body.items[i]->u.assign.var, kept);
  }
  bool ok = check_slots(&c);
  Visitor v = {.ctx = &c, .stmt = collect_stmt};
  visit_block(&v, f->body);
  if (c.guard_loads) pair_hazards(&c);
  map_free(&c.tuples);
  map_free(&c.loaded);
  map_free(&c.popped);
  vec_free(&c.poppers);
  return ok;
}

void apart_free(Apart *a) {
  vec_free(&a->no_alias);
  vec_free(&a->hazards);
  map_free(&a->pinned);
}
