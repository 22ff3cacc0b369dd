/* lower_auto_vector_split.c -- each vector core gets its half; see docs/passes/lower-auto-vector-split.md. */
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/cross_core/affinity.h"
#include "passes/cross_core/lanes.h"
#include "passes/pass.h"
#include "passes/split_axis/halve.h"
#include "passes/util/retype.h"

typedef struct Splitter {
  Ir *ir;
  Map used; /* names in the function */
  bool failed;
} Splitter;

/* ---------------------------------------------------------------- looking around */

static bool is_region(const Stmt *s) {
  return s->kind == STMT_SCOPE && s->u.scope.kind == SCOPE_SPLIT_AIV;
}

typedef struct Look {
  const Stmt *scope, *region;
  bool crosses; /* aiv_shard or aic_gather */
  Map *names;   /* NULL, or to be filled */
  Ir *ir;
  OpAffinity inside; /* of what is in scopes */
} Look;

static bool look_stmt(Visitor *v, Stmt *s) {
  Look *l = v->ctx;
  if (s->kind == STMT_SCOPE && !l->scope) l->scope = s;
  if (s->kind == STMT_SCOPE)
    l->inside = combine_affinity(l->inside, block_affinity(l->ir, s->u.scope.body));
  if (is_region(s) && !l->region) l->region = s;
  return true;
}

static bool look_expr(Visitor *v, Expr *e) {
  Look *l = v->ctx;
  l->crosses |= expr_is_op(e, OP_TILE_AIV_SHARD) || expr_is_op(e, OP_TILE_AIC_GATHER);
  return true;
}

static void look_def(Visitor *v, Expr *var) {
  Look *l = v->ctx;
  if (l->names) map_set(l->names, var->u.var.name, (void *)var->u.var.name);
}

static Look look(Ir *ir, Block b, Map *names) {
  Look l = {.names = names, .ir = ir, .inside = AFFINITY_SHARED};
  Visitor v = {.ctx = &l, .stmt = look_stmt, .expr = look_expr, .def = look_def};
  visit_block(&v, b);
  return l;
}

/* ---------------------------------------------------------------- regions */

typedef struct Transposes {
  Ir *ir;
  int axis;
  bool failed;
} Transposes;

static bool check_transpose(Visitor *v, Expr *e) {
  Transposes *t = v->ctx;
  if (t->failed || !swaps_axis(e, t->axis)) return !t->failed;
  diag_error(t->ir->diag, e->span,
             "tile.transpose moves the axis that is split between the two vector cores");
  t->failed = true;
  return false;
}

static bool check_transposes(Ir *ir, Block b, SplitMode mode) {
  Transposes t = {.ir = ir, .axis = split_axis_of(mode)};
  Visitor v = {.ctx = &t, .expr = check_transpose};
  visit_block(&v, b);
  return !t.failed;
}

static Expr *place(Rewriter *r, Expr *e) {
  Expr *n = rewrite_expr_children(r, e);
  const Op *op = expr_op(n);
  Name key = key_name(KEY_CORE_PLACEMENT);
  if (!op || !(op->flags & OPF_NO_DUPLICATE) || op_states_core(op) ||
      attr_get(n->u.call.attrs, key) || call_affinity(r->ir, n) != AFFINITY_SHARED)
    return n;
  n = expr_copy(r->ir, n);
  n->u.call.attrs = attr_with(r->ir, n->u.call.attrs, key, attr_of_str(ir_name(r->ir, "aiv")));
  return n;
}

static void put_region(Rewriter *r, const Stmt *s, StmtList *out) {
  Splitter *sp = r->ctx;
  Block b = rewrite_block(r, s->u.scope.body);
  SplitMode mode = s->u.scope.split;
  if (!b.len || sp->failed) return;
  Look l = look(sp->ir, b, NULL);
  if (l.scope) {
    diag_error(sp->ir->diag, l.scope->span,
               "a scope inside a pl.split_aiv region cannot be split: it is not "
               "outlined from a function of type InCore");
    sp->failed = true;
    return;
  }
  if (mode != SPLIT_NONE) {
    sp->failed = l.crosses
                     ? !check_own_halves(sp->ir, b, mode, &sp->used, &r->subst, &b)
                     : !halve_block(sp->ir, b, mode, HALVE_REGION, &sp->used, b.items[0]->span, &b);
    sp->failed = sp->failed || !check_transposes(sp->ir, b, mode);
  }
  Rewriter placer;
  rewriter_init(&placer, sp->ir, NULL);
  placer.expr = place;
  b = rewrite_block(&placer, b);
  rewriter_free(&placer);
  for (int i = 0; i < b.len; i++) vec_push(out, b.items[i]);
}

