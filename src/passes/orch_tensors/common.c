#include "ir/calls.h"
#include "passes/orch_tensors/orch_tensors.h"

/* What returned variables are written into. */
typedef struct ReturnedVars {
  Map into; /* returned variable -> what it is written into, NULL: nothing, or not known */
  Map last; /* those whose last definition has been met */
  int left; /* that many have not */
} ReturnedVars;

static void note_def(ReturnedVars *w, const Expr *var, Expr *into) {
  if (!map_has(&w->into, var) || !map_set(&w->last, var, map_int(1))) return;
  map_set(&w->into, var, into);
  w->left--;
}

/* Looks for the assignment that binds each at top level, or the loop that gives it, from the end. */
static void find_written(ReturnedVars *w, Block b) {
  for (int i = b.len; w->left > 0 && i-- > 0;) {
    const Stmt *s = b.items[i];
    if (s->kind == STMT_ASSIGN) {
      const Expr *store = s->u.assign.value;
      bool stores = expr_is_op(store, OP_TILE_STORE) && is_plain_var(store->u.call.args[2]);
      note_def(w, s->u.assign.var, stores ? store->u.call.args[2] : NULL);
    }
    if (!stmt_is_loop(s)) continue;
    for (int k = 0; k < s->u.loop.nresults && k < s->u.loop.ncarried; k++)
      note_def(w, s->u.loop.results[k], s->u.loop.iter_args[k]->u.var.init);
  }
}

static const Stmt *first_return(const Function *f) {
  for (int i = 0; i < f->body.len; i++)
    if (f->body.items[i]->kind == STMT_RETURN) return f->body.items[i];
  return NULL;
}

void out_returns(const Function *f, bool inout, OutReturnList *out) {
  const Stmt *ret = first_return(f);
  if (!ret) return;
  ReturnedVars w = {0};
  Map number = {0};
  number_params(f, &number);
  for (int i = 0; i < ret->u.ret.len; i++) {
    const Expr *value = ret->u.ret.values[i];
    if (is_plain_var(value)) w.left += map_set(&w.into, value, NULL);
  }
  find_written(&w, f->body);
  for (int i = 0; i < ret->u.ret.len; i++) {
    const Expr *into = map_get(&w.into, ret->u.ret.values[i]);
    int param = into ? numbered_param(&number, into) : -1;
    if (param < 0) continue;
    ParamDir dir = f->dirs[param];
    if (dir == PARAM_OUT || (inout && dir == PARAM_INOUT)) vec_push(out, (OutReturn){param, i});
  }
  map_free(&w.into);
  map_free(&w.last);
  map_free(&number);
}

const Type *with_parent_strides(Ir *ir, const Type *type, Expr *const *parent, int rank) {
  if (type->kind != TYPE_TENSOR || type->rank > rank) return NULL;
  Expr **strides = NEW_ARRAY(ir->arena, Expr *, rank);
  int64_t product = 1, n;
  for (int i = rank; i-- > 0;) {
    strides[i] = expr_index(ir, product);
    if (!expr_const_int(parent[i], &n) || __builtin_mul_overflow(product, n, &product)) return NULL;
  }
  TensorView view = {
      .stride = strides + rank - type->rank, .nstride = type->rank, .layout = LAYOUT_ND};
  return type_with_tensor_view(ir, type, &view);
}
