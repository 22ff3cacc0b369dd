#include "passes/orch_tensors/orch_tensors.h"

/* The top-level statement that binds `var` by assignment, or the loop that gives it; *position is its place
 * among the loop's results. */
static const Stmt *top_level_def(const Function *f, const Expr *var, int *position) {
  for (int i = f->body.len; i-- > 0;) {
    const Stmt *s = f->body.items[i];
    if (s->kind == STMT_ASSIGN && s->u.assign.var == var) return s;
    if (s->kind != STMT_FOR && s->kind != STMT_WHILE) continue;
    for (int k = 0; k < s->u.loop.nresults && k < s->u.loop.ncarried; k++) {
      if (s->u.loop.results[k] != var) continue;
      *position = k;
      return s;
    }
  }
  return NULL;
}

static int out_param(const Function *f, const Expr *e, bool inout) {
  for (int i = 0; i < f->nparams; i++)
    if (f->params[i] == e && (f->dirs[i] == PARAM_OUT || (inout && f->dirs[i] == PARAM_INOUT))) return i;
  return -1;
}

static const Stmt *first_return(const Function *f) {
  for (int i = 0; i < f->body.len; i++)
    if (f->body.items[i]->kind == STMT_RETURN) return f->body.items[i];
  return NULL;
}

void out_returns(const Function *f, bool inout, OutReturnList *out) {
  const Stmt *ret = first_return(f);
  for (int i = 0; ret && i < ret->u.ret.len; i++) {
    const Expr *value = ret->u.ret.values[i], *into = NULL;
    int position = 0;
    const Stmt *def = is_plain_var(value) ? top_level_def(f, value, &position) : NULL;
    if (!def) continue;
    if (def->kind == STMT_ASSIGN) {
      const Expr *store = def->u.assign.value;
      if (expr_is_op(store, OP_TILE_STORE) && is_plain_var(store->u.call.args[2]))
        into = store->u.call.args[2];
    } else {
      into = def->u.loop.iter_args[position]->u.var.init;
    }
    int param = into ? out_param(f, into, inout) : -1;
    if (param >= 0) vec_push(out, (OutReturn){param, i});
  }
}

const Type *with_parent_strides(Ir *ir, const Type *type, Expr *const *parent, int rank) {
  if (type->kind != TYPE_TENSOR || type->rank > rank) return NULL;
  Expr **strides = NEW_ARRAY(ir->arena, Expr *, rank);
  int64_t product = 1, n;
  for (int i = rank; i-- > 0;) {
    strides[i] = expr_index(ir, product);
    if (!expr_const_int(parent[i], &n) || __builtin_mul_overflow(product, n, &product)) return NULL;
  }
  TensorView view = {.stride = strides + rank - type->rank, .nstride = type->rank, .layout = LAYOUT_ND};
  return type_with_tensor_view(ir, type, &view);
}
