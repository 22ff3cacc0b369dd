/* build_kernel.c -- calls of the program's functions: plain, and launched as tasks. */
#include <string.h>

#include "ir/print.h"
#include "ir/visit.h"
#include "parser/build.h"

/* ---------------------------------------------------------------- what a call may say */

static bool keyword_allowed(Builder *b, const KernelCall *k, const Function *f, Name name) {
  if (name == b->n.attrs) return true;
  if (name == b->n.device) return f && f->role == ROLE_ORCHESTRATOR;
  if (k->spmd && (name == b->n.core_num || name == b->n.sync_start)) return true;
  return k->submit && (name == b->n.deps || name == b->n.dumps ||
                       name == b->n.allow_early_resolve || name == b->n.predicate);
}

static bool check_keywords(Builder *b, const KernelCall *k, const Function *f) {
  for (size_t i = 0; i < k->call->nkwargs; i++) {
    Name name = k->call->kwargs[i].name;
    if (name && keyword_allowed(b, k, f, name)) continue;
    build_error(b, k->call->kwargs[i].at, "a call of '%s' takes no argument '%s'", k->kernel->name,
                name ? name : "**");
    if (name == b->n.deps)
      build_note(b,
                 "a plain call waits for nothing: launch it, 'out, tid = pl.submit(self.%s, ..., "
                 "deps=[...])'",
                 k->kernel->name);
    else if (name == b->n.core_num || name == b->n.sync_start)
      build_note(b, "'%s' belongs to 'pl.spmd_submit(self.%s, ..., core_num=N)'", name,
                 k->kernel->name);
    else if (name == b->n.dumps)
      build_note(b, "for a plain call, write 'pl.dump_tag(x)' before it");
    return false;
  }
  return true;
}

static int required_params(const Function *f) {
  int n = 0;
  for (int i = 0; i < f->nparams; i++) n += f->dirs[i] == PARAM_IN;
  return n;
}

/* A launch may leave out what the task writes: the runtime allocates it. */
static bool check_count(Builder *b, const KernelCall *k, const Function *f) {
  int got = (int)k->nargs, most = f->nparams, least = k->submit ? required_params(f) : most;
  if (got >= least && got <= most) return true;
  if (least == most)
    build_error(b, k->call->at, "'%s' takes %d argument%s, not %d", f->name, most,
                most == 1 ? "" : "s", got);
  else
    build_error(b, k->call->at, "'%s' takes %d to %d arguments, not %d", f->name, least, most, got);
  diag_note(b->ir->diag, f->span, "'%s' is defined here", f->name);
  return false;
}

/* pl.no_dep(x) around an argument; NULL if it is none. */
static const SynExpr *no_dep_operand(Builder *b, const SynExpr *e) {
  if (e->kind != SYN_CALL || e->nitems != 1 || e->nkwargs) return NULL;
  bool named = e->lhs->kind == SYN_NAME && e->lhs->name == b->n.no_dep;
  return named || syn_is_attr_of(e->lhs, b->n.pl, b->n.no_dep) ? e->items[0] : NULL;
}

static bool build_args(Builder *b, const KernelCall *k, Expr **args, AttrValue *no_deps) {
  AttrValue *indices = NEW_ARRAY(b->ir->arena, AttrValue, k->nargs);
  int n = 0;
  for (size_t i = 0; i < k->nargs; i++) {
    const SynExpr *e = k->args[i], *inner;
    bool marked = false;
    while ((inner = no_dep_operand(b, e))) {
      marked = true;
      e = inner;
    }
    if (!(args[i] = build_expr(b, e))) return false;
    if (args[i]->type->kind == TYPE_VOID) {
      build_error(b, e->at, "a call that gives no value cannot be an argument");
      return false;
    }
    if (marked) indices[n++] = attr_of_int((int64_t)i);
  }
  *no_deps = attr_of_list(indices, n);
  return true;
}

/* ---------------------------------------------------------------- attributes of the call */

