#include "passes/outline/outline.h"

#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/outline/scope_facts.h"
#include "passes/outline/waiter.h"
#include "passes/util/auto_name.h"
#include "passes/util/lineage.h"

/* Where a scope stands in the function's text. */
typedef struct Place {
  intptr_t end; /* number of its last statement */
  bool
      tail; /* something behind it, up to the end of the function or of the scope around, uses a variable */
  bool alone; /* it is the only statement of its block */
} Place;

typedef struct Outliner {
  Ir *ir;
  const OutlineSpec *spec;
  Name func_name; /* that new names begin with */
  int counter;    /* scopes of that function so far */
  Rewriter rw;    /* its subst: stored tensor -> the variable that has its newest value */
  Arena scratch;
  intptr_t at;   /* number of the statement being surveyed */
  Map last_use;  /* variable -> number of the last statement that uses or binds it */
  Map places;    /* Stmt* -> Place* */
  Map names;     /* names taken in this function: variables, and functions made of its scopes */
  Map var_names; /* names of variables alone */
  Map versions;  /* versions tried, see auto_name_fresh */
  Map numbers;   /* function's name -> the number to try next */
  Map required;  /* results of the scope around */
  bool nested;   /* inside a scope that is not outlined now */
  FuncList *made;
  bool failed;
} Outliner;

/* A scope on its way to a function. */
typedef struct Task {
  Stmt *scope;
  Name name;
  ScopeFacts facts;
  VarList outputs;
  Map exported; /* outputs that are stored tensors */
  Map renamed;  /* variable that a store gave -> the stored tensor it stands for */
  Block body;
  Expr **params;
  Expr **results; /* inside the function, as many as outputs */
  const Type **types;
  bool waits;
} Task;

/* ---- names ---- */

void reserve_function_names(const Program *p, Map *reserved) {
  for (int i = 0; i < p->nfuncs; i++) map_set(reserved, p->funcs[i]->name, map_int(1));
}

static bool is_taken(const Outliner *o, Name name) {
  return map_has(&o->names, name) || map_has(o->spec->reserved, name);
}

static Name numbered(Outliner *o, Name base) {
  for (intptr_t i = map_get_int(&o->numbers, base);; i++) {
    Name name = name_printf(&o->ir->names, "%s_%d", base, (int)i);
    if (is_taken(o, name)) continue;
    map_set(&o->numbers, base, map_int(i));
    return name;
  }
}

/* A hint may come twice: in one function it is numbered, in another one it gets that function's name. */
static Name unique_name(Outliner *o, Name name) {
  if (!is_taken(o, name)) return name;
  if (map_has(&o->names, name)) return numbered(o, name);
  Name full = name_printf(&o->ir->names, "%s_%s", o->func_name, name);
  return is_taken(o, full) ? numbered(o, full) : full;
}

static const char *level_word(Level level) {
  static const char *const words[LEVEL_COUNT] = {[LEVEL_NONE] = "undefined",
                                                 [LEVEL_AIV] = "aiv",
                                                 [LEVEL_AIC] = "aic",
                                                 [LEVEL_CORE_GROUP] = "core_group",
                                                 [LEVEL_CHIP_DIE] = "chip_die",
                                                 [LEVEL_CHIP] = "chip",
                                                 [LEVEL_HOST] = "host",
                                                 [LEVEL_CLUSTER_0] = "cluster0",
                                                 [LEVEL_CLUSTER_1] = "cluster1",
                                                 [LEVEL_CLUSTER_2] = "cluster2",
                                                 [LEVEL_GLOBAL] = "global"};
  return words[level];
}

static Name scope_function_name(Outliner *o, const Stmt *s) {
  int number = o->counter++;
  NameTable *names = &o->ir->names;
  if (s->u.scope.name && *s->u.scope.name) return unique_name(o, s->u.scope.name);
  if (s->u.scope.kind != SCOPE_HIERARCHY)
    return unique_name(o, name_printf(names, "%s%s%d", o->func_name, o->spec->suffix, number));
  Role role = s->u.scope.role;
  return unique_name(o, name_printf(names, "%s_%s%s_%d", o->func_name, level_word(s->u.scope.level),
                                    role == ROLE_NONE           ? ""
                                    : role == ROLE_ORCHESTRATOR ? "_orch"
                                                                : "_sub_worker",
                                    number));
}

