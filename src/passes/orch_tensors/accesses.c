/* accesses.c -- what a kernel does with a tensor, and which types its windows have. */
#include "arith/fold.h"
#include "ir/rewrite.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/orch_tensors/windows.h"

/* ---------------------------------------------------------------- accesses */

static bool is_tuple(const Expr *e) { return e->kind == EXPR_TUPLE; }

bool access_is_exact(const Expr *call) {
  const Type *tile = call->type;
  if (!expr_is_op(call, OP_TILE_LOAD)) return true;
  for (int k = 2; k < call->u.call.nargs && k < 4; k++) {
    const Expr *shape = call->u.call.args[k];
    if (!is_tuple(shape) ||
        !dims_equal(shape->u.tuple.elems, shape->u.tuple.len, tile->shape, tile->rank))
      return false;
  }
  return true;
}

bool access_of(const Expr *call, Access *out) {
  const Op *op = expr_op(call);
  if (!op || call->u.call.nargs < 3) return false;
  const Type *box = call->type;
  TypeKind kind = TYPE_TILE;
  *out = (Access){.tensor_arg = 0, .offset_arg = 1};
  switch (op->id) {
    case OP_TILE_LOAD: break;
    case OP_TENSOR_SLICE:
      out->offset_arg = 2;
      kind = TYPE_TENSOR;
      break;
    case OP_TILE_STORE:
      out->tensor_arg = 2;
      out->write = true;
      box = call->u.call.args[0]->type;
      break;
    case OP_TENSOR_ASSEMBLE:
      out->offset_arg = 2;
      out->write = true;
      box = call->u.call.args[1]->type;
      kind = TYPE_TENSOR;
      break;
    default: return false;
  }
  const Expr *at = call->u.call.args[out->offset_arg];
  out->tensor = call->u.call.args[out->tensor_arg];
  if (out->tensor->kind != EXPR_VAR || !is_tuple(at) || box->kind != kind) return false;
  out->window =
      (Window){box->shape, at->u.tuple.elems, at->u.tuple.len == box->rank ? box->rank : -1};
  return true;
}

/* ---------------------------------------------------------------- mentions */

typedef struct MentionScan {
  Mentions *m;
  VEC(size_t) before; /* the total where each statement around begins */
} MentionScan;

static bool scan_expr(Visitor *v, Expr *e) {
  MentionScan *ms = v->ctx;
  if (e->kind == EXPR_VAR) ms->m->total += map_has(&ms->m->names, e);
  return true;
}

static bool scan_stmt(Visitor *v, Stmt *s) {
  MentionScan *ms = v->ctx;
  vec_push(&ms->before, ms->m->total);
  if (stmt_is_loop(s))
    for (int i = 0; i < s->u.loop.ncarried; i++)
      if (map_has(&ms->m->names, s->u.loop.iter_args[i]->u.var.init))
        map_set(&ms->m->names, s->u.loop.iter_args[i], map_int(1));
  return true;
}

static void scan_stmt_end(Visitor *v, Stmt *s) {
  MentionScan *ms = v->ctx;
  size_t n = ms->m->total - vec_pop(&ms->before);
  if (n) map_set(&ms->m->count, s, map_int((intptr_t)n));
}

void mentions_find(Mentions *m, Block body, const Expr *tensor) {
  *m = (Mentions){0};
  map_set(&m->names, tensor, map_int(1));
  MentionScan ms = {.m = m};
  Visitor v = {.ctx = &ms, .expr = scan_expr, .stmt = scan_stmt, .stmt_end = scan_stmt_end};
  visit_block(&v, body);
  vec_free(&ms.before);
}

void mentions_free(Mentions *m) {
  map_free(&m->names);
  map_free(&m->count);
}

/* ---------------------------------------------------------------- scalars */

/* Nodes of `e`, counted no further than to `most`. */
static int count_nodes(const Expr *e, int most) {
  int n = 1;
  if (most <= 1 || e->kind == EXPR_VAR || e->kind == EXPR_INT || e->kind == EXPR_FLOAT ||
      e->kind == EXPR_BOOL)
    return n;
  if (expr_is_call(e)) {
    for (int i = 0; n < most && i < e->u.call.nargs; i++)
      n += count_nodes(e->u.call.args[i], most - n);
  } else if (e->kind == EXPR_TUPLE) {
    for (int i = 0; n < most && i < e->u.tuple.len; i++)
      n += count_nodes(e->u.tuple.elems[i], most - n);
  } else if (e->kind == EXPR_TUPLE_GET) {
    n += count_nodes(e->u.get.tuple, most - n);
  } else if (expr_is_unary(e)) {
    n += count_nodes(e->u.operand, most - n);
  } else {
    n += count_nodes(e->u.bin.lhs, most - n);
    if (n < most) n += count_nodes(e->u.bin.rhs, most - n);
  }
  return n;
}