static bool check_directions(Builder *b, const KernelCall *k, const Attr *a) {
  const AttrValue *v = &a->value;
  bool dirs = v->kind == ATTR_LIST;
  for (int i = 0; dirs && i < v->u.list.len; i++)
    dirs = v->u.list.items[i].kind == ATTR_ENUM && v->u.list.items[i].enum_id == ENUM_ADIR;
  if (!dirs) {
    build_error(b, a->span, "arg_directions must be a list of pl.adir.<direction>");
    return false;
  }
  if (v->u.list.len == 0 || v->u.list.len == (int)k->nargs) return true;
  build_error(b, a->span, "%d arg_directions for %zu arguments", v->u.list.len, k->nargs);
  return false;
}

static bool is_arg(const Expr *e, Expr *const *args, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (args[i] == e) return true;
  return false;
}

/* Variables of tensors that are arguments of the call. */
static bool check_dumps(Builder *b, const KernelCall *k, Expr *const *args, const AttrValue *v,
                        Span at) {
  for (int i = 0; v->kind == ATTR_LIST && i < v->u.list.len; i++) {
    Expr *e = v->u.list.items[i].kind == ATTR_EXPR ? v->u.list.items[i].u.expr : NULL;
    if (!e || !expr_is_var(e) || !type_is_tensor(e->type)) {
      build_error(b, at, "only tensors can be dumped");
      return false;
    }
    if (is_arg(e, args, k->nargs)) continue;
    build_error(b, at, "'%s' is no argument of this call of '%s': it cannot be dumped",
                e->u.var.name, k->kernel->name);
    return false;
  }
  if (v->kind == ATTR_LIST) return true;
  build_error(b, at, "what is to be dumped must be a list of tensors");
  return false;
}

/* dumps=[x, y] of a launch. */
static bool read_dumps(Builder *b, const KernelCall *k, Expr *const *args, AttrValue *out) {
  const SynKeyword *kw = syn_keyword(k->call, b->n.dumps);
  *out = attr_of_list(NULL, 0);
  if (!kw) return true;
  if (kw->value->kind != SYN_LIST && kw->value->kind != SYN_TUPLE) {
    build_error(b, kw->value->at, "dumps must be a list of tensors: dumps=[x, y]");
    return false;
  }
  Expr *list = build_list(b, kw->value);
  if (!list) return false;
  AttrValue *items = NEW_ARRAY(b->ir->arena, AttrValue, list->u.tuple.len);
  for (int i = 0; i < list->u.tuple.len; i++) items[i] = attr_of_expr(list->u.tuple.elems[i]);
  *out = attr_of_list(items, list->u.tuple.len);
  return check_dumps(b, k, args, out, kw->value->at);
}

static bool in_list(const AttrValue *list, const Expr *e) {
  for (int i = 0; list && list->kind == ATTR_LIST && i < list->u.list.len; i++)
    if (list->u.list.items[i].u.expr == e) return true;
  return false;
}

/* Arguments that are dumped, in their order: marked by pl.dump_tag, or listed. */
static AttrValue dumped_args(Builder *b, const KernelCall *k, Expr *const *args,
                             const AttrValue *listed) {
  AttrValue *items = NEW_ARRAY(b->ir->arena, AttrValue, k->nargs);
  int n = 0;
  for (size_t i = 0; i < k->nargs; i++) {
    bool tagged = false;
    for (size_t d = 0; d < b->f->dumped.len; d++)
      tagged = tagged || b->f->dumped.data[d] == args[i];
    if (expr_is_var(args[i]) && (tagged || in_list(listed, args[i])))
      items[n++] = attr_of_expr(args[i]);
  }
  return attr_of_list(items, n);
}