static Name fresh_var_name(Outliner *o, Name like) {
  Name name = auto_name_fresh(o->ir, like, &o->var_names, &o->versions);
  map_set(&o->var_names, name, map_int(1));
  map_set(&o->names, name, map_int(1));
  return name;
}

/* ---- the survey ---- */

static bool survey_expr(Visitor *v, Expr *e) {
  Outliner *o = v->ctx;
  if (e->kind != EXPR_VAR) return true;
  map_set(&o->last_use, e, map_int(o->at));
  map_set(&o->var_names, e->u.var.name, map_int(1));
  if (e->type->kind == TYPE_TENSOR)
    for (int i = 0; i < e->type->rank; i++)
      if (e->type->shape[i]->kind == EXPR_VAR)
        map_set(&o->var_names, e->type->shape[i]->u.var.name, map_int(1));
  return true;
}

static void survey_def(Visitor *v, Expr *var) { survey_expr(v, var); }

static bool survey_stmt(Visitor *v, Stmt *s) {
  Outliner *o = v->ctx;
  o->at++;
  if (s->kind == STMT_SCOPE && s->u.scope.kind == o->spec->kind)
    map_set(&o->places, s, NEW(&o->scratch, Place));
  return true;
}

static void survey_end(Visitor *v, Stmt *s) {
  Outliner *o = v->ctx;
  Place *p = s->kind == STMT_SCOPE ? map_get(&o->places, s) : NULL;
  if (p) p->end = o->at;
}

static bool note_any_expr(Visitor *v, Expr *e) {
  bool *any = v->ctx;
  if (e->kind == EXPR_VAR) *any = true;
  return !*any;
}

static void note_any_def(Visitor *v, Expr *var) {
  (void)var;
  *(bool *)v->ctx = true;
}

static bool note_any_stmt(Visitor *v, Stmt *s) {
  (void)s;
  return !*(bool *)v->ctx;
}

static bool uses_any(Stmt *s) {
  bool any = false;
  Visitor v = {.ctx = &any, .expr = note_any_expr, .stmt = note_any_stmt, .def = note_any_def};
  visit_stmt(&v, s);
  return any;
}

static void place_scopes(Outliner *o, Block b, bool tail) {
  bool alone = b.len == 1;
  for (int i = b.len; i-- > 0;) {
    Stmt *s = b.items[i];
    Place *p = NULL;
    switch (s->kind) {
      case STMT_IF:
        place_scopes(o, s->u.if_.then_body, tail);
        place_scopes(o, s->u.if_.else_body, tail);
        break;
      case STMT_FOR:
      case STMT_WHILE: place_scopes(o, s->u.loop.body, tail); break;
      case STMT_SCOPE:
        p = map_get(&o->places, s);
        if (p) *p = (Place){p->end, tail, alone};
        place_scopes(o, s->u.scope.body, p ? false : tail);
        break;
      default: break;
    }
    tail = tail || uses_any(s);
  }
}

/* ---- results ---- */

static bool is_needed(const Outliner *o, const Task *t, const Expr *var) {
  const Place *p = map_get(&o->places, t->scope);
  bool stored = map_has(&t->facts.stored_set, var);
  if (p->tail || o->required.count > 0)
    return map_get_int(&o->last_use, var) > p->end || map_has(&o->required, var) ||
           (p->alone && stored);
  /* Nobody says what is needed: everything, unless another scope confines it. */
  if (t->waits) return false;
  return stored || !o->nested;
}

static bool is_external(const Task *t, const Expr *var) {
  return map_has(&t->facts.input_set, var);
}

