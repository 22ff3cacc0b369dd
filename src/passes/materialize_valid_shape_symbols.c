/* MaterializeValidShapeSymbols: run-time extents as arguments.
 * docs/passes/materialize-valid-shape-symbols.md */
#include "ir/calls.h"
#include "ir/print.h"
#include "ir/rewrite.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/pass.h"

/* Where a symbol can be read: dimension `dim` of parameter `param`'s valid shape. */
typedef struct Slot {
  int param, dim;
} Slot;

typedef struct Symbol {
  Expr *var;
  VEC(Slot) slots;
} Symbol;

typedef struct Plan {
  VEC(Symbol) symbols;
} Plan;

typedef struct Symbols {
  Ir *ir;
  const Program *program;
  Map plans; /* Name of a kernel -> Plan* */
  bool failed;
  Name key_directions;
} Symbols;

static bool is_kernel(const Function *f) { return func_is_incore(f->type) || f->type == FUNC_SPMD; }

/* ---- planning ---- */

typedef struct Gather {
  Map *into;
} Gather;

static bool gather_var(Visitor *v, Expr *e) {
  if (expr_is_var(e)) map_set(((Gather *)v->ctx)->into, e, v->ctx);
  return true;
}

static void gather_vars(Expr *e, Map *into) {
  Gather g = {into};
  Visitor v = {.ctx = &g, .expr = gather_var};
  visit_expr(&v, e);
}

static void gather_bound(const Function *f, Map *bound) {
  for (int i = 0; i < f->nparams; i++) {
    const Type *t = f->params[i]->type;
    if (!type_is_tensor(t)) map_set(bound, f->params[i], bound);
    for (int d = 0; type_is_tensor(t) && d < t->rank; d++) gather_vars(t->shape[d], bound);
  }
}

static Symbol *symbol_of(Plan *p, Expr *var) {
  for (size_t i = 0; i < p->symbols.len; i++)
    if (p->symbols.data[i].var == var) return &p->symbols.data[i];
  vec_push(&p->symbols, (Symbol){.var = var});
  return &vec_last(&p->symbols);
}

static bool is_planned(const Plan *p, const Expr *var) {
  for (size_t i = 0; i < p->symbols.len; i++)
    if (p->symbols.data[i].var == var) return true;
  return false;
}

static int valid_dims(const Type *t) {
  return type_is_tensor(t) && t->tensor_view ? t->tensor_view->nvalid : 0;
}

/* Symbols that only occur inside expressions cannot be recovered from an argument. */
static void reject_compounds(Symbols *c, const Function *f, const Plan *plan, const Map *bound) {
  for (int i = 0; i < f->nparams; i++)
    for (int d = 0; d < valid_dims(f->params[i]->type); d++) {
      Expr *dim = f->params[i]->type->tensor_view->valid_shape[d];
      Map vars = {0};
      if (!expr_is_var(dim)) gather_vars(dim, &vars);
      for (MapEntry *e = NULL; (e = map_next(&vars, e));) {
        const Expr *var = e->key;
        if (map_has(bound, var) || is_planned(plan, var)) continue;
        diag_error(c->ir->diag, f->params[i]->span,
                   "the extent '%s' of parameter '%s' cannot be read off an argument: it only "
                   "occurs in '%s'",
                   var->u.var.name, f->params[i]->u.var.name, expr_str(c->ir, dim));
        diag_note(c->ir->diag, f->span,
                  "name '%s' by itself in some valid_shape of kernel '%s', or pass it as a scalar",
                  var->u.var.name, f->name);
        c->failed = true;
      }
      map_free(&vars);
    }
}

static void plan_function(Symbols *c, const Function *f) {
  Plan *plan = NEW(c->ir->arena, Plan);
  Map bound = {0};
  gather_bound(f, &bound);
  for (int i = 0; i < f->nparams; i++)
    for (int d = 0; d < valid_dims(f->params[i]->type); d++) {
      Expr *dim = f->params[i]->type->tensor_view->valid_shape[d];
      if (expr_is_var(dim) && !map_has(&bound, dim))
        vec_push(&symbol_of(plan, dim)->slots, (Slot){i, d});
    }
  reject_compounds(c, f, plan, &bound);
  map_free(&bound);
  if (plan->symbols.len) map_set(&c->plans, f->name, plan);
}

/* ---- rewriting ---- */