static bool call_attrs(Builder *b, const KernelCall *k, Expr *const *args, AttrValue no_deps,
                       AttrList *out) {
  const SynKeyword *kw = syn_keyword(k->call, b->n.attrs),
                   *device = syn_keyword(k->call, b->n.device);
  AttrList written = {0};
  AttrValue listed;
  Span at = k->call->at;
  if (kw && !build_attrs(b, kw->value,
                         arena_printf(b->ir->arena, "the call of '%s'", k->kernel->name), &written))
    return false;
  const AttrValue *dump_attr = attr_get(written, b->n.dump_vars);
  if (!read_dumps(b, k, args, &listed)) return false;
  if (dump_attr && !k->submit) {
    if (!check_dumps(b, k, args, dump_attr, kw->at)) return false;
    listed = *dump_attr;
  }
  AttrValue dumps = dumped_args(b, k, args, &listed);
  if (dumps.u.list.len) attrs_set(b, out, b->n.dump_vars, dumps, at);
  for (int i = 0; i < written.len; i++) {
    const Attr *a = &written.items[i];
    if (a->key == b->n.manual_dep_edges) {
      build_error(b, a->span,
                  "dependencies are no attribute: launch the call, "
                  "'out, tid = pl.submit(self.%s, ..., deps=[...])'",
                  k->kernel->name);
      return false;
    }
    if (a->key != b->n.arg_directions) continue;
    if (!check_directions(b, k, a)) return false;
    if (a->value.u.list.len) attrs_set(b, out, a->key, a->value, a->span);
  }
  if (no_deps.u.list.len) attrs_set(b, out, b->n.arg_direction_overrides, no_deps, at);
  if (device) {
    Expr *v = build_expr(b, device->value);
    if (!v) return false;
    attrs_set(b, out, b->n.device, attr_of_expr(v), device->at);
  }
  for (int i = 0; i < written.len; i++) {
    const Attr *a = &written.items[i];
    if (a->key == b->n.arg_directions || a->key == b->n.dump_vars || attr_get(*out, a->key))
      continue;
    attrs_set(b, out, a->key, a->value, a->span);
  }
  return true;
}

/* ---------------------------------------------------------------- the launch */

static bool check_in_cluster(Builder *b, const Launch *l, Span at) {
  if (!in_scope_kind(b, SCOPE_CLUSTER)) return true;
  const char *what = l->ndeps                 ? "deps"
                     : l->core_num            ? "core_num"
                     : l->sync_start          ? "sync_start"
                     : l->allow_early_resolve ? "allow_early_resolve"
                     : l->predicate           ? "predicate"
                                              : NULL;
  if (!what) return true;
  build_error(
      b, at,
      "a launch inside pl.cluster() is part of the cluster's task: it has no '%s' of its own",
      what);
  return false;
}

Expr *build_core_num(Builder *b, const SynExpr *e) {
  int64_t n;
  Expr *v = build_expr(b, e);
  if (!v) return NULL;
  if (v->type->kind != TYPE_SCALAR || !dtype_is_int(v->type->dtype))
    return build_error(b, e->at, "the number of blocks must be an integer, not %s",
                       type_str(b->ir, v->type));
  if (expr_const_int(v, &n) && n <= 0)
    return build_error(b, e->at, "the number of blocks must be positive");
  return v;
}

static bool read_launch(Builder *b, const KernelCall *k, Launch *l) {
  const SynExpr *call = k->call;
  const SynKeyword *deps = syn_keyword(call, b->n.deps), *kw;
  const char *what = arena_printf(b->ir->arena, "the launch of '%s'", k->kernel->name);
  if (deps && !build_deps(b, what, deps, call->at, &l->deps, &l->ndeps)) return false;
  if (k->spmd) {
    kw = syn_keyword(call, b->n.core_num);
    if (!kw) {
      build_error(b, call->at, "pl.spmd_submit() needs the number of blocks: core_num=8");
      return false;
    }
    if (!(l->core_num = build_core_num(b, kw->value))) return false;
    kw = syn_keyword(call, b->n.sync_start);
    if (kw && !eval_bool_literal(b, kw->value, "sync_start", &l->sync_start)) return false;
  }
  kw = syn_keyword(call, b->n.allow_early_resolve);
  if (kw && !eval_bool_literal(b, kw->value, "allow_early_resolve", &l->allow_early_resolve))
    return false;
  kw = syn_keyword(call, b->n.predicate);
  if (kw) {
    if (!(l->predicate = build_predicate(b, what, kw))) return false;
    if (!check_predicate_deps(b, what, l->predicate, l->deps, l->ndeps, true, call->at))
      return false;
  }
  return check_in_cluster(b, l, call->at);
}

