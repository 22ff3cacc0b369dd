/* A hardware barrier (pl.system.syncall without mode="soft") waits for every core of its kind on the chip.
 * The launch of its kernel must occupy exactly those, all at once: a launch of as many blocks as there are
 * cores (in numbers, or asked of the device), with sync_start.  Launches of a size that is computed are not
 * judged, nor kernels that no such launch starts. */
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "ir/op.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef enum { WIDTH_NUMBER, WIDTH_CLUSTERS, WIDTH_VECTORS, WIDTH_COMPUTED } WidthKind;

typedef struct Width {
  WidthKind kind;
  int64_t blocks; /* WIDTH_NUMBER */
  bool sync_start;
} Width;

/* What a function holds, found once. */
typedef struct Contents {
  VEC(const Expr *) barriers; /* hardware ones */
  VEC(Function *) callees;    /* without repetition */
} Contents;

typedef struct Check {
  PassCtx *ctx;
  const Program *program;
  Map widths;   /* variable -> the call that asks the device for a number of cores */
  Map contents; /* Function * -> Contents * */
  Contents *at; /* being filled */
  Name core_num, sync_start, core_type, mode;
  bool ok;
} Check;

static void add_callee(Contents *c, Function *f) {
  if (!f) return;
  for (size_t i = 0; i < c->callees.len; i++)
    if (c->callees.data[i] == f) return;
  vec_push(&c->callees, f);
}

static const char *str_kwarg(const Expr *call, Name key, const char *otherwise) {
  const AttrValue *v = attr_get(call->u.call.kwargs, key);
  return v && v->kind == ATTR_STR ? v->u.str : otherwise;
}

static bool look(Visitor *v, Expr *e) {
  Check *c = v->ctx;
  if (!expr_is_call(e)) return true;
  if (e->u.call.callee) add_callee(c->at, program_func(c->program, e->u.call.callee));
  if (expr_is_op(e, OP_SYSTEM_SYNCALL) && strcmp(str_kwarg(e, c->mode, "hard"), "soft") != 0)
    vec_push(&c->at->barriers, e);
  return true;
}

static const Contents *contents_of(Check *c, Function *f) {
  Contents *known = map_get(&c->contents, f);
  if (known) return known;
  c->at = NEW(c->ctx->ir->arena, Contents);
  map_set(&c->contents, f, c->at);
  Visitor v = {.ctx = c, .expr = look};
  visit_block(&v, f->body);
  return c->at;
}

/* ---- one launch ---- */

static WidthKind asked(const Expr *e) {
  if (expr_is_op(e, OP_SYSTEM_AVAILABLE_CLUSTER_COUNT)) return WIDTH_CLUSTERS;
  return expr_is_op(e, OP_SYSTEM_AVAILABLE_AIV_COUNT) ? WIDTH_VECTORS : WIDTH_COMPUTED;
}

static Width width_of(Check *c, const Expr *core_num, bool sync_start) {
  Width w = {.kind = WIDTH_NUMBER, .sync_start = sync_start};
  if (expr_const_int(core_num, &w.blocks)) return w;
  const Expr *value = expr_is_var(core_num) ? map_get(&c->widths, core_num) : core_num;
  w.kind = value ? asked(value) : WIDTH_COMPUTED;
  return w;
}

static void fault(Check *c, const Expr *barrier, const char *why) {
  diag_error(c->ctx->ir->diag, barrier->span, "this barrier cannot complete: %s", why);
  diag_note(c->ctx->ir->diag, NO_SPAN, "with mode=\"soft\" it works for any launch");
  c->ok = false;
}

/* Does the launch fill `cores` cores, which `kind` asks the device for? */
static void check_width(Check *c, const Expr *barrier, Width w, WidthKind kind, int cores,
                        const char *what) {
  if (w.kind == WIDTH_NUMBER && w.blocks != cores)
    fault(c, barrier,
          arena_printf(c->ctx->ir->arena, "%s has %d %s, and the launch %lld blocks",
                       c->ctx->opts->target->name, cores, what, (long long)w.blocks));
  else if (w.kind != WIDTH_NUMBER && w.kind != kind)
    fault(c, barrier,
          kind == WIDTH_VECTORS ? "the launch must ask for available_aiv_count()"
                                : "the launch must ask for available_cluster_count()");
  else if (!w.sync_start)
    fault(c, barrier, "without sync_start=True the blocks need not run at the same time");
}