static Function *extend(Symbols *c, Function *f) {
  const Plan *plan = map_get(&c->plans, f->name);
  if (!plan) return f;
  int n = (int)plan->symbols.len;
  Function *out = func_copy(c->ir, f);
  out->params = NEW_ARRAY(c->ir->arena, Expr *, n + f->nparams);
  out->dirs = NEW_ARRAY(c->ir->arena, ParamDir, n + f->nparams);
  out->nparams = n + f->nparams;
  for (int i = 0; i < out->nparams; i++) {
    out->params[i] = i < n ? plan->symbols.data[i].var : f->params[i - n];
    out->dirs[i] = i < n ? PARAM_IN : f->dirs[i - n];
  }
  return out;
}

/* The value of a symbol at a call: the actual extent, which must be the same in all its places. */
static Expr *actual_extent(Symbols *c, const Expr *call, const Symbol *s) {
  Expr *value = NULL;
  for (size_t i = 0; i < s->slots.len; i++) {
    Slot at = s->slots.data[i];
    if (at.param >= call->u.call.nargs) {
      diag_error(
          c->ir->diag, call->span,
          "the extent '%s' of '%s' is read off argument %d, which this call leaves to the runtime",
          s->var->u.var.name, call->u.call.callee, at.param + 1);
      c->failed = true;
      return NULL;
    }
    int n;
    Expr *const *valid = type_valid_shape(call->u.call.args[at.param]->type, &n);
    if (at.dim >= n) continue;
    if (value && !expr_same(value, valid[at.dim])) {
      diag_error(c->ir->diag, call->span, "the extent '%s' of '%s' would be both '%s' and '%s'",
                 s->var->u.var.name, call->u.call.callee, expr_str(c->ir, value),
                 expr_str(c->ir, valid[at.dim]));
      c->failed = true;
      return NULL;
    }
    value = valid[at.dim];
  }
  return value;
}

static void prepend_directions(Symbols *c, Expr *call, int n) {
  const AttrValue *old = attr_get(call->u.call.attrs, c->key_directions);
  if (!old || old->kind != ATTR_LIST) return;
  AttrValue *items = NEW_ARRAY(c->ir->arena, AttrValue, n + old->u.list.len);
  for (int i = 0; i < n; i++) items[i] = attr_of_enum(ENUM_ADIR, ADIR_SCALAR);
  for (int i = 0; i < old->u.list.len; i++) items[n + i] = old->u.list.items[i];
  call->u.call.attrs = attr_with(c->ir, call->u.call.attrs, c->key_directions,
                                 attr_of_list(items, n + old->u.list.len));
}

static Expr *symbol_expr(Rewriter *r, Expr *e) {
  Symbols *c = r->ctx;
  Expr *call = rewrite_expr_children(r, e);
  if (!call_target(c->program, call)) return call;
  const Plan *plan = map_get(&c->plans, call->u.call.callee);
  if (!plan) return call;
  int n = (int)plan->symbols.len, old = call->u.call.nargs;
  Expr **args = NEW_ARRAY(c->ir->arena, Expr *, n + old);
  for (int i = 0; i < n; i++)
    if (!(args[i] = actual_extent(c, call, &plan->symbols.data[i]))) return call;
  for (int i = 0; i < old; i++) args[n + i] = call->u.call.args[i];
  Expr *out = expr_copy(c->ir, call);
  prepend_directions(c, out, n);
  out->u.call.args = args;
  out->u.call.nargs = n + old;
  return out;
}

static Function *symbol_function(void *ctx, Function *f) {
  Symbols *c = ctx;
  Rewriter r;
  rewriter_init(&r, c->ir, c);
  r.expr = symbol_expr;
  Function *out = extend(c, rewrite_func(&r, f));
  rewriter_free(&r);
  return c->failed ? NULL : out;
}

Program *materialize_valid_shape_symbols(PassCtx *ctx, Program *p) {
  Symbols c = {.ir = ctx->ir, .program = p, .key_directions = key_name(KEY_ARG_DIRECTIONS)};
  for (int i = 0; i < p->nfuncs; i++)
    if (is_kernel(p->funcs[i])) plan_function(&c, p->funcs[i]);
  Program *out = c.failed        ? NULL
                 : c.plans.count ? rewrite_program(ctx->ir, p, symbol_function, &c)
                                 : p;
  for (MapEntry *e = NULL; (e = map_next(&c.plans, e));) {
    Plan *plan = e->value;
    for (size_t i = 0; i < plan->symbols.len; i++) vec_free(&plan->symbols.data[i].slots);
    vec_free(&plan->symbols);
  }
  map_free(&c.plans);
  return out;
}