static void find_outputs(Outliner *o, Task *t) {
  const ScopeFacts *f = &t->facts;
  for (size_t i = 0; i < f->defs.len; i++) {
    Expr *var = f->defs.data[i];
    if (!is_needed(o, t, var)) continue;
    Expr *target = map_get(&f->stored_as, var);
    if (target && is_external(t, target) && o->spec->kind != SCOPE_HIERARCHY)
      map_set(&t->renamed, var, target); /* the tensor itself is a result */
    else
      vec_push(&t->outputs, var);
  }
  if (o->spec->kind == SCOPE_HIERARCHY) return; /* the caller sees what was written anyway */
  for (size_t i = f->stored.len; i-- > 0;) {
    Expr *target = f->stored.data[i];
    if (!is_external(t, target)) continue;
    vec_push(&t->outputs, target);
    map_set(&t->exported, target, map_int(1));
  }
}

/* A captured variable that the body binds again is another one inside; only a store can say which. */
static void check_captures(Outliner *o, const Task *t) {
  for (size_t i = 0; i < t->facts.inputs.len; i++) {
    const Expr *var = t->facts.inputs.data[i];
    if (!map_has(&t->facts.def_set, var) || map_has(&t->facts.stored_set, var)) continue;
    diag_error(o->ir->diag, t->scope->span, "scope '%s' assigns '%s', which comes from outside",
               t->name, var->u.var.name);
    diag_note(o->ir->diag, t->scope->span,
              "scopes are outlined from SSA form; run ConvertToSSA before");
    o->failed = true;
  }
}

/* ---- waiting tasks ---- */

static void check_waiting(Outliner *o, const Task *t) {
  Diag *d = o->ir->diag;
  Span at = t->scope->span;
  AttrList attrs = t->scope->u.scope.attrs;
  const char *what = NULL;
  if (!t->waits) return;
  if (o->spec->kind != SCOPE_INCORE)
    what = "pld.system.defer_wait belongs into an InCore task (pl.at(level=pl.Level.CORE_GROUP))";
  else if (o->nested)
    what =
        "pld.system.defer_wait must stand in a task of its own, not inside pl.spmd or another "
        "launch";
  else if (key_get(attrs, KEY_PREDICATE))
    what =
        "a task with pld.system.defer_wait cannot have a predicate: every waiter must register its "
        "condition";
  else if (key_bool(attrs, KEY_ALLOW_EARLY_RESOLVE, false))
    what = "a task with pld.system.defer_wait cannot allow early resolution";
  if (what) diag_error(d, at, "%s", what);
  if (what || !check_waiter_body(o->ir, t->scope->u.scope.body, at)) o->failed = true;
}

/* ---- the new body ---- */

/* Scopes inside: named after the new function, counted anew, without the renamings outside. */
static Block outline_inside(Outliner *o, const Task *t) {
  Name func_name = o->func_name;
  int counter = o->counter;
  Map subst = o->rw.subst, required = o->required;
  o->rw.subst = (Map){0};
  o->required = (Map){0};
  for (size_t i = 0; i < t->outputs.len; i++) map_set(&o->required, t->outputs.data[i], map_int(1));
  o->func_name = t->name;
  o->counter = 0;
  Block body = rewrite_block(&o->rw, t->scope->u.scope.body);
  map_free(&o->rw.subst);
  map_free(&o->required);
  o->func_name = func_name;
  o->counter = counter;
  o->rw.subst = subst;
  o->required = required;
  return body;
}

/* Binds what stores into exported tensors give. */
typedef struct Stores {
  const Map *result_of; /* stored tensor -> its result inside */
  Map *names;
  Map versions; /* tried, see auto_name_fresh */
  Map claimed;
} Stores;

static Expr *next_result(Rewriter *r, Expr *target) {
  Stores *st = r->ctx;
  Expr *result = map_get(st->result_of, target);
  if (map_set(&st->claimed, target, NULL)) return result;
  Name name = auto_name_fresh(r->ir, result->u.var.name, st->names, &st->versions);
  map_set(st->names, name, map_int(1));
  return expr_var(r->ir, name, result->type, result->span);
}

