/* DeriveCallDirections: what each task does with its arguments.
 * docs/passes/derive-call-directions.md */
#include "ir/buffer_roots.h"
#include "ir/calls.h"
#include "ir/rewrite.h"
#include "passes/pass.h"

typedef struct Derive {
  Ir *ir;
  const Program *program;
  Function *func;
  BufferRoots roots;
  Map written;           /* roots that calls before this place wrote */
  VEC(const Expr *) log; /* in the order they were added to `written` */
  Map inout_params;      /* parameters of this function declared InOut */
  int sequential;        /* enclosing loops whose iterations run one after the other */
  const Expr *direct;    /* the call that is a whole statement; only its writes are ordered */
  Name key_directions, key_overrides;
} Derive;

static bool is_tensor_arg(const Expr *e) {
  return type_is_tensor(e->type) || e->type->kind == TYPE_TUPLE;
}

/* The direction of an argument that the callee overwrites. */
static ArgDir output_direction(const Derive *d, const Expr *arg, bool direct) {
  if (d->sequential > 0 || buffer_root_unclear(&d->roots, arg)) return ADIR_INOUT;
  const Expr *root = buffer_root(&d->roots, arg);
  if (!root) return ADIR_OUTPUT_EXISTING;
  if (!direct || map_has(&d->written, root) || map_has(&d->inout_params, root)) return ADIR_INOUT;
  return ADIR_OUTPUT_EXISTING;
}

static void apply_overrides(const Derive *d, const Expr *call, ArgDir *dirs) {
  const AttrValue *v = attr_get(call->u.call.attrs, d->key_overrides);
  if (!v || v->kind != ATTR_LIST) return;
  for (int i = 0; i < v->u.list.len; i++) {
    int64_t at = v->u.list.items[i].u.i;
    if (at >= 0 && at < call->u.call.nargs) dirs[at] = ADIR_NO_DEP;
  }
}

static bool wants_directions(const Derive *d, const Expr *call, const Function *callee) {
  if (call->u.call.nargs == 0 || attr_get(call->u.call.attrs, d->key_directions)) return false;
  return call->kind == EXPR_SUBMIT ? call->u.call.nargs <= callee->nparams
                                   : call->u.call.nargs == callee->nparams;
}

static Expr *derive_expr(Rewriter *r, Expr *e) {
  Derive *d = r->ctx;
  bool direct = e == d->direct;
  Expr *call = rewrite_expr_children(r, e);
  const Function *callee = call_target(d->program, call);
  if (!callee || !wants_directions(d, call, callee)) return call;

  int n = call->u.call.nargs;
  ArgDir *dirs = NEW_ARRAY(d->ir->arena, ArgDir, n);
  for (int i = 0; i < n; i++) {
    const Expr *arg = call->u.call.args[i];
    if (!is_tensor_arg(arg))
      dirs[i] = ADIR_SCALAR;
    else if (callee->dirs[i] == PARAM_IN)
      dirs[i] = ADIR_INPUT;
    else if (callee->dirs[i] == PARAM_INOUT)
      dirs[i] = ADIR_INOUT;
    else
      dirs[i] = output_direction(d, arg, direct);
  }
  apply_overrides(d, call, dirs);
  Expr *out = expr_copy(d->ir, call);
  out->u.call.attrs =
      attr_with(d->ir, call->u.call.attrs, d->key_directions, directions_attr(d->ir, dirs, n));
  return out;
}

/* Enters what a call wrote, after its own directions were decided. */
static void note_writes(Derive *d, const Expr *call) {
  const Function *callee = call_target(d->program, call);
  if (!callee) return;
  for (int i = 0; i < call->u.call.nargs && i < callee->nparams; i++) {
    if (callee->dirs[i] == PARAM_IN) continue;
    const Expr *root = buffer_root(&d->roots, call->u.call.args[i]);
    if (root && map_set(&d->written, root, d)) vec_push(&d->log, root);
  }
}

/* Branches don't see each other's writes; after the `if` all of them count. */
static Stmt *derive_if(Rewriter *r, Stmt *s) {
  Derive *d = r->ctx;
  Stmt *out = stmt_copy(d->ir, s);
  out->u.if_.cond = rewrite_expr(r, s->u.if_.cond);
  size_t before = d->log.len;
  out->u.if_.then_body = rewrite_block(r, s->u.if_.then_body);
  size_t n = d->log.len - before;
  const Expr **by_then = n ? COPY_ARRAY(d->ir->arena, const Expr *, d->log.data + before, n) : NULL;
  for (size_t i = 0; i < n; i++) map_remove(&d->written, by_then[i]);
  d->log.len = before;
  out->u.if_.else_body = rewrite_block(r, s->u.if_.else_body);
  for (size_t i = 0; i < n; i++)
    if (map_set(&d->written, by_then[i], d)) vec_push(&d->log, by_then[i]);
  bool same = out->u.if_.cond == s->u.if_.cond &&
              out->u.if_.then_body.items == s->u.if_.then_body.items &&
              out->u.if_.else_body.items == s->u.if_.else_body.items;
  return same ? s : out;
}

static void derive_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Derive *d = r->ctx;
  bool sequential =
      s->kind == STMT_WHILE || (s->kind == STMT_FOR && s->u.loop.kind != FOR_PARALLEL);
  d->direct = stmt_call(s);
  const Expr *call = d->direct;
  d->sequential += sequential;
  Stmt *done = s->kind == STMT_IF ? derive_if(r, s) : rewrite_stmt_children(r, s);
  d->sequential -= sequential;
  d->direct = NULL;
  if (call) note_writes(d, call);
  vec_push(out, done);
}

static Function *derive_function(void *ctx, Function *f) {
  Derive *d = ctx;
  if (f->body.len == 0) return f;
  d->func = f;
  buffer_roots_init(&d->roots, d->ir, d->program, f, ROOTS_FIRST);
  for (int i = 0; i < f->nparams; i++)
    if (f->dirs[i] == PARAM_INOUT) map_set(&d->inout_params, f->params[i], d);
  Rewriter r;
  rewriter_init(&r, d->ir, d);
  r.expr = derive_expr;
  r.stmt = derive_stmt;
  Function *out = rewrite_func(&r, f);
  rewriter_free(&r);
  buffer_roots_free(&d->roots);
  map_clear(&d->written);
  map_clear(&d->inout_params);
  vec_clear(&d->log);
  return out;
}

Program *derive_call_directions(PassCtx *ctx, Program *p) {
  Ir *ir = ctx->ir;
  p = raise_wrapper_directions(ir, p);
  Derive d = {.ir = ir,
              .program = p,
              .key_directions = key_name(KEY_ARG_DIRECTIONS),
              .key_overrides = key_name(KEY_ARG_DIRECTION_OVERRIDES)};
  Program *out = rewrite_program(ir, p, derive_function, &d);
  map_free(&d.written);
  map_free(&d.inout_params);
  vec_free(&d.log);
  return out;
}
