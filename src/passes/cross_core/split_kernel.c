#include "passes/cross_core/split_kernel.h"

#include "ir/op.h"
#include "ir/visit.h"
#include "passes/cross_core/core_body.h"
#include "passes/cross_core/lanes.h"
#include "passes/cross_core/pipe_setup.h"
#include "passes/util/clone.h"
#include "passes/util/lineage.h"

typedef struct Split {
  Ir *ir;
  const Target *target;
  Function *f;
  Map origin; /* version of a parameter -> the parameter */
  Map stored; /* result of tile.store -> the tensor stored to */
} Split;

/* ---------------------------------------------------------------- transposes */

typedef struct Transposes {
  int axis;
  const Expr *swaps; /* the first that swaps the axis */
} Transposes;

static bool find_swap(Visitor *v, Expr *e) {
  Transposes *t = v->ctx;
  if (!t->swaps && swaps_axis(e, t->axis)) t->swaps = e;
  return true;
}

static SplitMode split_of(Ir *ir, const Function *f) {
  return (SplitMode)attr_int(f->attrs, ir_name(ir, "split"), SPLIT_NONE);
}

static bool check_transposes(Split *s) {
  SplitMode mode = split_of(s->ir, s->f);
  if (mode == SPLIT_NONE || key_get(s->f->attrs, KEY_SPLIT_AIV_REGION_VALIDATED)) return true;
  Transposes t = {.axis = split_axis_of(mode)};
  Visitor v = {.ctx = &t, .expr = find_swap};
  visit_block(&v, s->f->body);
  if (!t.swaps) return true;
  diag_error(s->ir->diag, t.swaps->span,
             "'%s' is split by %s between the vector cores, but transposes them", s->f->name,
             mode == SPLIT_UP_DOWN ? "rows" : "columns");
  diag_note(s->ir->diag, t.swaps->span,
            "drop the split, or read columns (rows) by a slice instead of transposing");
  return false;
}

/* ---------------------------------------------------------------- versions of parameters */

static void copy_origin(Split *s, Expr *var, const Expr *from) {
  Expr *param = from && expr_is_var(from) ? map_get(&s->origin, from) : NULL;
  if (param) map_set(&s->origin, var, param);
}

static const Expr *yielded(Block b, int i) {
  const Stmt *y = block_yield(b);
  return y && i < y->u.ret.len ? y->u.ret.values[i] : NULL;
}

static void note_origins(Split *s, Block b);

static void note_assign_origin(Split *s, const Stmt *a) {
  const Expr *value = a->u.assign.value;
  bool store = expr_is_op(value, OP_TILE_STORE) && value->u.call.nargs >= 3;
  if (store && expr_is_var(value->u.call.args[2]))
    map_set(&s->stored, a->u.assign.var, value->u.call.args[2]);
  copy_origin(s, a->u.assign.var, store ? value->u.call.args[2] : value);
}

static void note_if_origins(Split *s, const Stmt *b) {
  note_origins(s, b->u.if_.then_body);
  note_origins(s, b->u.if_.else_body);
  for (int i = 0; i < b->u.if_.nresults; i++) {
    const Expr *v = yielded(b->u.if_.then_body, i), *w = yielded(b->u.if_.else_body, i);
    if (v && w && map_get(&s->origin, v) == map_get(&s->origin, w))
      copy_origin(s, b->u.if_.results[i], v);
  }
}

static void note_origins(Split *s, Block b) {
  for (int i = 0; i < b.len; i++) {
    const Stmt *t = b.items[i];
    if (t->kind == STMT_ASSIGN) note_assign_origin(s, t);
    if (t->kind == STMT_IF) note_if_origins(s, t);
    if (!stmt_is_loop(t)) continue;
    for (int k = 0; k < t->u.loop.ncarried; k++)
      copy_origin(s, t->u.loop.iter_args[k], t->u.loop.iter_args[k]->u.var.init);
    note_origins(s, t->u.loop.body);
    for (int k = 0; k < t->u.loop.nresults; k++)
      copy_origin(s, t->u.loop.results[k], yielded(t->u.loop.body, k));
  }
}