static void bind_store(Rewriter *r, Stmt *s, StmtList *out) {
  const Stores *st = r->ctx;
  Expr *value = s->kind == STMT_ASSIGN ? s->u.assign.value
                : s->kind == STMT_EVAL ? s->u.eval
                                       : NULL;
  Expr *target = value && value->kind == EXPR_CALL ? store_target(value) : NULL;
  if (!target || !map_has(st->result_of, target)) {
    vec_push(out, rewrite_stmt_children(r, s));
    return;
  }
  Expr *result = next_result(r, target);
  bool keeps = s->kind == STMT_ASSIGN && s->u.assign.var != target;
  if (keeps) vec_push(out, s);
  vec_push(out, stmt_assign(r->ir, result, keeps ? s->u.assign.var : value, s->span));
}

static Expr *keep_expr(Rewriter *r, Expr *e) {
  (void)r;
  return e;
}

static const Type *keep_type(Rewriter *r, const Type *t) {
  (void)r;
  return t;
}

static void bind_stores(Outliner *o, Task *t, Map *names) {
  Map result_of = {0};
  for (size_t i = 0; i < t->outputs.len; i++)
    if (map_has(&t->exported, t->outputs.data[i]))
      map_set(&result_of, t->outputs.data[i], t->results[i]);
  Stores st = {.result_of = &result_of, .names = names};
  Rewriter r;
  rewriter_init(&r, o->ir, &st);
  r.stmt = bind_store;
  r.expr = keep_expr;
  r.def = keep_expr;
  r.type = keep_type;
  if (result_of.count > 0) t->body = rewrite_block(&r, t->body);
  rewriter_free(&r);
  map_free(&st.claimed);
  map_free(&st.versions);
  map_free(&result_of);
}

/* A variable already replaced is bound under its new name. */
static Expr *replaced_def(Rewriter *r, Expr *var) {
  Expr *known = map_get(&r->subst, var);
  return known ? known : rewrite_def_default(r, var);
}

static Name result_name(Outliner *o, const Task *t, const Expr *output, Map *names) {
  Name name = output->u.var.name;
  if (map_has(&t->exported, output)) {
    name = auto_name_build(o->ir, auto_name_parse(o->ir, name).base, NULL, "store", -1);
    if (map_has(names, name)) name = auto_name_fresh(o->ir, name, names, NULL);
  }
  map_set(names, name, map_int(1));
  return name;
}

/* Symbolic dimensions of parameters and results are parameters themselves. */
static void retype(Rewriter *r, Expr *from, Expr **var) {
  const Type *type = rewrite_type(r, (*var)->type);
  if (type == (*var)->type) return;
  *var = expr_var(r->ir, (*var)->u.var.name, type, (*var)->span);
  if (from) map_set(&r->subst, from, *var);
}

static void make_params_and_results(Outliner *o, Task *t, Rewriter *r, Map *names) {
  Arena *arena = o->ir->arena;
  Span span = t->scope->span;
  size_t n = t->facts.inputs.len, m = t->outputs.len;
  t->params = NEW_ARRAY(arena, Expr *, n);
  t->results = NEW_ARRAY(arena, Expr *, m);
  t->types = NEW_ARRAY(arena, const Type *, m);
  for (MapEntry *e = NULL; (e = map_next(&t->facts.names, e));) map_set(names, e->key, map_int(1));
  for (size_t i = 0; i < n; i++) {
    Expr *var = t->facts.inputs.data[i];
    t->params[i] = expr_var(o->ir, var->u.var.name, var->type, span);
    map_set(&r->subst, var, t->params[i]);
  }
  for (size_t i = 0; i < m; i++) {
    Expr *var = t->outputs.data[i];
    t->results[i] = expr_var(o->ir, result_name(o, t, var, names), var->type, span);
    if (!map_has(&t->exported, var)) map_set(&r->subst, var, t->results[i]);
  }
}

static void make_body(Outliner *o, Task *t) {
  Rewriter r;
  Map names = {0};
  rewriter_init(&r, o->ir, NULL);
  r.def = replaced_def;
  t->body = outline_inside(o, t);
  make_params_and_results(o, t, &r, &names);
  for (size_t i = 0; i < t->facts.inputs.len; i++)
    retype(&r, t->facts.inputs.data[i], &t->params[i]);
  for (size_t i = 0; i < t->outputs.len; i++) {
    Expr *from = map_has(&t->exported, t->outputs.data[i]) ? NULL : t->outputs.data[i];
    retype(&r, from, &t->results[i]);
    t->types[i] = t->results[i]->type;
  }
  bind_stores(o, t, &names);
  t->body = rewrite_block(&r, t->body);
  rewriter_free(&r);
  map_free(&names);
}

