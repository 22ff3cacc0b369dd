/* AutoDeriveTaskDependencies: explicit edges instead of tracking.
 * docs/passes/auto-derive-task-dependencies.md */
#include <string.h>

#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/auto_deps/auto_deps.h"
#include "passes/pass.h"

typedef struct Derivation {
  Ir *ir;
  const Program *program;
  Map loop_bases;
} Derivation;

/* ---- what the walk must know before ---- */

static bool note_loop(Visitor *v, Stmt *s) {
  Derivation *c = v->ctx;
  for (int i = 0; s->kind == STMT_FOR && i < s->u.loop.nresults; i++) {
    Name name = s->u.loop.results[i]->u.var.name;
    const char *end = strstr(name, "__");
    map_set(&c->loop_bases, end ? name_ofn(&c->ir->names, name, (size_t)(end - name)) : name, c);
  }
  return true;
}

static bool note_tail(Visitor *v, Stmt *s) {
  Derive *d = v->ctx;
  if (s->kind != STMT_ASSIGN || s->u.assign.value->kind != EXPR_TUPLE_GET) return true;
  const Expr *get = s->u.assign.value;
  if (get->u.get.index == get->u.get.tuple->type->nelems - 1)
    map_set(&d->tails, get->u.get.tuple, s->u.assign.var);
  return true;
}

/* The orchestrator itself looks into tensors only where the runtime tracks who writes them. */
static bool note_read(Visitor *v, Expr *e) {
  if (expr_is_op(e, OP_TENSOR_READ) || expr_is_op(e, OP_TENSOR_WRITE)) auto_deps_fail(v->ctx);
  return true;
}

/* ---- writing the result ---- */

/* Where edges cover all conflicts of an argument, the runtime need not look for them. */
static void lower_directions(const Derive *d, const Task *t, Expr *call) {
  const AttrValue *old = call_directions(d->ir, call);
  int n = call->u.call.nargs;
  ArgDir *dirs = NEW_ARRAY(d->ir->arena, ArgDir, n);
  for (int i = 0; i < n; i++) dirs[i] = direction_at(old, i);
  for (size_t i = 0; i < t->covered.len; i++) {
    ArgDir *dir = &dirs[t->covered.data[i]];
    if (*dir == ADIR_INPUT)
      *dir = ADIR_NO_DEP;
    else if (*dir == ADIR_INOUT)
      *dir = ADIR_OUTPUT_EXISTING;
  }
  call->u.call.attrs =
      key_with(d->ir, call->u.call.attrs, KEY_ARG_DIRECTIONS, directions_attr(d->ir, dirs, n));
}

static void add_edges(const Derive *d, const Task *t, Expr *call) {
  AttrValue *items = NEW_ARRAY(d->ir->arena, AttrValue, t->edges.len);
  for (size_t i = 0; i < t->edges.len; i++) items[i] = attr_of_expr(t->edges.data[i]);
  call->u.call.attrs = key_with(d->ir, call->u.call.attrs, KEY_COMPILER_MANUAL_DEP_EDGES,
                                attr_of_list(items, (int)t->edges.len));
}

static bool keeps_tracking(const Derive *d) { return d->scoped || !d->automatic; }

static Expr *with_edges(Rewriter *r, Expr *e) {
  Derive *d = r->ctx;
  const Task *t = map_get(&d->tasks, e);
  Expr *out = rewrite_expr_children(r, e);
  bool lowers = t && t->covered.len && keeps_tracking(d);
  if (!t || (!t->edges.len && !lowers)) return out;
  if (out == e) out = expr_copy(d->ir, e);
  if (lowers) lower_directions(d, t, out);
  if (t->edges.len) add_edges(d, t, out);
  return out;
}

static Function *rewrite(Derive *d, Function *f) {
  Rewriter r;
  rewriter_init(&r, d->ir, d);
  r.expr = with_edges;
  Function *out = func_copy(d->ir, f);
  out->body = rewrite_block(&r, f->body);
  Name mark = key_name(KEY_COMPILER_AUTO_MANUAL_LAYER_CANDIDATE);
  if (!keeps_tracking(d)) out->attrs = attr_with(d->ir, out->attrs, mark, attr_of_bool(true));
  rewriter_free(&r);
  return out;
}

/* ---- a function ---- */

static void derive_free(Derive *d) {
  for (MapEntry *e = NULL; (e = map_next(&d->uses, e));) {
    Uses *u = e->value;
    vec_free(&u->reads);
    vec_free(&u->writes);
  }
  for (MapEntry *e = NULL; (e = map_next(&d->tasks, e));) {
    Task *t = e->value;
    vec_free(&t->edges);
    vec_free(&t->covered);
  }
  Map *maps[] = {&d->views, &d->tails, &d->uses, &d->made_in, &d->tasks, &d->by_id, &d->waited};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) map_free(maps[i]);
  vec_free(&d->touched);
  vec_free(&d->blocks);
  vec_free(&d->frames);
  vec_free(&d->loops);
  vec_free(&d->excluded);
  buffer_roots_free(&d->roots);
}

static Function *derive_function(void *ctx, Function *f) {
  Derivation *c = ctx;
  if (f->type != FUNC_ORCHESTRATION || func_is_host_orch(f)) return f;
  bool automatic = key_bool(f->attrs, KEY_AUTO_SCOPE, true);
  Derive d = {.ir = c->ir,
              .program = c->program,
              .loop_bases = &c->loop_bases,
              .automatic = automatic,
              .homes = automatic};
  buffer_roots_init(&d.roots, c->ir, c->program, f, ROOTS_SURE);
  Visitor v = {.ctx = &d, .stmt = note_tail, .expr = note_read};
  visit_block(&v, f->body);
  vec_push(&d.loops, 0);
  auto_deps_enter(&d);
  auto_deps_walk(&d, f->body);
  if (!d.failed && d.tasks.count) f = rewrite(&d, f);
  derive_free(&d);
  return f;
}

Program *auto_derive_task_dependencies(PassCtx *ctx, Program *p) {
  if (!ctx->opts->analyze_auto_scopes) return p;
  Derivation c = {.ir = ctx->ir, .program = p};
  Visitor v = {.ctx = &c, .stmt = note_loop};
  visit_program(&v, p);
  p = rewrite_program(ctx->ir, p, derive_function, &c);
  map_free(&c.loop_bases);
  return p;
}
