/* inject_gm_pipe_buffer.c -- buffers in global memory for the pipes between cores; see
 * docs/passes/inject-gm-pipe-buffer.md. */
#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"
#include "target/target.h"

typedef VEC(Name) NameList;

typedef struct Inject {
  Ir *ir;
  Name param;        /* __gm_pipe_buffer */
  Map callers;       /* function's name -> NameList*: who calls it */
  Map needy;         /* names of functions that need a buffer -> themselves */
  NameList worklist; /* of those, whose callers are not looked at yet */
  const Function *func;
  Expr *buffer; /* the parameter of func, or NULL: create one for each call */
  int created;  /* buffers in func */
  bool failed;
} Inject;

static Expr *buffer_param(const Inject *x, const Function *f) {
  for (int i = 0; i < f->nparams; i++)
    if (f->params[i]->u.var.name == x->param) return f->params[i];
  return NULL;
}

/* ---------------------------------------------------------------- who needs a buffer */

static void add_needy(Inject *x, Name func) {
  if (map_has(&x->needy, func)) return;
  map_set(&x->needy, func, (void *)func);
  vec_push(&x->worklist, func);
}

static void note_call(Inject *x, Name callee) {
  void **at = map_at(&x->callers, callee);
  if (!*at) *at = NEW(x->ir->arena, NameList);
  NameList *list = *at;
  if (list->len == 0 || list->data[list->len - 1] != x->func->name) vec_push(list, x->func->name);
}

static bool scan_stmt(Visitor *v, Stmt *s) {
  Inject *x = v->ctx;
  const Expr *call = stmt_call(s);
  const Op *op = call ? expr_op(call) : NULL;
  if (op && op->cross_role == CROSS_INIT_PIPE && !buffer_param(x, x->func))
    add_needy(x, x->func->name);
  if (call && call->u.call.callee) note_call(x, call->u.call.callee);
  return true;
}

static void find_needy(Inject *x, const Program *p) {
  Visitor v = {.ctx = x, .stmt = scan_stmt};
  for (int i = 0; i < p->nfuncs; i++) {
    x->func = p->funcs[i];
    visit_block(&v, x->func->body);
  }
  while (x->worklist.len > 0) {
    Name callee = x->worklist.data[--x->worklist.len];
    const NameList *callers = map_get(&x->callers, callee);
    for (size_t i = 0; callers && i < callers->len; i++) {
      const Function *f = program_func(p, callers->data[i]);
      if (f->type != FUNC_ORCHESTRATION) add_needy(x, f->name);
    }
  }
}

/* ---------------------------------------------------------------- who gets one */

static const Type *buffer_type(Ir *ir) {
  Expr *one = expr_index(ir, 1);
  return type_tensor(ir, &one, 1, DT_FP32);
}

static Expr *create_buffer(Inject *x, StmtList *out) {
  Ir *ir = x->ir;
  Span at = x->func->span;
  Expr *one = expr_int(ir, 1, DT_INDEX, at), *shape = expr_tuple(ir, &one, 1, at);
  AttrList kw = key_with(ir, (AttrList){0}, KEY_DTYPE, attr_of_dtype(DT_FP32));
  kw = key_with(ir, kw, KEY_LAYOUT, attr_of_enum(ENUM_LAYOUT, LAYOUT_ND));
  kw = key_with(ir, kw, KEY_MANUAL_DEP, attr_of_bool(true));
  Expr *create = op_call(ir, op_get(ir, OP_TENSOR_CREATE), &shape, 1, kw, at);
  Name name = ir_name(ir, arena_printf(ir->arena, "gm_pipe_buffer_%d", x->created++));
  Expr *var = expr_var(ir, name, buffer_type(ir), at);
  if (!create)
    x->failed = true;
  else
    vec_push(out, stmt_assign(ir, var, create, at));
  return var;
}

static void pass_buffer(Rewriter *r, Stmt *s, StmtList *out) {
  Inject *x = r->ctx;
  Expr *call = stmt_call(s);
  if (!call || !call->u.call.callee || !map_has(&x->needy, call->u.call.callee)) {
    vec_push(out, rewrite_stmt_children(r, s));
    return;
  }
  Expr *buffer = x->buffer ? x->buffer : create_buffer(x, out);
  int n = call->u.call.nargs;
  Expr *more = expr_copy(x->ir, call);
  more->u.call.args = NEW_ARRAY(x->ir->arena, Expr *, n + 1);
  for (int i = 0; i < n; i++) more->u.call.args[i] = call->u.call.args[i];
  more->u.call.args[n] = buffer;
  more->u.call.nargs = n + 1;
  Stmt *copy = stmt_copy(x->ir, s);
  if (s->kind == STMT_ASSIGN)
    copy->u.assign.value = more;
  else
    copy->u.eval = more;
  vec_push(out, copy);
}

static Function *with_buffer_param(Inject *x, Function *f) {
  Ir *ir = x->ir;
  Function *g = func_copy(ir, f);
  int n = f->nparams;
  g->params = NEW_ARRAY(ir->arena, Expr *, n + 1);
  g->dirs = NEW_ARRAY(ir->arena, ParamDir, n + 1);
  for (int i = 0; i < n; i++) {
    g->params[i] = f->params[i];
    g->dirs[i] = f->dirs[i];
  }
  g->params[n] = expr_var(ir, x->param, buffer_type(ir), f->span);
  g->dirs[n] = PARAM_OUT;
  g->nparams = n + 1;
  return g;
}

static Function *on_func(void *ctx, Function *f) {
  Inject *x = ctx;
  bool needy = map_has(&x->needy, f->name);
  if (!needy && f->type != FUNC_ORCHESTRATION) return f;
  x->func = f;
  x->created = 0;
  x->buffer = buffer_param(x, f);
  if (needy && !x->buffer) {
    f = with_buffer_param(x, f);
    x->buffer = f->params[f->nparams - 1];
  }
  if (f->type == FUNC_ORCHESTRATION) x->buffer = NULL;
  Rewriter r;
  rewriter_init(&r, x->ir, x);
  r.stmt = pass_buffer;
  f = rewrite_func(&r, f);
  rewriter_free(&r);
  return x->failed ? NULL : f;
}

Program *inject_gm_pipe_buffer(PassCtx *ctx, Program *p) {
  if (!ctx->opts->target->gm_pipe_buffer) return p;
  Inject x = {.ir = ctx->ir, .param = ir_name(ctx->ir, "__gm_pipe_buffer")};
  find_needy(&x, p);
  if (x.needy.count > 0) p = rewrite_program(ctx->ir, p, on_func, &x);
  for (MapEntry *e = NULL; (e = map_next(&x.callers, e));) vec_free((NameList *)e->value);
  map_free(&x.callers);
  map_free(&x.needy);
  vec_free(&x.worklist);
  return p;
}