/* ---------------------------------------------------------------- the functions */

static Function *new_function(Split *s, Name name, FuncType type, Map *renamed) {
  Function *g = func_copy(s->ir, s->f);
  g->name = name;
  g->type = type;
  g->level = type == FUNC_AIC ? LEVEL_AIC : type == FUNC_AIV ? LEVEL_AIV : LEVEL_CORE_GROUP;
  g->role = ROLE_SUB_WORKER;
  g->ncomments = 0;
  g->params = NEW_ARRAY(s->ir->arena, Expr *, g->nparams);
  for (int i = 0; i < g->nparams; i++) {
    g->params[i] = expr_var(s->ir, s->f->params[i]->u.var.name, s->f->params[i]->type, s->f->span);
    map_set(renamed, s->f->params[i], g->params[i]);
  }
  return g;
}

static void note_def(Visitor *v, Expr *var) { map_set(v->ctx, var, var); }

/* Tensors that only the other core computes are the parameters that they are versions of. */
static void rename_versions(Split *s, Core core, Block body, Map *renamed) {
  Map defined = {0};
  Visitor v = {.ctx = &defined, .def = note_def};
  visit_block(&v, body);
  if (core == CORE_AIV)
    for (MapEntry *e = NULL; (e = map_next(&s->stored, e));) {
      Expr *to = map_has(&defined, e->key) ? NULL : map_get(renamed, e->value);
      if (to) map_set(renamed, e->key, to);
    }
  Map written = {0};
  for (int i = 0; i < s->f->nparams; i++)
    if (s->f->dirs[i] != PARAM_IN) map_set(&written, s->f->params[i], s->f->params[i]);
  for (MapEntry *e = NULL; (e = map_next(&s->origin, e));)
    if (!map_has(&defined, e->key) && !map_has(renamed, e->key) && map_has(&written, e->value))
      map_set(renamed, e->key, map_get(renamed, e->value));
  map_free(&defined);
  map_free(&written);
}

/* One core's part on its way. */
typedef struct Half {
  Core core;
  Block body;
  Map stands_for;
} Half;

static Function *core_function(Split *s, const Half *h, Name name) {
  Map renamed = {0};
  Core core = h->core;
  Block body = h->body;
  Function *g = new_function(s, name, core == CORE_AIC ? FUNC_AIC : FUNC_AIV, &renamed);
  /* Popped tiles are new already.  The variables in their types stay those of the whole kernel: here they are
   * dynamic dimensions, which the other core shares.  All other types then mean the same ones. */
  Map dimensions = {0};
  Visitor v = {.ctx = &dimensions, .expr = visit_collect_vars};
  for (MapEntry *e = NULL; (e = map_next(&h->stands_for, e));) {
    map_set(&renamed, e->value, e->value);
    visit_type(&v, ((Expr *)e->value)->type);
  }
  rename_versions(s, core, body, &renamed);
  g->body = clone_block_keeping(s->ir, body, &renamed, &dimensions);
  map_free(&dimensions);
  if (core == CORE_AIC) g->nreturns = 0;
  map_free(&renamed);
  return g;
}

static Block without_returns(Ir *ir, Block b) {
  StmtList out = {0};
  for (int i = 0; i < b.len; i++)
    if (b.items[i]->kind != STMT_RETURN) vec_push(&out, b.items[i]);
  return block_take(ir, &out);
}

static Half half_for(Split *s, const Crossings *x, Core core) {
  Half h = {.core = core};
  Block b = core_body(x, s->target, core, s->f->body, &h.stands_for);
  if (core == CORE_AIC) b = without_returns(s->ir, b);
  b = core_body_repaired(s->ir, b, s->f->body, &h.stands_for);
  b = core_body_with_frees(s->ir, core, b, &h.stands_for);
  h.body = clone_block(s->ir, b, &h.stands_for, CLONE_SAME_DEFS);
  return h;
}

/* ---------------------------------------------------------------- the group */