/* ---- the new function ---- */

static Expr *param_of(const Task *t, const Expr *input) {
  for (size_t i = 0; i < t->facts.inputs.len; i++)
    if (t->facts.inputs.data[i] == input) return t->params[i];
  return NULL;
}

static Block with_return(Outliner *o, const Task *t, Expr *const *values) {
  StmtList body = {0};
  for (int i = 0; i < t->body.len; i++) vec_push(&body, t->body.items[i]);
  vec_push(&body, stmt_return(o->ir, values, (int)t->outputs.len, t->scope->span));
  return block_take(o->ir, &body);
}

/* A tensor that was written through a parameter is returned as that parameter. */
static void add_return(Outliner *o, Task *t) {
  int n = (int)t->outputs.len;
  if (n == 0) return;
  Function traced = {
      .params = t->params, .nparams = (int)t->facts.inputs.len, .returns = t->types, .nreturns = n};
  traced.body = with_return(o, t, t->results);
  Lineages ls = {.ir = o->ir,
                 .program = o->spec->program ? o->spec->program
                                             : program_new(o->ir, t->name, NULL, 0, NO_SPAN)};
  const Lineage *l = lineage_of(&ls, &traced);
  Expr **values = COPY_ARRAY(o->ir->arena, Expr *, t->results, n);
  for (int i = 0; i < n; i++) {
    if (map_has(&t->exported, t->outputs.data[i]))
      values[i] = param_of(t, t->outputs.data[i]);
    else if (type_is_tensor(values[i]->type) && i < l->n && l->param[i] >= 0)
      values[i] = t->params[l->param[i]];
  }
  lineages_free(&ls);
  t->body = with_return(o, t, values);
}

typedef struct SplitRegions {
  int n;
  SplitMode mode;
  bool uniform;
} SplitRegions;

static bool note_region(Visitor *v, Stmt *s) {
  SplitRegions *r = v->ctx;
  if (s->kind != STMT_SCOPE || s->u.scope.kind != SCOPE_SPLIT_AIV) return true;
  if (r->n++ == 0) *r = (SplitRegions){1, s->u.scope.split, true};
  r->uniform = r->uniform && r->mode == s->u.scope.split;
  return false;
}

static void set_attr(Outliner *o, AttrList *attrs, const char *key, AttrValue value) {
  *attrs = attr_with(o->ir, *attrs, ir_name(o->ir, key), value);
}

/* Regions split by hand mark the function, with their mode if they agree in one. */
static void add_split_regions(Outliner *o, const Task *t, AttrList *attrs) {
  const Stmt *s = t->scope;
  SplitRegions regions = {0};
  Visitor v = {.ctx = &regions, .stmt = note_region};
  visit_block(&v, s->u.scope.body);
  if (regions.n == 0) return;
  if (s->u.scope.split != SPLIT_NONE) {
    diag_error(o->ir->diag, s->span,
               "a scope with pl.split_aiv regions cannot be split as a whole by pl.split()");
    diag_note(o->ir->diag, s->span,
              "remove one of them; pl.cross_core_slot(slot_num=N) goes with regions");
    o->failed = true;
  }
  set_attr(o, attrs, "split_aiv", attr_of_bool(true));
  if (regions.uniform && regions.mode != SPLIT_NONE)
    set_attr(o, attrs, "split", attr_of_int(regions.mode));
}

static AttrList function_attrs(Outliner *o, const Task *t) {
  const Stmt *s = t->scope;
  AttrList attrs = {0};
  if (s->u.scope.kind != SCOPE_INCORE) return attrs;
  Name slot_num = key_name(KEY_SLOT_NUM);
  if (s->u.scope.split != SPLIT_NONE) set_attr(o, &attrs, "split", attr_of_int(s->u.scope.split));
  if (attr_get(s->u.scope.attrs, slot_num))
    attrs = attr_with(o->ir, attrs, slot_num, *attr_get(s->u.scope.attrs, slot_num));
  if (key_bool(s->u.scope.attrs, KEY_WINDOWIZE, false))
    set_attr(o, &attrs, "windowize", attr_of_bool(true));
  if (t->waits) set_attr(o, &attrs, "deferred_completion_waiter", attr_of_bool(true));
  add_split_regions(o, t, &attrs);
  return attrs;
}