/* Pairs arguments with parameters: a launch may have left out some that the task writes. */
static int pair_params(Builder *b, const KernelCall *k, const Function *f, Expr ***params) {
  *params = NEW_ARRAY(b->ir->arena, Expr *, f->nparams);
  int n = 0, left = required_params(f), got = (int)k->nargs;
  for (int i = 0; i < f->nparams && n < got; i++) {
    if (f->dirs[i] == PARAM_IN)
      left--;
    else if (got < f->nparams && got - n <= left)
      continue;
    (*params)[n++] = f->params[i];
  }
  return n;
}

static bool note_foreign(Visitor *v, Expr *e) {
  Map *dims = v->ctx;
  if (expr_is_var(e) && !map_has(dims, e->u.var.name)) map_set(dims, e->u.var.name, e);
  return true;
}

/* A function may give back a tensor of an extent that is its own variable: annotations may name it. */
static void note_foreign_dims(Builder *b, const Type *const *types, int n) {
  Visitor v = {.ctx = &b->f->foreign_dims, .expr = note_foreign};
  for (int i = 0; i < n; i++)
    if (type_is_tensor(types[i])) visit_type(&v, types[i]);
}

static const Type *result_type(Builder *b, const KernelCall *k, const Function *f,
                               Expr *const *args) {
  const Type **types = NULL, **all;
  int n = 0;
  if (f && k->submit) {
    n = f->nreturns;
    types = COPY_ARRAY(b->ir->arena, const Type *, f->returns, n);
  } else if (f) {
    types = effective_returns(b, f, &n);
    if (!types) n = 0;
  }
  if (n) {
    Expr **params;
    int nparams = pair_params(b, k, f, &params);
    if (!build_return_types(b, f, params, args, nparams, types, n, k->call->at)) return NULL;
    note_foreign_dims(b, types, n);
  }
  if (!k->submit)
    return n == 0 ? type_unknown(b->ir) : n == 1 ? types[0] : type_tuple(b->ir, types, n);
  all = NEW_ARRAY(b->ir->arena, const Type *, n + 1);
  for (int i = 0; i < n; i++) all[i] = types[i];
  all[n] = type_scalar(b->ir, DT_TASK_ID);
  return type_tuple(b->ir, all, n + 1);
}

static void *unknown_function(Builder *b, const KernelCall *k) {
  VEC(const char *) names = {0};
  for (MapEntry *e = NULL; (e = map_next(&b->methods, e));) vec_push(&names, e->key);
  const char *near = diag_suggest(k->kernel->name, names.data, names.len);
  vec_free(&names);
  if (near)
    return build_error(b, k->kernel->at, "the program has no function '%s': did you mean '%s'?",
                       k->kernel->name, near);
  return build_error(b, k->kernel->at, "the program has no function '%s'", k->kernel->name);
}

Expr *build_kernel_call(Builder *b, const KernelCall *k) {
  Name callee = k->kernel->name;
  if (!map_has(&b->methods, callee)) return unknown_function(b, k);
  const Function *f = map_get(&b->built, callee); /* NULL: it follows later */
  if (!check_keywords(b, k, f) || (f && !check_count(b, k, f))) return NULL;
  Expr **args = NEW_ARRAY(b->ir->arena, Expr *, k->nargs);
  AttrValue no_deps;
  AttrList attrs = {0};
  Launch *launch = NEW(b->ir->arena, Launch);
  if (!build_args(b, k, args, &no_deps) || !call_attrs(b, k, args, no_deps, &attrs)) return NULL;
  if (k->submit && !read_launch(b, k, launch)) return NULL;
  const Type *type = result_type(b, k, f, args);
  if (!type) return NULL;
  AttrList none = {0};
  if (!k->submit)
    return expr_call_func(b->ir, callee, args, (int)k->nargs, none, attrs, type, k->call->at);
  return expr_submit(b->ir, callee, args, (int)k->nargs, none, attrs, launch, type, k->call->at);
}

