/* outline_cluster_scopes.c -- see docs/passes/outline-cluster-scopes.md. */
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/outline/outline.h"
#include "passes/outline/scope_facts.h"
#include "passes/pass.h"

/* How a group is launched: what stood in the pl.spmd inside its cluster. */
typedef struct LaunchSpec {
  Function *group;
  Expr *core_num; /* in the group's variables; NULL: there was none */
  bool sync_start;
} LaunchSpec;

typedef struct ClusterPass {
  Ir *ir;
  const Program *program;
  Map reserved;
  Map specs; /* name of a group -> LaunchSpec* */
  FuncList funcs;
  bool failed;
} ClusterPass;

/* ---- pl.spmd inside pl.cluster ---- */

typedef struct Unwrap {
  ClusterPass *c;
  LaunchSpec *spec;
} Unwrap;

static void unwrap_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Unwrap *u = r->ctx;
  if (s->kind != STMT_SCOPE || s->u.scope.kind != SCOPE_SPMD) {
    vec_push(out, rewrite_stmt_children(r, s));
    return;
  }
  if (u->spec->core_num) {
    diag_error(r->ir->diag, s->span, "a pl.cluster() can hold only one pl.spmd()");
    u->c->failed = true;
  }
  u->spec->core_num = s->u.scope.core_num;
  u->spec->sync_start = s->u.scope.sync_start;
  Block body = rewrite_block(r, s->u.scope.body);
  for (int i = 0; i < body.len; i++) vec_push(out, body.items[i]);
}

static Function *unwrap_group(ClusterPass *c, Function *group) {
  LaunchSpec *spec = NEW(c->ir->arena, LaunchSpec);
  Unwrap u = {c, spec};
  Rewriter r;
  rewriter_init(&r, c->ir, &u);
  r.stmt = unwrap_stmt;
  Block body = rewrite_block(&r, group->body);
  rewriter_free(&r);
  if (!spec->core_num) return group;
  Function *out = func_copy(c->ir, group);
  out->body = body;
  out->attrs = key_with(c->ir, group->attrs, KEY_SPMD_UNWRAPPED, attr_of_bool(true));
  spec->group = out;
  map_set(&c->specs, out->name, spec);
  return out;
}

/* ---- the launch at the call ---- */

static bool note_bound(Visitor *v, Expr *e) {
  Expr **bound = v->ctx;
  if (e->kind == EXPR_VAR) *bound = e;
  return true;
}

/* The block count is computed by the caller, who knows nothing that the group defines. */
static void check_core_num(ClusterPass *c, const LaunchSpec *spec, Expr *core_num) {
  ScopeFacts facts;
  scope_facts_init(&facts, spec->group->body);
  for (int i = 0; i < spec->group->nparams; i++)
    map_set(&facts.def_set, spec->group->params[i], map_int(1));
  Expr *var = NULL;
  Visitor v = {.ctx = &var, .expr = note_bound};
  visit_expr(&v, core_num);
  if (var && map_has(&facts.def_set, var)) {
    diag_error(c->ir->diag, spec->group->span,
               "the block count of pl.spmd() uses '%s', which is computed inside the pl.cluster()",
               var->u.var.name);
    diag_note(c->ir->diag, spec->group->span, "compute it before `with pl.cluster():`");
    c->failed = true;
  }
  scope_facts_free(&facts);
}

static Expr *callers_core_num(ClusterPass *c, const LaunchSpec *spec, const Expr *call) {
  Rewriter r;
  rewriter_init(&r, c->ir, NULL);
  for (int i = 0; i < spec->group->nparams && i < call->u.call.nargs; i++)
    map_set(&r.subst, spec->group->params[i], call->u.call.args[i]);
  Expr *core_num = rewrite_expr(&r, spec->core_num);
  rewriter_free(&r);
  check_core_num(c, spec, core_num);
  return core_num;
}