Role default_role(FuncType type) {
  Level level = func_type_level(type);
  return level == LEVEL_NONE   ? ROLE_NONE
         : level == LEVEL_CHIP ? ROLE_ORCHESTRATOR
                               : ROLE_SUB_WORKER;
}

static void make_function(Outliner *o, Task *t) {
  const Stmt *s = t->scope;
  bool hierarchy = s->u.scope.kind == SCOPE_HIERARCHY;
  Function f = {.name = t->name, .type = o->spec->type, .span = s->span, .params = t->params};
  f.level = hierarchy ? s->u.scope.level : func_type_level(f.type);
  f.role = hierarchy ? s->u.scope.role : default_role(f.type);
  f.nparams = (int)t->facts.inputs.len;
  f.dirs = NEW_ARRAY(o->ir->arena, ParamDir, f.nparams);
  infer_directions(o->spec->program, s->u.scope.body, &t->facts.inputs, &t->exported, f.dirs);
  add_return(o, t);
  f.returns = t->types;
  f.nreturns = (int)t->outputs.len;
  f.body = t->body;
  f.attrs = function_attrs(o, t);
  vec_push(o->made, func_copy(o->ir, &f));
}

/* ---- the call ---- */

static Expr *newest(const Outliner *o, Expr *var) {
  Expr *by = map_get(&o->rw.subst, var);
  return by ? by : var;
}

static const AttrValue *scope_attr(const Outliner *o, const Stmt *s, const char *key) {
  return attr_get(s->u.scope.attrs, ir_name(o->ir, key));
}

static int input_index(const Task *t, const Expr *var) {
  for (size_t i = 0; i < t->facts.inputs.len; i++)
    if (t->facts.inputs.data[i] == var) return (int)i;
  return -1;
}

/* Which inputs a list of variables names: flags, one per input.  A variable that is none is an error if
 * `must` is. */
static bool *named_inputs(Outliner *o, const Task *t, const AttrValue *list, bool must) {
  bool *named = NEW_ARRAY(&o->scratch, bool, t->facts.inputs.len + 1);
  for (int i = 0; list && i < list->u.list.len; i++) {
    const Expr *var = list->u.list.items[i].u.expr;
    int at = input_index(t, var);
    if (at >= 0) {
      named[at] = true;
    } else if (must) {
      diag_error(o->ir->diag, t->scope->span,
                 "no_dep_args names '%s', which this scope does not use", var->u.var.name);
      o->failed = true;
    }
  }
  return named;
}

/* dumps= and no_dep_args= of the scope, as attributes of the call. */
static AttrList call_attrs(Outliner *o, const Task *t, Expr *const *args) {
  AttrList attrs = {0};
  /* In a cluster the calls of its members say what is dumped. */
  const AttrValue *dumps =
      t->scope->u.scope.kind == SCOPE_CLUSTER ? NULL : scope_attr(o, t->scope, "dump_vars");
  const AttrValue *no_dep = scope_attr(o, t->scope, "arg_direction_overrides_vars");
  int n = (int)t->facts.inputs.len;
  AttrValue *items = NEW_ARRAY(o->ir->arena, AttrValue, n);
  bool *named = named_inputs(o, t, dumps, false);
  int len = 0;
  for (int i = 0; i < n; i++)
    if (named[i]) items[len++] = attr_of_expr(args[i]);
  if (len > 0) set_attr(o, &attrs, "dump_vars", attr_of_list(items, len));
  items = NEW_ARRAY(o->ir->arena, AttrValue, n);
  named = named_inputs(o, t, no_dep, true);
  len = 0;
  for (int i = 0; i < n; i++)
    if (named[i]) items[len++] = attr_of_int(i);
  if (len > 0) set_attr(o, &attrs, "arg_direction_overrides", attr_of_list(items, len));
  return attrs;
}

