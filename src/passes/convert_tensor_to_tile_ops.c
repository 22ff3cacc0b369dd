/* convert_tensor_to_tile_ops.c -- InCore functions on tensors become functions on tiles; see
 * docs/passes/convert-tensor-to-tile-ops.md.  The parts are in tensor_to_tile/. */
#include "ir/op.h"
#include "passes/pass.h"
#include "passes/tensor_to_tile/access.h"
#include "passes/tensor_to_tile/body.h"
#include "passes/tensor_to_tile/callers.h"
#include "passes/tensor_to_tile/exits.h"
#include "passes/tensor_to_tile/fill.h"

/* A parameter that converted operators use whole is loaded at the entry. */
static bool load_params(Ir *ir, BodyConverter *b, const Function *f, StmtList *out) {
  for (int i = 0; i < f->nparams; i++) {
    Expr *p = f->params[i];
    if (p->type->kind != TYPE_TENSOR || !wants_load(b->wants, p)) continue;
    Expr **zeros = NEW_ARRAY(ir->arena, Expr *, p->type->rank);
    for (int k = 0; k < p->type->rank; k++) zeros[k] = expr_index(ir, 0);
    Expr *shape = expr_tuple(ir, p->type->shape, p->type->rank, p->span);
    Expr *args[] = {p, expr_tuple(ir, zeros, p->type->rank, p->span), shape, shape};
    AttrList kw = key_with(ir, (AttrList){0}, KEY_TARGET_MEMORY, attr_of_enum(ENUM_MEM, MEM_VEC));
    Expr *load = op_call(ir, op_get(ir, OP_TILE_LOAD), args, 4, kw, p->span);
    if (!load) return false;
    Expr *tile = expr_var(ir, tile_name(ir, p->u.var.name), load->type, p->span);
    vec_push(out, stmt_assign(ir, tile, load, p->span));
    map_set(&b->rewriter.subst, p, tile);
  }
  return true;
}

/* Statements but the return, converted; `values` get what the return's values become. */
static const Stmt *convert_body(BodyConverter *b, Block body, StmtList *out, Expr ***values) {
  Rewriter *r = &b->rewriter;
  const Stmt *ret = NULL;
  for (int i = 0; i < body.len; i++) {
    if (body.items[i]->kind == STMT_RETURN)
      ret = body.items[i];
    else
      rewrite_stmt(r, body.items[i], out);
  }
  int n = ret ? ret->u.ret.len : 0;
  *values = NEW_ARRAY(r->ir->arena, Expr *, n + 1);
  for (int i = 0; i < n; i++) (*values)[i] = rewrite_expr(r, ret->u.ret.values[i]);
  return ret;
}

static Function *rebuild(Ir *ir, const Function *f, StmtList *body, Signature *sig) {
  Function *n = func_copy(ir, f);
  n->body = block_take(ir, body);
  n->nparams = (int)sig->params.len;
  n->nreturns = (int)sig->returns.len;
  n->params = vec_to_arena(&sig->params, ir->arena);
  n->dirs = vec_to_arena(&sig->dirs, ir->arena);
  n->returns = vec_to_arena(&sig->returns, ir->arena);
  return raise_param_directions(ir, n->body, n->params, n->dirs, n->nparams) ? n : NULL;
}

static Function *convert_func(PassCtx *ctx, Function *f, int *added) {
  Ir *ir = ctx->ir;
  Block body = fill_loops_to_stores(ir, stage_initialisations(ir, f, f->body));
  Wants wants;
  wants_init(&wants, ir, body);
  BodyConverter b;
  body_converter_init(&b, ir, ctx->opts->target, &wants);
  Signature sig = {0};
  for (int i = 0; i < f->nparams; i++) {
    vec_push(&sig.params, f->params[i]);
    vec_push(&sig.dirs, f->dirs[i]);
  }
  StmtList out = {0};
  Expr **values;
  bool ok = load_params(ir, &b, f, &out);
  const Stmt *ret = convert_body(&b, body, &out, &values);
  ok = ok && ir->diag->errors == b.errors && store_results(ir, f, ret, values, &out, &sig);
  body_converter_free(&b);
  wants_free(&wants);
  *added = sig.added;
  Function *n = ok ? rebuild(ir, f, &out, &sig) : NULL;
  vec_free(&out);
  vec_free(&sig.params);
  vec_free(&sig.dirs);
  vec_free(&sig.returns);
  return n;
}

typedef struct Conversions {
  PassCtx *ctx;
  Grown grown;
} Conversions;

static Function *convert_incore(void *ctx, Function *f) {
  Conversions *cs = ctx;
  if (f->type != FUNC_INCORE) return f;
  int added = 0;
  Function *n = convert_func(cs->ctx, f, &added);
  if (!n) return NULL;
  map_set(&cs->grown.funcs, n->name, n);
  if (added) map_set(&cs->grown.added, n->name, map_int(added));
  return n;
}

static Function *convert_wrapper(void *ctx, Function *f) {
  Conversions *cs = ctx;
  return func_is_wrapper(f->type) ? grow_wrapper(cs->ctx->ir, &cs->grown, f) : f;
}

static Function *convert_caller(void *ctx, Function *f) {
  Conversions *cs = ctx;
  bool done = f->type == FUNC_INCORE || func_is_wrapper(f->type);
  return done ? f : update_caller(cs->ctx->ir, &cs->grown, f);
}

Program *convert_tensor_to_tile_ops(PassCtx *ctx, Program *p) {
  Conversions cs = {.ctx = ctx};
  p = rewrite_program(ctx->ir, p, convert_incore, &cs);
  if (p) p = rewrite_program(ctx->ir, p, convert_wrapper, &cs);
  if (p) p = rewrite_program(ctx->ir, p, convert_caller, &cs);
  map_free(&cs.grown.funcs);
  map_free(&cs.grown.added);
  return p ? raise_caller_directions(ctx->ir, p) : NULL;
}
