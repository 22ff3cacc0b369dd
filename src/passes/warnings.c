/* warnings.c -- what is allowed, but hardly meant. */
#include "base/map.h"
#include "base/vec.h"
#include "ir/op.h"
#include "ir/visit.h"
#include "passes/verify.h"

typedef VEC(const Expr *) VarList;
typedef VEC(const Stmt *) Stmts;

/* ---- unused variables ---- */

typedef struct Uses {
  Map used; /* variables read in the function */
  Ir *ir;
} Uses;

static bool note_use(Visitor *v, Expr *e) {
  if (e->kind == EXPR_VAR) map_set(&((Uses *)v->ctx)->used, e, map_int(1));
  return true;
}

static bool writes(const Expr *call) {
  for (int i = 0; i < call->u.call.nargs; i++)
    if (op_arg_effect(call, i) == EFFECT_WRITE || op_arg_effect(call, i) == EFFECT_READ_WRITE)
      return true;
  return false;
}

/* Is the value computed for its own sake only? */
static bool only_value(const Expr *e) {
  if (e->kind == EXPR_TUPLE_GET || e->kind == EXPR_SUBMIT) return false;
  if (e->kind != EXPR_CALL) return true;
  const Op *op = expr_op(e);
  return op && type_is_shaped(e->type) && op->family != FAMILY_PLD &&
         op->cross_role == CROSS_NONE && !(op->flags & OPF_NO_DUPLICATE) && !writes(e);
}

static bool check_unused(Visitor *v, Stmt *s) {
  Uses *u = v->ctx;
  if (s->kind != STMT_ASSIGN) return true;
  const Expr *var = s->u.assign.var;
  if (var->u.var.name[0] == '_' || map_has(&u->used, var) || !only_value(s->u.assign.value))
    return true;
  map_set(&u->used, var, map_int(1)); /* one warning is enough */
  diag_warning(u->ir->diag, s->span, "the variable '%s' is never used", var->u.var.name);
  return true;
}

static void warn_unused(Ir *ir, Function *f) {
  Uses u = {.ir = ir};
  for (int i = 0; i < f->nparams; i++) map_set(&u.used, f->params[i], map_int(1));
  Visitor uses = {.ctx = &u, .expr = note_use, .types = true};
  visit_func(&uses, f);
  Visitor check = {.ctx = &u, .stmt = check_unused};
  visit_block(&check, f->body);
  map_free(&u.used);
}

/* ---- output parameters that are given another value ---- */

/* The value of a variable, or a yielded one, comes from `from`. */
typedef struct Flow {
  Arena arena;
  Map readers;    /* variable -> VarList *: variables whose value is made with it */
  Map outputs;    /* output parameter -> Stmts *: assignments to it */
  const Expr *to; /* at work */
} Flow;

static void add_flow(Flow *f, const Expr *from, const Expr *to) {
  void **at = map_at(&f->readers, from);
  if (!*at) *at = NEW(&f->arena, VarList);
  VarList *list = *at;
  vec_push(list, to);
}

static bool flow_from(Visitor *v, Expr *e) {
  Flow *f = v->ctx;
  if (e->kind == EXPR_VAR) add_flow(f, e, f->to);
  return true;
}

static void flow(Flow *f, Expr *from, const Expr *to) {
  f->to = to;
  Visitor v = {.ctx = f, .expr = flow_from};
  visit_expr(&v, from);
}

static void flow_yields(Flow *f, Block b, Expr *const *results, int n) {
  const Stmt *yield = block_yield(b);
  for (int i = 0; yield && i < n && i < yield->u.ret.len; i++)
    flow(f, yield->u.ret.values[i], results[i]);
}