static Launch *scope_launch(Outliner *o, const Stmt *s) {
  Launch *l = NEW(o->ir->arena, Launch);
  const AttrValue *deps = scope_attr(o, s, "manual_dep_edges"),
                  *predicate = scope_attr(o, s, "predicate");
  l->ndeps = deps ? deps->u.list.len : 0;
  l->deps = NEW_ARRAY(o->ir->arena, Expr *, l->ndeps);
  for (int i = 0; i < l->ndeps; i++) l->deps[i] = deps->u.list.items[i].u.expr;
  l->predicate = predicate ? predicate->u.expr : NULL;
  l->allow_early_resolve = key_bool(s->u.scope.attrs, KEY_ALLOW_EARLY_RESOLVE, false);
  if (s->u.scope.kind == SCOPE_SPMD) {
    l->core_num = s->u.scope.core_num;
    l->sync_start = s->u.scope.sync_start;
  }
  return l;
}

/* The type of the call, which sees the arguments where the function's types speak of its parameters. */
static const Type *call_type(Outliner *o, const Task *t, Expr *const *args, const Type *type) {
  Rewriter r;
  rewriter_init(&r, o->ir, NULL);
  for (size_t i = 0; i < t->facts.inputs.len; i++) map_set(&r.subst, t->params[i], args[i]);
  type = rewrite_type(&r, type);
  rewriter_free(&r);
  return type;
}

static const Type *result_type(Outliner *o, const Task *t, bool with_task) {
  int n = (int)t->outputs.len;
  if (!with_task && n == 0) return type_unknown(o->ir);
  if (!with_task && n == 1) return t->types[0];
  const Type **types = NEW_ARRAY(&o->scratch, const Type *, n + 1);
  for (int i = 0; i < n; i++) types[i] = t->types[i];
  types[n] = type_scalar(o->ir, DT_TASK_ID);
  return type_tuple(o->ir, types, with_task ? n + 1 : n);
}

/* The variable outside that gets an output: for a stored tensor a new one, which stands for it from now on. */
static Expr *outer_var(Outliner *o, const Task *t, Expr *output) {
  if (!map_has(&t->exported, output)) return output;
  Expr *var = expr_var(o->ir, fresh_var_name(o, output->u.var.name), output->type, t->scope->span);
  map_set(&o->rw.subst, output, var);
  return var;
}

static void unpack_results(Outliner *o, const Task *t, Expr *call, Expr *task_id, StmtList *out) {
  Span span = t->scope->span;
  Name name = auto_name_build(o->ir, ir_name(o->ir, "ret"), NULL, "tmp", 0);
  Expr *all = expr_var(o->ir, name, call->type, span);
  vec_push(out, stmt_assign(o->ir, all, call, span));
  for (size_t i = 0; i < t->outputs.len; i++) {
    Expr *value = expr_tuple_get(o->ir, all, (int)i, span);
    vec_push(out, stmt_assign(o->ir, outer_var(o, t, t->outputs.data[i]), value, span));
  }
  if (task_id)
    vec_push(out, stmt_assign(o->ir, task_id, expr_tuple_get(o->ir, all, (int)t->outputs.len, span),
                              span));
}

/* The parser binds the task id of `with ... as tid` in front of the scope, so that it has a definition. */
static void drop_placeholder(StmtList *out, const Expr *task_id) {
  if (out->len == 0) return;
  const Stmt *last = vec_last(out);
  if (last->kind == STMT_ASSIGN && last->u.assign.var == task_id &&
      expr_is_op(last->u.assign.value, OP_SYSTEM_TASK_INVALID))
    out->len--;
}