static Expr *stamp_expr(Rewriter *r, Expr *e) {
  ClusterPass *c = r->ctx;
  Expr *n = rewrite_expr_children(r, e);
  const LaunchSpec *spec =
      expr_is_call(n) && n->u.call.callee ? map_get(&c->specs, n->u.call.callee) : NULL;
  if (!spec) return n;
  Expr *core_num = callers_core_num(c, spec, n);
  n = expr_copy(r->ir, n);
  if (n->kind == EXPR_SUBMIT) {
    Launch *launch = COPY_ARRAY(r->ir->arena, Launch, n->u.call.launch, 1);
    launch->core_num = core_num;
    launch->sync_start = spec->sync_start;
    n->u.call.launch = launch;
    return n;
  }
  AttrList attrs = key_with(r->ir, n->u.call.attrs, KEY_CORE_NUM, attr_of_expr(core_num));
  if (spec->sync_start) attrs = key_with(r->ir, attrs, KEY_SYNC_START, attr_of_bool(true));
  n->u.call.attrs = attrs;
  return n;
}

static Block stamp_launches(ClusterPass *c, Block b) {
  Rewriter r;
  rewriter_init(&r, c->ir, c);
  r.expr = stamp_expr;
  b = rewrite_block(&r, b);
  rewriter_free(&r);
  return b;
}

/* ---- the pass ---- */

/* The program and the groups made of this function's clusters, for directions. */
static Program *with_groups(ClusterPass *c, size_t first) {
  FuncList all = {0};
  for (int i = 0; i < c->program->nfuncs; i++) vec_push(&all, c->program->funcs[i]);
  for (size_t i = first; i < c->funcs.len; i++) vec_push(&all, c->funcs.data[i]);
  Program *p = program_new(c->ir, c->program->name, all.data, (int)all.len, c->program->span);
  vec_free(&all);
  return p;
}

static bool note_launch_scope(Visitor *v, Stmt *s) {
  bool *found = v->ctx;
  if (s->kind == STMT_SCOPE && (s->u.scope.kind == SCOPE_CLUSTER || s->u.scope.kind == SCOPE_SPMD))
    *found = true;
  return !*found;
}

static bool has_launch_scope(const Function *f) {
  bool found = false;
  Visitor v = {.ctx = &found, .stmt = note_launch_scope};
  visit_block(&v, f->body);
  return found;
}

static Function *outline(ClusterPass *c, Function *f) {
  size_t first = c->funcs.len;
  Block body = f->body;
  OutlineSpec clusters = {SCOPE_CLUSTER, FUNC_GROUP, "_cluster_", c->program, &c->reserved};
  if (!outline_scopes(c->ir, &clusters, f, &body, &c->funcs)) return NULL;
  map_clear(&c->specs);
  for (size_t i = first; i < c->funcs.len; i++)
    c->funcs.data[i] = unwrap_group(c, c->funcs.data[i]);
  if (c->specs.count > 0) body = stamp_launches(c, body);
  Program *lookup = c->funcs.len > first ? with_groups(c, first) : NULL;
  OutlineSpec launches = {SCOPE_SPMD, FUNC_SPMD, "_spmd_", lookup ? lookup : c->program,
                          &c->reserved};
  if (c->failed || !outline_scopes(c->ir, &launches, f, &body, &c->funcs)) return NULL;
  Function *out = func_copy(c->ir, f);
  out->body = body;
  return out;
}

Program *outline_cluster_scopes(PassCtx *ctx, Program *p) {
  ClusterPass c = {.ir = ctx->ir, .program = p};
  reserve_function_names(p, &c.reserved);
  bool ok = true;
  for (int i = 0; i < p->nfuncs && ok; i++) {
    Function *f = p->funcs[i];
    bool parent = (f->type == FUNC_OPAQUE || func_is_orchestration(f->type)) && has_launch_scope(f);
    if (parent) f = outline(&c, f);
    ok = f != NULL;
    if (ok) vec_push(&c.funcs, f);
  }
  Program *out = ok ? program_new(ctx->ir, p->name, c.funcs.data, (int)c.funcs.len, p->span) : NULL;
  map_free(&c.reserved);
  map_free(&c.specs);
  vec_free(&c.funcs);
  return out;
}
