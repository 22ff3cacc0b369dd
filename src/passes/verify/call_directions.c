/* Every task's arguments have directions that agree with the kernel's parameters. */
#include "ir/calls.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  PassCtx *ctx;
  const Program *program;
  bool ok;
} Check;

static bool direction_allowed(ParamDir param, ArgDir arg) {
  switch (param) {
    case PARAM_IN: return arg == ADIR_INPUT || arg == ADIR_NO_DEP;
    case PARAM_INOUT: return arg == ADIR_INOUT || arg == ADIR_OUTPUT_EXISTING || arg == ADIR_NO_DEP;
    default: return arg != ADIR_INPUT && arg != ADIR_SCALAR;
  }
}

static bool check_call(Visitor *v, Expr *e) {
  Check *c = v->ctx;
  const Function *callee = call_target(c->program, e);
  if (!callee || e->u.call.nargs == 0) return true;
  const AttrValue *dirs = call_directions(c->ctx->ir, e);
  if (!dirs) {
    diag_error(c->ctx->ir->diag, e->span, "the call of '%s' has no argument directions",
               callee->name);
    c->ok = false;
    return true;
  }
  for (int i = 0; i < e->u.call.nargs; i++) {
    const Type *t = e->u.call.args[i]->type;
    ArgDir dir = direction_at(dirs, i);
    bool tensor = type_is_tensor(t) || t->kind == TYPE_TUPLE;
    bool good = tensor ? i >= callee->nparams || direction_allowed(callee->dirs[i], dir)
                       : dir == ADIR_SCALAR;
    if (good) continue;
    diag_error(c->ctx->ir->diag, e->span, "argument %d of the call of '%s' is marked '%s'", i + 1,
               callee->name, enum_name(ENUM_ADIR, dir));
    c->ok = false;
  }
  return true;
}

bool verify_call_directions(PassCtx *ctx, const Program *p) {
  Check c = {ctx, p, true};
  Visitor v = {.ctx = &c, .expr = check_call};
  visit_program(&v, p);
  const Program *raised = raise_wrapper_directions(ctx->ir, (Program *)p);
  for (int i = 0; i < p->nfuncs; i++) {
    if (raised->funcs[i] == p->funcs[i]) continue;
    diag_error(ctx->ir->diag, p->funcs[i]->span,
               "a parameter of '%s' is declared weaker than its kernels use it", p->funcs[i]->name);
    c.ok = false;
  }
  return c.ok;
}
