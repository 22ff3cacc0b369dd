/* lower_pipeline_to_slots.c -- gives what a pipeline loads one place per stage; see
 * docs/passes/lower-pipeline-to-slots.md. */
#include "arith/fold.h"
#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/memory/memref.h"
#include "passes/pass.h"
#include "target/runtime.h"

#include <string.h>

typedef struct Slotting {
  Ir *ir;
  const Target *target;
  Name stages;
  uint64_t taken[MEM_COUNT]; /* bytes of slots */
  Map tiles;                 /* variable of a load -> the one with a slot */
  bool staged_above;         /* a loop around stays a pipeline */
} Slotting;

/* ---------------------------------------------------------------- what must not move */

typedef struct Uses {
  Map roots; /* variable -> the one whose memory it names, if that is another */
  Map fixed; /* variables that other variables share their memory with */
} Uses;

static const Expr *root_of(const Uses *u, const Expr *var) {
  const Expr *root = map_get(&u->roots, var);
  return root ? root : var;
}

static bool fix_var(Visitor *v, Expr *e) {
  Uses *u = v->ctx;
  if (expr_is_var(e)) map_set(&u->fixed, root_of(u, e), e);
  return true;
}

/* What `e` is computed from stays in its place. */
static void fix(Uses *u, Expr *e) {
  Visitor v = {.ctx = u, .expr = fix_var};
  visit_expr(&v, e);
}

static bool on_call(Visitor *v, Expr *e) {
  const Op *op = expr_op(e);
  if (op && op_result_is_arg(op))
    for (int i = 0; i < e->u.call.nargs; i++) fix(v->ctx, e->u.call.args[i]);
  return true;
}

static void note_alias(Uses *u, const Stmt *s) {
  const Expr *value = s->u.assign.value, *source = value;
  const Op *op = expr_op(value);
  if (!type_is_tile(s->u.assign.var->type)) return;
  if (op && op_result_is_arg(op) && value->u.call.nargs > 0) source = value->u.call.args[0];
  if (expr_is_var(source)) map_set(&u->roots, s->u.assign.var, (void *)root_of(u, source));
}

static bool on_use(Visitor *v, Stmt *s) {
  Uses *u = v->ctx;
  if (s->kind == STMT_ASSIGN) note_alias(u, s);
  if (s->kind == STMT_YIELD)
    for (int i = 0; i < s->u.ret.len; i++) fix(u, s->u.ret.values[i]);
  if (stmt_is_loop(s))
    for (int i = 0; i < s->u.loop.ncarried; i++) fix(u, s->u.loop.iter_args[i]->u.var.init);
  return true;
}

/* ---------------------------------------------------------------- which loops */

static bool is_load(const Stmt *s) {
  if (s->kind != STMT_ASSIGN || !expr_is_op(s->u.assign.value, OP_TILE_LOAD)) return false;
  const Type *t = s->u.assign.var->type;
  return type_is_tile(t) && !t->memref;
}

static bool constant_extents(const Type *t) {
  bool viewed = t->tile_view && t->tile_view->nvalid > 0;
  Expr *const *dims = viewed ? t->tile_view->valid_shape : t->shape;
  int n = viewed ? t->tile_view->nvalid : t->rank;
  for (int i = 0; i < n && i < 2; i++)
    if (!expr_const_int(dims[i], NULL)) return false;
  return n > 0;
}

static bool may_have_slots(const Type *t) {
  return (t->space == MEM_VEC || t->space == MEM_MAT || t->space == MEM_ACC) && constant_extents(t);
}

/* Adds `n` places for a tile; false if they are too many bytes, or it has no constant size. */
static bool add_slots(const Slotting *sl, const Type *t, uint64_t n, uint64_t *taken) {
  uint64_t bytes, all;
  return alloc_bytes(sl->target, t, t->space, &bytes) && !__builtin_mul_overflow(bytes, n, &all) &&
         !__builtin_add_overflow(taken[t->space], all, &taken[t->space]);
}

static bool fits(const Slotting *sl, const uint64_t *taken) {
  for (int space = 0; space < MEM_COUNT; space++) {
    int64_t capacity = sl->target->spaces[space].capacity;
    bool more = taken[space] > sl->taken[space];
    if (more && capacity > 0 && taken[space] > (uint64_t)capacity) return false;
  }
  return true;
}

/* Takes the bytes for the loads in the body, if all of them can have slots. */
static bool take_slots(Slotting *sl, Block b, int64_t stages) {
  Uses u = {0};
  Visitor v = {.ctx = &u, .stmt = on_use, .expr = on_call};
  visit_block(&v, b);
  uint64_t taken[MEM_COUNT];
  memcpy(taken, sl->taken, sizeof taken);
  bool ok = true, any = false;
  for (int i = 0; i < b.len && ok; i++) {
    if (!is_load(b.items[i])) continue;
    const Expr *var = b.items[i]->u.assign.var;
    any = true;
    ok = may_have_slots(var->type) && !map_has(&u.fixed, var) &&
         add_slots(sl, var->type, (uint64_t)stages, taken);
  }
  map_free(&u.roots);
  map_free(&u.fixed);
  if (!ok || !any || !fits(sl, taken)) return false;
  memcpy(sl->taken, taken, sizeof taken);
  return true;
}