static void check_single(Check *c, Function *f, Width w) {
  bool vector = f->type == FUNC_AIV;
  const Target *t = c->ctx->opts->target;
  const Contents *k = contents_of(c, f);
  for (size_t i = 0; i < k->barriers.len; i++) {
    const Expr *barrier = k->barriers.data[i];
    const char *cores = str_kwarg(barrier, c->core_type, "mix");
    if (strcmp(cores, vector ? "aiv_only" : "aic_only") != 0)
      fault(c, barrier, vector ? "the launch has no cube cores" : "the launch has no vector cores");
    else
      check_width(c, barrier, w, vector ? WIDTH_VECTORS : WIDTH_CLUSTERS,
                  vector ? t->vector_cores : t->cube_cores, vector ? "vector cores" : "cube cores");
  }
}

/* A kernel for both kinds of core: a block is a cube core with its vector cores. */
static void check_mixed(Check *c, Function *f, Width w) {
  const Contents *k = contents_of(c, f);
  for (size_t i = 0; i < k->callees.len; i++) {
    Function *half = k->callees.data[i];
    if (half->type != FUNC_AIC && half->type != FUNC_AIV) continue;
    const Contents *h = contents_of(c, half);
    if (h->barriers.len == 0) continue;
    check_width(c, h->barriers.data[0], w, WIDTH_CLUSTERS, c->ctx->opts->target->cube_cores,
                "cube cores");
    return; /* the other half holds the same barrier */
  }
}

static void check_kernel(Check *c, Function *f, Width w) {
  bool half = key_bool(f->attrs, KEY_DUAL_AIV_DISPATCH, false);
  if (f->type == FUNC_AIC || (f->type == FUNC_AIV && !half)) check_single(c, f, w);
  if (f->type == FUNC_GROUP) check_mixed(c, f, w);
}

/* ---- all launches ---- */

static const Expr *attr_core_num(const Check *c, AttrList attrs) {
  const AttrValue *v = attr_get(attrs, c->core_num);
  if (v && v->kind == ATTR_INT) return expr_index(c->ctx->ir, v->u.i);
  return v && v->kind == ATTR_EXPR ? v->u.expr : NULL;
}

static bool check_launch(Visitor *v, Expr *e) {
  Check *c = v->ctx;
  if (!expr_is_call(e) || !e->u.call.callee) return true;
  Function *f = program_func(c->program, e->u.call.callee);
  if (!f) return true;
  const Launch *l = e->u.call.launch;
  const Expr *core_num = l ? l->core_num : attr_core_num(c, e->u.call.attrs);
  bool sync = l ? l->sync_start : attr_bool(e->u.call.attrs, c->sync_start, false);
  bool own = core_num != NULL;
  if (!own) {
    core_num = attr_core_num(c, f->attrs);
    sync = attr_bool(f->attrs, c->sync_start, false);
  }
  if (!core_num) return true;
  Width w = width_of(c, core_num, sync);
  if (w.kind == WIDTH_COMPUTED) return true;
  bool unwrapped = !own || key_bool(f->attrs, KEY_SPMD_UNWRAPPED, false);
  if (f->type == FUNC_SPMD || (f->type == FUNC_GROUP && unwrapped)) {
    const Contents *k = contents_of(c, f);
    for (size_t i = 0; i < k->callees.len; i++) check_kernel(c, k->callees.data[i], w);
  } else {
    check_kernel(c, f, w);
  }
  return true;
}

static bool note_width(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind == STMT_ASSIGN && asked(s->u.assign.value) != WIDTH_COMPUTED)
    map_set(&c->widths, s->u.assign.var, s->u.assign.value);
  return true;
}

bool verify_syncall_occupancy(PassCtx *ctx, const Program *p) {
  Ir *ir = ctx->ir;
  Check c = {.ctx = ctx,
             .program = p,
             .core_num = ir_name(ir, "core_num"),
             .sync_start = ir_name(ir, "sync_start"),
             .core_type = ir_name(ir, "core_type"),
             .mode = ir_name(ir, "mode"),
             .ok = true};
  Visitor widths = {.ctx = &c, .stmt = note_width};
  visit_program(&widths, p);
  Visitor launches = {.ctx = &c, .expr = check_launch};
  visit_program(&launches, p);
  for (MapEntry *e = NULL; (e = map_next(&c.contents, e));) {
    Contents *k = e->value;
    vec_free(&k->barriers);
    vec_free(&k->callees);
  }
  map_free(&c.contents);
  map_free(&c.widths);
  return c.ok;
}