static void make_call(Outliner *o, Task *t, StmtList *out) {
  const Stmt *s = t->scope;
  int nargs = (int)t->facts.inputs.len;
  Expr **args = NEW_ARRAY(o->ir->arena, Expr *, nargs);
  for (int i = 0; i < nargs; i++) args[i] = newest(o, t->facts.inputs.data[i]);
  AttrList attrs = call_attrs(o, t, args);
  const AttrValue *tid = scope_attr(o, s, "task_id_var");
  Expr *task_id = tid ? tid->u.expr : NULL;
  Launch *launch = scope_launch(o, s);
  if (task_id)
    drop_placeholder(out, task_id);
  else if (launch->ndeps > 0 || launch->allow_early_resolve || launch->predicate)
    task_id = expr_var(o->ir, fresh_var_name(o, ir_name(o->ir, "tid")),
                       type_scalar(o->ir, DT_TASK_ID), s->span);
  const Type *type = call_type(o, t, args, result_type(o, t, task_id != NULL));
  AttrList none = {0};
  if (task_id) {
    Expr *submit = expr_submit(o->ir, t->name, args, nargs, none, attrs, launch, type, s->span);
    unpack_results(o, t, submit, task_id, out);
    return;
  }
  if (launch->core_num) {
    set_attr(o, &attrs, "core_num", attr_of_expr(launch->core_num));
    if (launch->sync_start) set_attr(o, &attrs, "sync_start", attr_of_bool(true));
  }
  Expr *call = expr_call_func(o->ir, t->name, args, nargs, none, attrs, type, s->span);
  if (t->outputs.len == 0)
    vec_push(out, stmt_eval(o->ir, call, s->span));
  else if (t->outputs.len == 1)
    vec_push(out, stmt_assign(o->ir, outer_var(o, t, t->outputs.data[0]), call, s->span));
  else
    unpack_results(o, t, call, NULL, out);
}

/* ---- scopes ---- */

static void outline_scope(Outliner *o, Stmt *s, StmtList *out) {
  Task t = {.scope = s, .name = scope_function_name(o, s)};
  map_set(&o->names, t.name, map_int(1));
  map_set(o->spec->reserved, t.name, map_int(1));
  scope_facts_init(&t.facts, s->u.scope.body);
  t.waits = t.facts.waits;
  check_waiting(o, &t);
  check_captures(o, &t);
  find_outputs(o, &t);
  make_body(o, &t);
  make_function(o, &t);
  make_call(o, &t, out);
  /* What a store inside gave is now called as the tensor is. */
  for (MapEntry *m = NULL; (m = map_next(&t.renamed, m));) {
    Expr *var = map_get(&o->rw.subst, m->value);
    if (var) map_set(&o->rw.subst, m->key, var);
  }
  scope_facts_free(&t.facts);
  vec_free(&t.outputs);
  map_free(&t.exported);
  map_free(&t.renamed);
}

static void outline_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Outliner *o = r->ctx;
  if (o->failed) return;
  if (s->kind == STMT_SCOPE && s->u.scope.kind == o->spec->kind) {
    outline_scope(o, s, out);
    return;
  }
  bool nested = o->nested;
  if (s->kind == STMT_SCOPE && scope_traits(s->u.scope.kind)->work) o->nested = true;
  vec_push(out, rewrite_stmt_children(r, s));
  o->nested = nested;
}

bool outline_scopes(Ir *ir, const OutlineSpec *spec, const Function *f, Block *body,
                    FuncList *made) {
  Outliner o = {.ir = ir, .spec = spec, .func_name = f->name, .made = made};
  arena_init(&o.scratch);
  rewriter_init(&o.rw, ir, &o);
  o.rw.stmt = outline_stmt;
  Visitor v = {.ctx = &o,
               .expr = survey_expr,
               .stmt = survey_stmt,
               .stmt_end = survey_end,
               .def = survey_def};
  for (int i = 0; i < f->nparams; i++) survey_def(&v, f->params[i]);
  visit_block(&v, *body);
  if (o.places.count > 0) {
    for (MapEntry *m = NULL; (m = map_next(&o.var_names, m));)
      map_set(&o.names, m->key, map_int(1));
    place_scopes(&o, *body, false);
    *body = rewrite_block(&o.rw, *body);
  }
  map_free(&o.last_use);
  map_free(&o.places);
  map_free(&o.names);
  map_free(&o.var_names);
  map_free(&o.versions);
  map_free(&o.numbers);
  map_free(&o.required);
  rewriter_free(&o.rw);
  arena_free(&o.scratch);
  return !o.failed;
}
