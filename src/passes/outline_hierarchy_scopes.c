/* outline_hierarchy_scopes.c -- see docs/passes/outline-hierarchy-scopes.md. */
#include "passes/outline/outline.h"
#include "passes/pass.h"

Program *outline_hierarchy_scopes(PassCtx *ctx, Program *p) {
  Map reserved = {0};
  FuncList funcs = {0};
  bool ok = true;
  reserve_function_names(p, &reserved);
  OutlineSpec spec = {.kind = SCOPE_HIERARCHY, .type = FUNC_OPAQUE, .reserved = &reserved};
  for (int i = 0; i < p->nfuncs && ok; i++) {
    Function *f = p->funcs[i];
    Block body = f->body;
    if (f->type == FUNC_OPAQUE) ok = outline_scopes(ctx->ir, &spec, f, &body, &funcs);
    if (body.items != f->body.items) {
      f = func_copy(ctx->ir, f);
      f->body = body;
    }
    vec_push(&funcs, f);
  }
  Program *out = ok ? program_new(ctx->ir, p->name, funcs.data, (int)funcs.len, p->span) : NULL;
  map_free(&reserved);
  vec_free(&funcs);
  return out;
}
