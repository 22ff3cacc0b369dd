/* What a core function, group or SPMD function returns of its parameters, it returns by their own names; tensors
 * that it has made itself are free. */
#include "ir/calls.h"
#include "passes/pass.h"
#include "passes/util/lineage.h"

typedef struct Check {
  Ir *ir;
  Lineages lineages;
  bool ok;
} Check;

static bool applies(const Function *f) {
  return (func_is_incore(f->type) || f->type == FUNC_GROUP || f->type == FUNC_SPMD) &&
         f->body.len > 0;
}

/* The return at the top of a block or in a scope there, or NULL. */
static const Stmt *find_return(Block b) {
  for (int i = 0; i < b.len; i++) {
    if (b.items[i]->kind == STMT_RETURN) return b.items[i];
    const Stmt *inner =
        b.items[i]->kind == STMT_SCOPE ? find_return(b.items[i]->u.scope.body) : NULL;
    if (inner) return inner;
  }
  return NULL;
}

static void check_func(Check *c, const Function *f) {
  const Stmt *ret = find_return(f->body);
  const Lineage *l = lineage_of(&c->lineages, f);
  Map number = {0};
  number_params(f, &number);
  for (int i = 0; ret && i < ret->u.ret.len && i < l->n; i++) {
    const Expr *value = ret->u.ret.values[i];
    if (!type_is_tensor(value->type) || map_has(&number, value) || l->param[i] < 0) continue;
    diag_error(c->ir->diag, ret->span,
               "value %d that '%s' returns is its parameter '%s' by another name", i, f->name,
               f->params[l->param[i]]->u.var.name);
    c->ok = false;
  }
  map_free(&number);
}

bool verify_return_params_explicit(PassCtx *ctx, const Program *p) {
  Check c = {.ir = ctx->ir, .lineages = {.ir = ctx->ir, .program = p}, .ok = true};
  for (int i = 0; i < p->nfuncs; i++)
    if (applies(p->funcs[i])) check_func(&c, p->funcs[i]);
  lineages_free(&c.lineages);
  return c.ok;
}