/* A call whose operands come from a region: what is valid of them is known better now, so also of its result. */
static Expr *revalidated(Splitter *sp, Expr *call) {
  Ir *ir = sp->ir;
  const Expr *again = op_call(ir, expr_op(call), call->u.call.args, call->u.call.nargs,
                              call->u.call.kwargs, call->span);
  sp->failed |= !again;
  if (!again || !type_is_tile(again->type) || !type_is_tile(call->type) ||
      again->type->rank != call->type->rank)
    return call;
  TileView v = tile_view_of(ir, call->type);
  int rank;
  Expr *const *valid = type_valid_shape(again->type, &rank);
  v.valid_shape = COPY_ARRAY(ir->arena, Expr *, valid, rank);
  v.nvalid = rank;
  Expr *n = expr_copy(ir, call);
  n->type = type_with_tile_view(ir, call->type, &v);
  return n;
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Splitter *sp = r->ctx;
  if (is_region(s)) {
    put_region(r, s, out);
  } else if (s->kind == STMT_SCOPE || sp->failed) {
    vec_push(out, s);
  } else if (s->kind == STMT_ASSIGN) {
    Expr *value = s->u.assign.value, *now = rewrite_expr(r, value);
    if (now != value && expr_op(now) && type_is_tile(now->type)) now = revalidated(sp, now);
    retype_assign(r, s, now, out);
  } else {
    retype_stmt(r, s, out);
  }
}

/* ---------------------------------------------------------------- functions */

static AttrList marked(Ir *ir, AttrList a, const char *key) {
  return attr_with(ir, attr_without(ir, a, ir_name(ir, key)), ir_name(ir, key), attr_of_bool(true));
}

static Function *lower_regions(Splitter *sp, Function *f) {
  Rewriter r;
  retype_init(&r, sp->ir, sp);
  r.stmt = on_stmt;
  Function *g = func_copy(sp->ir, f);
  g->body = rewrite_block(&r, f->body);
  rewriter_free(&r);
  if (sp->failed) return NULL;
  const Stmt *left = look(sp->ir, g->body, NULL).region;
  if (left) {
    diag_error(sp->ir->diag, left->span,
               "a pl.split_aiv region inside a scope cannot be split: it is not outlined "
               "from a function of type InCore");
    return NULL;
  }
  g->attrs = key_without(sp->ir, f->attrs, KEY_SPLIT_AIV_REGION_VALIDATED);
  g->attrs = marked(sp->ir, g->attrs, "split_aiv");
  g->attrs = marked(sp->ir, g->attrs, "split_aiv_region_validated");
  return g;
}

static Function *lower_whole(Splitter *sp, Function *f, SplitMode mode, const Stmt *scope) {
  Ir *ir = sp->ir;
  if (scope) {
    diag_error(ir->diag, scope->span,
               "function '%s' is to be split between two vector cores, but a scope is left in it",
               f->name);
    return NULL;
  }
  Function *g = func_copy(ir, f);
  if (!halve_block(ir, f->body, mode, HALVE_KERNEL, &sp->used, f->span, &g->body)) return NULL;
  Name split = key_name(KEY_SPLIT);
  AttrValue value = *attr_get(f->attrs, split);
  AttrList a = key_without(ir, attr_without(ir, f->attrs, split), KEY_SPLIT_AIV);
  a = key_without(ir, a, KEY_DUAL_AIV_DISPATCH);
  g->attrs = marked(ir, attr_with(ir, a, split, value), "split_aiv");
  return g;
}

static Function *on_func(void *ctx, Function *f) {
  Ir *ir = ctx;
  if (f->type != FUNC_INCORE) return f;
  Splitter sp = {.ir = ir};
  Look l = look(ir, f->body, &sp.used);
  for (int i = 0; i < f->nparams; i++)
    map_set(&sp.used, f->params[i]->u.var.name, (void *)f->params[i]->u.var.name);
  SplitMode mode = (SplitMode)key_int(f->attrs, KEY_SPLIT, SPLIT_NONE);
  Function *g = f;
  if (l.region)
    g = lower_regions(&sp, f);
  else if (mode != SPLIT_NONE && !key_bool(f->attrs, KEY_SPLIT_AIV, false) &&
           combine_affinity(block_affinity(ir, f->body), l.inside) == AFFINITY_MIXED)
    g = lower_whole(&sp, f, mode, l.scope);
  map_free(&sp.used);
  return g;
}

Program *lower_auto_vector_split(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, on_func, ctx->ir);
}