static bool flow_stmt(Visitor *v, Stmt *s) {
  Flow *f = v->ctx;
  if (s->kind == STMT_ASSIGN) {
    Stmts *rebinds = map_get(&f->outputs, s->u.assign.var);
    if (rebinds) vec_push(rebinds, s);
    flow(f, s->u.assign.value, s->u.assign.var);
  } else if (s->kind == STMT_IF) {
    flow_yields(f, s->u.if_.then_body, s->u.if_.results, s->u.if_.nresults);
    flow_yields(f, s->u.if_.else_body, s->u.if_.results, s->u.if_.nresults);
  } else if (stmt_is_loop(s)) {
    for (int i = 0; i < s->u.loop.ncarried; i++)
      flow(f, s->u.loop.iter_args[i]->u.var.init, s->u.loop.iter_args[i]);
    flow_yields(f, s->u.loop.body, s->u.loop.iter_args, s->u.loop.ncarried);
    flow_yields(f, s->u.loop.body, s->u.loop.results, s->u.loop.nresults);
  }
  return true;
}

/* The variables that a parameter reaches, as far as they have been looked for. */
typedef struct Reach {
  Map reached;
  VarList work; /* whose readers have not been seen yet */
} Reach;

typedef struct Reads {
  const Map *reached;
  Map vars; /* those that are read */
  bool any; /* of them is reached */
} Reads;

static bool find_reached(Visitor *v, Expr *e) {
  Reads *r = v->ctx;
  if (e->kind != EXPR_VAR) return true;
  map_set(&r->vars, e, map_int(1));
  r->any = r->any || map_has(r->reached, e);
  return true;
}

/* Is `value` made with something that is reached?  Looks no further than it must: in large functions every output
 * may reach everything, but most are near what they are given. */
static bool reaches(const Flow *f, Reach *reach, Expr *value) {
  Reads r = {.reached = &reach->reached};
  Visitor v = {.ctx = &r, .expr = find_reached};
  visit_expr(&v, value);
  while (!r.any && reach->work.len > 0) {
    const VarList *list = map_get(&f->readers, vec_pop(&reach->work));
    for (size_t i = 0; list && i < list->len; i++) {
      if (!map_set(&reach->reached, list->data[i], map_int(1))) continue;
      vec_push(&reach->work, list->data[i]);
      r.any = r.any || map_has(&r.vars, list->data[i]);
    }
  }
  map_free(&r.vars);
  return r.any;
}

static void warn_param(Ir *ir, const Flow *f, const Expr *param, const Stmts *rebinds) {
  Reach reach = {0};
  map_set(&reach.reached, param, map_int(1));
  vec_push(&reach.work, param);
  for (size_t i = 0; i < rebinds->len; i++) {
    const Stmt *s = rebinds->data[i];
    if (reaches(f, &reach, s->u.assign.value)) continue;
    diag_warning(ir->diag, s->span,
                 "the output parameter '%s' only gets another value here, the caller's buffer is "
                 "not written",
                 param->u.var.name);
    diag_note(ir->diag, NO_SPAN, "'%s[:] = ...' writes the tensor", param->u.var.name);
  }
  map_free(&reach.reached);
  vec_free(&reach.work);
}

static void warn_dropped(Ir *ir, Function *fn) {
  Flow f = {0};
  for (int i = 0; i < fn->nparams; i++)
    if (fn->dirs[i] != PARAM_IN && type_is_shaped(fn->params[i]->type))
      map_set(&f.outputs, fn->params[i], NEW(&f.arena, Stmts));
  if (f.outputs.count) {
    Visitor v = {.ctx = &f, .stmt = flow_stmt};
    visit_block(&v, fn->body);
  }
  for (MapEntry *e = NULL; (e = map_next(&f.outputs, e));) {
    Stmts *rebinds = e->value;
    if (rebinds->len) warn_param(ir, &f, e->key, rebinds);
    vec_free(rebinds);
  }
  for (MapEntry *e = NULL; (e = map_next(&f.readers, e));) vec_free((VarList *)e->value);
  map_free(&f.readers);
  map_free(&f.outputs);
  arena_free(&f.arena);
}

void warn_program(Ir *ir, const Program *p) {
  for (int i = 0; i < p->nfuncs; i++) {
    warn_unused(ir, p->funcs[i]);
    warn_dropped(ir, p->funcs[i]);
  }
}