/* The parameters that the results were written through; NULL if one has none. */
static Expr **returned(Split *s, Function *group) {
  static const Program none; /* calls in a kernel say nothing about its results */
  Lineages ls = {.ir = s->ir, .program = &none};
  const Lineage *l = lineage_of(&ls, s->f);
  Expr **values = NULL;
  if (l->n == s->f->nreturns) {
    values = NEW_ARRAY(s->ir->arena, Expr *, l->n);
    for (int i = 0; values && i < l->n; i++) {
      if (l->param[i] < 0 || l->param[i] >= group->nparams)
        values = NULL;
      else
        values[i] = group->params[l->param[i]];
    }
  }
  lineages_free(&ls);
  return values;
}

static Expr *call_member(Split *s, const Function *group, const Function *member,
                         const Type *type) {
  AttrList none = {0};
  return expr_call_func(s->ir, member->name, group->params, group->nparams, none, none, type,
                        s->f->span);
}

static Function *group_function(Split *s, const Function *aic, const Function *aiv) {
  Map renamed = {0};
  Function *g = new_function(s, s->f->name, FUNC_GROUP, &renamed);
  map_free(&renamed);
  const Type *unknown = type_unknown(s->ir);
  const Type *result = g->nreturns == 0   ? unknown
                       : g->nreturns == 1 ? g->returns[0]
                                          : type_tuple(s->ir, g->returns, g->nreturns);
  Span at = s->f->span;
  StmtList out = {0};
  vec_push(&out, stmt_eval(s->ir, call_member(s, g, aic, unknown), at));
  Expr *call = call_member(s, g, aiv, result);
  Expr **values = g->nreturns > 0 ? returned(s, g) : NULL;
  if (g->nreturns > 0 && !values) {
    Expr *var = expr_var(s->ir, ir_name(s->ir, "result"), result, at);
    vec_push(&out, stmt_assign(s->ir, var, call, at));
    vec_push(&out, stmt_return(s->ir, &var, 1, at));
  } else {
    vec_push(&out, stmt_eval(s->ir, call, at));
    if (values) vec_push(&out, stmt_return(s->ir, values, g->nreturns, at));
  }
  g->body = block_take(s->ir, &out);
  return g;
}

/* ---------------------------------------------------------------- all of it */

Function *on_both_vector_cores(Ir *ir, Function *f) {
  Name key = key_name(KEY_DUAL_AIV_DISPATCH);
  f = func_copy(ir, f);
  f->attrs = attr_with(ir, attr_without(ir, f->attrs, key), key, attr_of_bool(true));
  return f;
}

bool split_kernel(Ir *ir, const Target *target, Function *f, SplitKernel *out) {
  Split s = {.ir = ir, .target = target, .f = f};
  if (!check_transposes(&s)) return false;
  Crossings x;
  if (!crossings_init(&x, ir, f->body)) {
    crossings_free(&x);
    return false;
  }
  for (int i = 0; i < f->nparams; i++) map_set(&s.origin, f->params[i], f->params[i]);
  note_origins(&s, f->body);
  PipeEnds ends = {.kernel = f->name, .span = f->span};
  ends.func[CORE_AIC] = name_printf(&ir->names, "%s_aic", f->name);
  ends.func[CORE_AIV] = name_printf(&ir->names, "%s_aiv", f->name);
  Half aic = half_for(&s, &x, CORE_AIC), aiv = half_for(&s, &x, CORE_AIV);
  ends.body[CORE_AIC] = aic.body;
  ends.body[CORE_AIV] = aiv.body;
  set_up_pipes(ir, &ends, (int)key_int(f->attrs, KEY_SLOT_NUM, 0));
  aic.body = ends.body[CORE_AIC];
  aiv.body = ends.body[CORE_AIV];
  out->aic = core_function(&s, &aic, ends.func[CORE_AIC]);
  out->aiv = core_function(&s, &aiv, ends.func[CORE_AIV]);
  if (target->dual_vector_without_split && split_of(ir, f) == SPLIT_NONE)
    out->aiv = on_both_vector_cores(ir, out->aiv);
  out->group = group_function(&s, out->aic, out->aiv);
  crossings_free(&x);
  map_free(&aic.stands_for);
  map_free(&aiv.stands_for);
  map_free(&s.origin);
  map_free(&s.stored);
  return true;
}
