/* pl.split_aiv regions are what their author means: vector work only, and in a function that has such
 * regions every value that crosses their edge says so.
 *
 * Inside of a region: no cube operators; where the lanes share an axis, no reduction over it; what crosses
 * (tile.aiv_shard, tile.aic_gather) comes from and goes to the memory of the right core.  Outside: nothing
 * that crosses, no vector work without a region, no cube operator that reads a region's value but through
 * a gather; inside, no vector operator that reads a cube operator's value but through a shard.  Loads and
 * stores are free, passes move them out of regions.  Spaces that are not decided yet are not judged. */
#include "base/map.h"
#include "ir/visit.h"
#include "passes/cross_core/affinity.h"
#include "passes/cross_core/lanes.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  Map defs;           /* variable -> the call that it is assigned */
  Map in_region;      /* variables assigned inside of a region */
  const Stmt *first;  /* the first region of the function, or NULL */
  const Stmt *region; /* around the statement, or NULL */
  bool ok;
} Check;

__attribute__((format(printf, 3, 4))) static void fault(Check *c, Span at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_vreport(c->ir->diag, DIAG_ERROR, at, fmt, ap);
  va_end(ap);
  c->ok = false;
}

static bool is_region(const Stmt *s) {
  return s->kind == STMT_SCOPE && s->u.scope.kind == SCOPE_SPLIT_AIV;
}

static bool is_gather(const Op *op) {
  return op->id == OP_TILE_AIC_GATHER || op->id == OP_TENSOR_AIC_GATHER;
}
static bool is_shard(const Op *op) {
  return op->id == OP_TILE_AIV_SHARD || op->id == OP_TENSOR_AIV_SHARD;
}
static bool crosses(const Op *op) { return is_gather(op) || is_shard(op); }
static bool moves_data(const Op *op) { return op->id == OP_TILE_LOAD || op->id == OP_TILE_STORE; }

/* The core that reads a call's operands: a move between the cores reads where it moves to. */
static OpAffinity reader(Check *c, const Expr *call) {
  OpAffinity a = call_affinity(c->ir, call);
  if (a != AFFINITY_MIXED || !expr_is_op(call, OP_TILE_MOVE)) return a;
  return call->type->space == MEM_VEC ? AFFINITY_VECTOR : AFFINITY_CUBE;
}

static bool wrong_space(const Type *t, MemSpace s) {
  return type_is_tile(t) && t->space != MEM_NONE && t->space != s;
}

static void check_crossing(Check *c, const Expr *call) {
  bool shard = is_shard(expr_op(call));
  if (wrong_space(call->u.call.args[0]->type, shard ? MEM_ACC : MEM_VEC))
    fault(c, call->span,
          shard ? "only what a cube operator made (Acc) is sharded to the vector cores"
                : "only what a vector core made (Vec) is gathered for the cube");
  if (wrong_space(call->type, shard ? MEM_VEC : MEM_MAT))
    fault(c, call->span,
          shard ? "what is sharded to the vector cores arrives in Vec"
                : "what is gathered for the cube arrives in Mat");
}

static void check_inside(Check *c, const Expr *call) {
  const Op *op = expr_op(call);
  SplitMode mode = c->region->u.scope.split;
  if (crosses(op)) {
    check_crossing(c, call);
  } else if (call_affinity(c->ir, call) == AFFINITY_CUBE) {
    fault(c, call->span, "'%s' runs on the cube core and cannot stand in a pl.split_aiv region",
          op->name);
  } else if (mode != SPLIT_NONE && reduced_axis(call) == split_axis_of(mode)) {
    fault(c, call->span,
          "'%s' reduces the axis that the vector cores share, so each has a part only", op->name);
  }
}

static void check_outside(Check *c, const Expr *call) {
  const Op *op = expr_op(call);
  if (crosses(op))
    fault(c, call->span, "'%s' must stand in a pl.split_aiv region", op->name);
  else if (c->first && !moves_data(op) && !op_states_core(op) &&
           call_affinity(c->ir, call) == AFFINITY_VECTOR)
    fault(c, call->span,
          "'%s' stands outside of every pl.split_aiv region of a function that has some", op->name);
}

static void check_operand(Check *c, const Expr *call, const Expr *var) {
  const Expr *def = map_get(&c->defs, var);
  bool inside = map_has(&c->in_region, var);
  if (def && moves_data(expr_op(def))) return;
  if (!c->region && inside && reader(c, call) == AFFINITY_CUBE && !(def && is_gather(expr_op(def))))
    fault(c, call->span, "'%s' reaches the cube core without pl.aic_gather", var->u.var.name);
  if (c->region && !inside && def && reader(c, call) == AFFINITY_VECTOR &&
      call_affinity(c->ir, def) == AFFINITY_CUBE)
    fault(c, call->span, "'%s' reaches the vector cores without pl.aiv_shard", var->u.var.name);
}

static bool check_expr(Visitor *v, Expr *e) {
  Check *c = v->ctx;
  const Op *op = expr_op(e);
  if (!op) return true;
  if (c->region)
    check_inside(c, e);
  else
    check_outside(c, e);
  if (!c->first || crosses(op) || moves_data(op)) return true;
  for (int i = 0; i < e->u.call.nargs; i++) {
    bool again = false;
    for (int k = 0; k < i; k++) again = again || e->u.call.args[k] == e->u.call.args[i];
    if (!again && expr_is_var(e->u.call.args[i])) check_operand(c, e, e->u.call.args[i]);
  }
  return true;
}

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (!is_region(s)) return true;
  const Stmt *outer = c->region;
  c->region = s;
  visit_block(v, s->u.scope.body);
  c->region = outer;
  return false;
}

static bool collect(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind == STMT_ASSIGN) {
    if (expr_op(s->u.assign.value)) map_set(&c->defs, s->u.assign.var, s->u.assign.value);
    if (c->region) map_set(&c->in_region, s->u.assign.var, map_int(1));
  }
  if (!is_region(s)) return true;
  if (!c->first) c->first = s;
  const Stmt *outer = c->region;
  c->region = s;
  visit_block(v, s->u.scope.body);
  c->region = outer;
  return false;
}

static void check_function(Check *c, Function *f) {
  map_clear(&c->defs);
  map_clear(&c->in_region);
  c->first = NULL;
  Visitor facts = {.ctx = c, .stmt = collect};
  visit_block(&facts, f->body);
  if (c->first && f->type == FUNC_INCORE && !key_bool(f->attrs, KEY_SPLIT_AIV, false))
    fault(c, c->first->span,
          "'%s' is a kernel already: pl.split_aiv belongs into pl.at(level=pl.Level.CORE_GROUP)",
          f->name);
  Visitor v = {.ctx = c, .expr = check_expr, .stmt = check_stmt};
  visit_block(&v, f->body);
}

bool verify_aiv_split(PassCtx *ctx, const Program *p) {
  Check c = {.ir = ctx->ir, .ok = true};
  for (int i = 0; i < p->nfuncs; i++) check_function(&c, p->funcs[i]);
  map_free(&c.defs);
  map_free(&c.in_region);
  return c.ok;
}