static bool is_slotted(Slotting *sl, const Stmt *s, int64_t stages) {
  int64_t start, step;
  return stages >= PTOAS_MIN_SLOTS && stages <= PTOAS_MAX_SLOTS && !sl->staged_above &&
         expr_const_int(s->u.loop.step, &step) && step == 1 &&
         expr_const_int(s->u.loop.start, &start) && start % stages == 0 &&
         take_slots(sl, s->u.loop.body, stages);
}

/* ---------------------------------------------------------------- slots */

static void bind_slot(Rewriter *r, const Stmt *loop, Expr *var, int64_t stages) {
  Slotting *sl = r->ctx;
  Ir *ir = sl->ir;
  Name name = ir_name(ir, arena_printf(ir->arena, "pipe_%s", var->u.var.name));
  Expr *count = expr_int(ir, stages, DT_INDEX, var->span);
  MemRef m = {.base = expr_var(ir, name, type_simple(ir, TYPE_PTR), var->span),
              .offset = expr_index(ir, 0),
              .pinned = true,
              .slots = (uint64_t)stages,
              .slot = make_binary(ir, EXPR_FLOOR_MOD, loop->u.loop.var, count, var->span)};
  const Type *type = type_with_memref(ir, var->type, memref_intern(ir, &m));
  Expr *placed = expr_var(ir, var->u.var.name, type, var->span);
  map_set(&sl->tiles, var, placed);
  map_set(&r->subst, var, placed);
}

static Expr *on_def(Rewriter *r, Expr *var) {
  Slotting *sl = r->ctx;
  Expr *placed = map_get(&sl->tiles, var);
  return placed ? placed : rewrite_def_default(r, var);
}

static Stmt *slot_loop(Rewriter *r, Stmt *s, int64_t stages) {
  Slotting *sl = r->ctx;
  Block b = s->u.loop.body;
  for (int i = 0; i < b.len; i++)
    if (is_load(b.items[i])) bind_slot(r, s, b.items[i]->u.assign.var, stages);
  Stmt *plain = stmt_copy(r->ir, rewrite_stmt_children(r, s));
  plain->u.loop.kind = FOR_RANGE;
  plain->u.loop.attrs = attr_without(r->ir, s->u.loop.attrs, sl->stages);
  return plain;
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Slotting *sl = r->ctx;
  bool staged = s->kind == STMT_FOR && s->u.loop.kind == FOR_PIPELINE;
  int64_t stages = staged ? attr_int(s->u.loop.attrs, sl->stages, 1) : 1;
  if (is_slotted(sl, s, stages)) {
    vec_push(out, slot_loop(r, s, stages));
    return;
  }
  bool above = sl->staged_above;
  sl->staged_above |= stages > 1;
  vec_push(out, rewrite_stmt_children(r, s));
  sl->staged_above = above;
}

/* ---------------------------------------------------------------- what the author declared */

typedef struct Declared {
  const Slotting *sl;
  Map types; /* allocation -> the type of its largest tile */
  Map slots; /* allocation -> how many */
} Declared;

static void on_declared(Visitor *v, Expr *var) {
  Declared *d = v->ctx;
  const Type *t = var->type;
  uint64_t bytes, before = 0;
  if (!type_is_tile(t) || !t->memref || !t->memref->pinned || t->space == MEM_NONE) return;
  if (!alloc_bytes(d->sl->target, t, t->space, &bytes)) return;
  const Expr *base = t->memref->base;
  const Type *largest = map_get(&d->types, base);
  if (largest) alloc_bytes(d->sl->target, largest, largest->space, &before);
  if (bytes > before) map_set(&d->types, base, (void *)t);
  if ((intptr_t)t->memref->slots > map_get_int(&d->slots, base))
    map_set(&d->slots, base, map_int((intptr_t)t->memref->slots));
}

static void count_declared(Slotting *sl, Function *f) {
  Declared d = {.sl = sl};
  Visitor v = {.ctx = &d, .def = on_declared};
  visit_func(&v, f);
  for (MapEntry *e = NULL; (e = map_next(&d.types, e));) {
    const Type *t = e->value;
    if (!add_slots(sl, t, (uint64_t)map_get_int(&d.slots, e->key), sl->taken))
      sl->taken[t->space] = UINT64_MAX; /* InitMemRef will say so */
  }
  map_free(&d.types);
  map_free(&d.slots);
}

static Function *on_func(void *ctx, Function *f) {
  Slotting *sl = ctx;
  memset(sl->taken, 0, sizeof sl->taken);
  count_declared(sl, f);
  Rewriter r;
  rewriter_init(&r, sl->ir, sl);
  r.stmt = on_stmt;
  r.def = on_def;
  Function *out = func_copy(sl->ir, f);
  out->body = rewrite_block(&r, f->body);
  rewriter_free(&r);
  map_clear(&sl->tiles);
  return out->body.items == f->body.items ? f : out;
}

Program *lower_pipeline_to_slots(PassCtx *ctx, Program *p) {
  if (ctx->opts->planner != PLANNER_PTOAS) return p;
  Slotting sl = {
      .ir = ctx->ir, .target = ctx->opts->target, .stages = key_name(KEY_PIPELINE_STAGES)};
  Program *out = rewrite_program(ctx->ir, p, on_func, &sl);
  map_free(&sl.tiles);
  return out;
}