Expr *scalars_expand(Scalars *s, Expr *e) {
  if (!s->values.count) return e;
  Rewriter r;
  rewriter_init(&r, s->w->ir, NULL);
  r.subst = s->values;
  return rewrite_expr(&r, e);
}

void scalars_note(Scalars *s, const Stmt *assign, bool simplify) {
  /* What would grow without bound stays a variable: no window is written with it. */
  enum { MAX_NODES = 256 };
  if (!type_is_scalar(assign->u.assign.var->type)) return;
  Expr *value = scalars_expand(s, assign->u.assign.value);
  if (simplify) value = analyzer_simplify(s->w->an, value);
  if (count_nodes(value, MAX_NODES) < MAX_NODES)
    map_set(&s->values, assign->u.assign.var, value);
  else
    map_remove(&s->values, assign->u.assign.var);
}

/* ---------------------------------------------------------------- what callers know */

typedef struct CallerCheck {
  const Function *f;
  const Expr *also;
  bool ok;
} CallerCheck;

static ParamDir param_dir(const Function *f, const Expr *e) {
  for (int i = 0; i < f->nparams; i++)
    if (f->params[i] == e) return f->dirs[i];
  return PARAM_OUT;
}

static bool check_caller_expr(Visitor *v, Expr *e) {
  CallerCheck *c = v->ctx;
  if (e->kind == EXPR_VAR) {
    bool known = e == c->also;
    for (int i = 0; !known && i < c->f->nparams; i++) known = c->f->params[i] == e;
    c->ok &= known;
  }
  /* A call may move to the caller only if it gives the same there: what it reads is not written here. */
  if (expr_is_call(e))
    c->ok &= (expr_is_op(e, OP_TENSOR_READ) || expr_is_op(e, OP_TENSOR_DIM)) &&
             param_dir(c->f, e->u.call.args[0]) == PARAM_IN;
  return c->ok;
}

bool caller_can_compute(const Function *f, const Expr *also, const Expr *e) {
  CallerCheck c = {f, also, true};
  Visitor v = {.ctx = &c, .expr = check_caller_expr};
  visit_expr(&v, (Expr *)e);
  return c.ok;
}

bool caller_can_compute_window(const Function *f, const Window *win) {
  for (int i = 0; i < win->rank; i++)
    if (!caller_can_compute(f, NULL, win->shape[i]) || !caller_can_compute(f, NULL, win->at[i]))
      return false;
  return true;
}

/* ---------------------------------------------------------------- types */

static bool note_var(Visitor *v, Expr *e) {
  if (e->kind == EXPR_VAR) map_set(v->ctx, e, map_int(1));
  return true;
}

typedef struct Known {
  const Map *vars;
  bool ok;
} Known;

static bool check_var(Visitor *v, Expr *e) {
  Known *k = v->ctx;
  if (e->kind == EXPR_VAR) k->ok &= map_has(k->vars, e);
  return true;
}

const Type *window_type(Ir *ir, const Type *tensor, const Window *win, bool output) {
  if (tensor->kind != TYPE_TENSOR || win->rank != tensor->rank) return NULL;
  TensorView view = {.layout = LAYOUT_ND};
  if (tensor->tensor_view) view = *tensor->tensor_view;
  if (!view.nstride) {
    view.stride = packed_strides(ir, tensor->shape, tensor->rank, view.layout);
    view.nstride = tensor->rank;
    if (!view.stride) return NULL;
  }
  if (view.nvalid) view.valid_shape = (Expr **)win->shape;
  Type t = *tensor;
  t.shape = (Expr **)win->shape;
  t.tensor_view = &view;
  const Type *narrow = type_intern(ir, &t);
  Map vars = {0};
  Visitor note = {.ctx = &vars, .expr = note_var};
  for (int i = 0; i < win->rank; i++) visit_expr(&note, win->shape[i]);
  if (output) visit_type(&note, tensor);
  Known known = {&vars, true};
  Visitor check = {.ctx = &known, .expr = check_var};
  visit_type(&check, narrow);
  map_free(&vars);
  return known.ok ? narrow : NULL;
}
