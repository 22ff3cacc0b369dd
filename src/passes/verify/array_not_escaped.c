/* An array lives on one core's stack: it is no parameter and is not returned, but where
 * the call is inlined. */
#include "passes/pass.h"

static bool holds_array(const Type *t) {
  if (t->kind == TYPE_ARRAY) return true;
  for (int i = 0; i < t->nelems; i++)
    if (holds_array(t->elems[i])) return true;
  return false;
}

bool verify_array_not_escaped(PassCtx *ctx, const Program *p) {
  Diag *d = ctx->ir->diag;
  int errors = d->errors;
  for (int i = 0; i < p->nfuncs; i++) {
    const Function *f = p->funcs[i];
    if (f->type == FUNC_INLINE) continue;
    for (int k = 0; k < f->nparams; k++)
      if (holds_array(f->params[k]->type))
        diag_error(d, f->params[k]->span,
                   "the parameter '%s' cannot be an array: create it in the function",
                   f->params[k]->u.var.name);
    for (int k = 0; k < f->nreturns; k++)
      if (holds_array(f->returns[k]))
        diag_error(d, f->span, "the function '%s' cannot return an array", f->name);
  }
  return d->errors == errors;
}