Expr *build_submit(Builder *b, const SynExpr *call, bool spmd) {
  const SynExpr *kernel = call->nitems ? call->items[0] : NULL;
  bool method = kernel && kernel->kind == SYN_ATTR && kernel->lhs->kind == SYN_NAME &&
                kernel->lhs->name == b->n.self;
  if (!method &&
      !(kernel && b->jit && kernel->kind == SYN_NAME && map_has(&b->methods, kernel->name))) {
    Span at = kernel ? kernel->at : call->at;
    build_error(b, at, "pl.%s() launches a function of the program, 'self.<name>', given first",
                call->lhs->name);
    if (kernel && kernel->kind == SYN_CALL)
      build_note(b, "the function itself, not its call: 'pl.%s(self.kernel, x, y)'",
                 call->lhs->name);
    return NULL;
  }
  KernelCall k = {.call = call,
                  .kernel = kernel,
                  .args = call->items + 1,
                  .nargs = call->nitems - 1,
                  .submit = true,
                  .spmd = spmd};
  return build_kernel_call(b, &k);
}

/* ---------------------------------------------------------------- who writes what */

void record_launch(Builder *b, Expr *tid) {
  map_set(&b->f->generations, tid, map_int(map_get_int(&b->f->generations, tid) + 1));
}

void record_producer(Builder *b, Expr *var, Expr *tid) {
  Producer *p = NEW(b->ir->arena, Producer);
  *p = (Producer){tid, map_get_int(&b->f->generations, tid)};
  map_set(&b->f->producers, var, p);
}

/* The names left of a launch: results, then the task id. */
static bool submit_targets(Builder *b, const SynStmt *s, SynExpr ***outs, size_t *nouts,
                           const SynExpr **tid) {
  const SynExpr *target = s->targets[0];
  Name word = s->value->lhs->name;
  if (target->nitems != 2 || target->items[1]->kind != SYN_NAME) {
    build_error(b, target->at,
                "pl.%s() is assigned to its result and its task id: 'out, tid = pl.%s(...)'", word,
                word);
    return false;
  }
  *tid = target->items[1];
  bool several = target->items[0]->kind == SYN_TUPLE;
  *outs = several ? target->items[0]->items : &target->items[0];
  *nouts = several ? target->items[0]->nitems : 1;
  for (size_t i = 0; i < *nouts; i++) {
    if ((*outs)[i]->kind == SYN_NAME) continue;
    build_error(b, (*outs)[i]->at,
                "the results of a launch are assigned to names: '(a, b), tid = pl.%s(...)'", word);
    return false;
  }
  return true;
}

bool build_submit_unpack(Builder *b, const SynStmt *s, bool spmd) {
  SynExpr **outs;
  const SynExpr *tid_target;
  size_t n;
  Span at = s->value->at;
  if (!submit_targets(b, s, &outs, &n, &tid_target)) return false;
  Expr *launch = build_submit(b, s->value, spmd);
  if (!launch) return false;
  if (launch->type->nelems != n + 1) {
    build_error(b, s->targets[0]->at, "%zu result%s for '%s', which gives %d", n, n == 1 ? "" : "s",
                launch->u.call.callee, launch->type->nelems - 1);
    return false;
  }
  Expr *tuple = emit_let(b, b->n.submit_tmp, launch, NULL, at);
  Expr **vars = NEW_ARRAY(b->ir->arena, Expr *, n);
  for (size_t i = 0; i < n; i++)
    if (!(vars[i] =
              emit_bind(b, outs[i]->name, expr_tuple_get(b->ir, tuple, (int)i, at), NULL, at)))
      return false;
  Expr *tid = emit_bind(b, tid_target->name, expr_tuple_get(b->ir, tuple, (int)n, at), NULL, at);
  if (!tid) return false;
  record_launch(b, tid);
  for (size_t i = 0; i < n; i++) record_producer(b, vars[i], tid);
  return true;
}
