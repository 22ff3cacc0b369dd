/* build_with.c -- scopes: with pl.at, pl.cluster, pl.spmd, pl.scope, pl.reg_scope; the loops that are
 * scopes, pl.spmd and pl.split_aiv. */
#include <string.h>

#include "lexer/lexer.h"
#include "parser/build.h"

/* What optimizations=[...] asks for. */
typedef struct Optimizations {
  bool has_split, has_slots, slots_in_split;
  SplitMode split;
  int64_t slots;
} Optimizations;

/* The arguments of pl.at(...). */
typedef struct AtArgs {
  int level, role; /* -1: not given */
  Name name_hint;
  bool early, windowize;
  bool has_optimizations;
  Optimizations opt;
  const SynKeyword *deps, *no_dep_args, *dumps;
} AtArgs;

/* The arguments of pl.spmd(...). */
typedef struct SpmdArgs {
  Expr *core_num;
  bool sync_start, early;
  Name name_hint;
  Optimizations opt;
  Expr **deps;
  int ndeps;
  Expr *predicate;
} SpmdArgs;

bool in_scope_kind(Builder *b, ScopeKind kind) {
  for (size_t i = 0; i < b->f->scopes.len; i++)
    if (b->f->scopes.data[i] == kind) return true;
  return false;
}

/* ---------------------------------------------------------------- optimizations and name hints */

/* pl.NAME(...) or pl.optimizations.NAME(...) */
static bool is_optimization(Builder *b, const SynExpr *e, Name name) {
  Name path[3];
  size_t n = e->kind == SYN_CALL ? syn_path(e->lhs, path, 3) : 0;
  return (n == 2 && path[0] == b->n.pl && path[1] == name) ||
         (n == 3 && path[0] == b->n.pl && path[1] == b->n.optimizations && path[2] == name);
}

static bool read_slots(Builder *b, const SynExpr *e, int64_t *out) {
  if (e->kind != SYN_INT || e->big) {
    build_error(b, e->at, "slot_num must be an integer literal");
    return false;
  }
  *out = e->integer;
  if (*out > 0) return true;
  build_error(b, e->at, "slot_num must be positive");
  return false;
}

static bool read_split(Builder *b, const SynExpr *e, Optimizations *opt) {
  if (opt->has_split) {
    build_error(b, e->at, "pl.split(...) is given twice");
    return false;
  }
  if (e->nitems != 1) {
    build_error(b, e->at, "pl.split() takes one mode: pl.split(pl.SplitMode.UP_DOWN)");
    return false;
  }
  int mode = eval_enum(b, e->items[0], ENUM_SPLIT);
  if (mode < 0) return false;
  opt->has_split = true;
  opt->split = (SplitMode)mode;
  for (size_t i = 0; i < e->nkwargs; i++) {
    if (e->kwargs[i].name != b->n.slot_num) {
      build_error(b, e->kwargs[i].at, "pl.split() has no argument '%s'",
                  e->kwargs[i].name ? e->kwargs[i].name : "**");
      return false;
    }
    if (opt->has_slots) {
      build_error(b, e->kwargs[i].at,
                  "the slot count is given twice: keep pl.cross_core_slot(...)");
      return false;
    }
    if (!read_slots(b, e->kwargs[i].value, &opt->slots)) return false;
    opt->slots_in_split = true;
    diag_warning(
        b->ir->diag, e->kwargs[i].at,
        "slot_num of pl.split() is deprecated: write pl.cross_core_slot(slot_num=%lld) beside it",
        (long long)opt->slots);
  }
  return true;
}

static bool read_cross_core_slot(Builder *b, const SynExpr *e, Optimizations *opt) {
  if (opt->has_slots) {
    build_error(b, e->at, "pl.cross_core_slot(...) is given twice");
    return false;
  }
  if (opt->slots_in_split) {
    build_error(b, e->at, "the slot count is given twice: drop slot_num of pl.split()");
    return false;
  }
  if (e->nitems || e->nkwargs != 1 || e->kwargs[0].name != b->n.slot_num) {
    build_error(b, e->at,
                "pl.cross_core_slot() takes slot_num and nothing else: "
                "pl.cross_core_slot(slot_num=4)");
    return false;
  }
  opt->has_slots = true;
  return read_slots(b, e->kwargs[0].value, &opt->slots);
}

static bool read_optimizations(Builder *b, const SynExpr *list, Optimizations *opt) {
  if (list->kind != SYN_LIST) {
    build_error(b, list->at,
                "optimizations must be a list: optimizations=[pl.split(pl.SplitMode.UP_DOWN)]");
    return false;
  }
  for (size_t i = 0; i < list->nitems; i++) {
    const SynExpr *e = list->items[i];
    bool ok = false;
    if (is_optimization(b, e, b->n.split))
      ok = read_split(b, e, opt);
    else if (is_optimization(b, e, b->n.cross_core_slot))
      ok = read_cross_core_slot(b, e, opt);
    else
      build_error(b, e->at,
                  "an optimization is pl.split(mode) or pl.cross_core_slot(slot_num=N), not '%s'",
                  syn_text(b->ir->arena, e));
    if (!ok) return false;
  }
  return true;
}

static bool has_slot_count(const Optimizations *o) { return o->has_slots || o->slots_in_split; }
static bool any_optimization(const Optimizations *o) { return o->has_split || has_slot_count(o); }

static bool is_identifier(SynText s) {
  if (!s.len || (s.data[0] >= '0' && s.data[0] <= '9')) return false;
  for (size_t i = 0; i < s.len; i++) {
    unsigned char c = (unsigned char)s.data[i];
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '_' || c >= 0x80;
    if (!word) return false;
  }
  return true;
}

static bool read_name_hint(Builder *b, const SynExpr *e, Name *out) {
  if (e->kind != SYN_STR) {
    build_error(b, e->at, "name_hint must be a string literal");
    return false;
  }
  if (e->str.len && !is_identifier(e->str)) {
    build_error(b, e->at, "name_hint must be a name, not \"%.*s\"", (int)e->str.len, e->str.data);
    return false;
  }
  if (lexer_is_keyword(e->str.data, e->str.len)) {
    build_error(b, e->at, "name_hint must be a name: '%.*s' is a word of the language",
                (int)e->str.len, e->str.data);
    return false;
  }
  *out = e->str.len ? name_ofn(&b->ir->names, e->str.data, e->str.len) : NULL;
  return true;
}

/* ---------------------------------------------------------------- building a scope */

/* Adds to the scope's attributes the tensors that pl.dump_tag has marked, at their fixed place. */
static void add_dumps(Builder *b, ScopeKind kind, AttrList *attrs) {
  size_t n = b->f->dumped.len;
  if (kind == SCOPE_RUNTIME || !n) return;
  const AttrValue *old = attr_get(*attrs, b->n.dump_vars);
  int given = old ? old->u.list.len : 0;
  AttrValue *items = NEW_ARRAY(b->ir->arena, AttrValue, (size_t)given + n);
  int count = 0;
  for (; count < given; count++) items[count] = old->u.list.items[count];
  for (size_t i = 0; i < n; i++) {
    bool seen = false;
    for (int k = 0; k < given; k++) seen = seen || items[k].u.expr == b->f->dumped.data[i];
    if (!seen) items[count++] = attr_of_expr(b->f->dumped.data[i]);
  }
  AttrValue list = attr_of_list(items, count);
  if (old) {
    *attrs = attr_with(b->ir, *attrs, b->n.dump_vars, list);
    return;
  }
  int at = 0;
  while (at < attrs->len && attrs->items[at].key != b->n.task_id_var &&
         attrs->items[at].key != b->n.slot_num)
    at++;
  Attr *grown = NEW_ARRAY(b->ir->arena, Attr, attrs->len + 1);
  for (int i = 0; i < attrs->len; i++) grown[i < at ? i : i + 1] = attrs->items[i];
  grown[at] = (Attr){.key = b->n.dump_vars, .value = list};
  *attrs = (AttrList){grown, attrs->len + 1};
}

static Stmt *new_scope(Builder *b, ScopeKind kind, Name name, AttrList attrs, Span at) {
  Stmt *s = stmt_new(b->ir, STMT_SCOPE, at);
  s->u.scope.kind = kind;
  s->u.scope.name = name;
  s->u.scope.attrs = attrs;
  return s;
}

/* What is known around the body of an InCore scope. */
typedef struct SplitState {
  bool has;
  SplitMode mode;
} SplitState;

static SplitState set_user_split(Builder *b, ScopeKind kind, const Optimizations *opt) {
  SplitState old = {b->f->has_user_split, b->f->user_split};
  if (kind == SCOPE_INCORE) {
    b->f->has_user_split = opt && opt->has_split;
    b->f->user_split = opt ? opt->split : SPLIT_NONE;
  }
  return old;
}

static void restore_split(Builder *b, SplitState old) {
  b->f->has_user_split = old.has;
  b->f->user_split = old.mode;
}

/* Statement that binds the variable of a scope written as a loop. */
typedef struct Index {
  const SynExpr *target;
  OpId op;
} Index;

/* In printed text a name that occurs twice is one variable; the printer numbers what shares a name. */
static Expr *printed_before(Builder *b, Name name) {
  Expr *var = is_printed(b) ? scope_lookup(b, name) : NULL;
  bool same = var && expr_is_var(var) && !var->u.var.is_iter_arg && is_scalar_of(var, DT_INDEX);
  return same ? var : NULL;
}

static bool bind_index(Builder *b, const Index *index, Span at) {
  Expr *value = build_op(b, index->op, NULL, 0, (AttrList){0}, at);
  if (!value) return false;
  Expr *var = printed_before(b, index->target->name);
  if (!var) var = expr_var(b->ir, index->target->name, type_scalar(b->ir, DT_INDEX), at);
  scope_define(b, index->target->name, var);
  emit(b, stmt_assign(b->ir, var, value, at));
  return true;
}

/* Reads the body of `s` into `scope` and emits it.  `index` may be NULL. */
static bool fill_scope(Builder *b, const SynStmt *s, Stmt *scope, const Optimizations *opt,
                       const Index *index) {
  ScopeKind kind = scope->u.scope.kind;
  StmtList list = {0}, *outer = b->f->out;
  SplitState old = set_user_split(b, kind, opt);
  vec_push(&b->f->scopes, kind);
  scope_enter(b);
  b->f->out = &list;
  bool ok = (!index || bind_index(b, index, s->at)) && build_block(b, &s->body);
  comments_drop_tail(b, &s->body, s->end_line);
  b->f->out = outer;
  scope_exit(b, true);
  (void)vec_pop(&b->f->scopes);
  restore_split(b, old);
  scope->u.scope.body = block_take(b->ir, &list);
  if (ok) emit(b, scope);
  return ok;
}

/* ---------------------------------------------------------------- pl.at */

static bool read_once(Builder *b, const SynKeyword *k, const SynKeyword **slot) {
  if (*slot) {
    build_error(b, k->at, "pl.at() has its argument '%s' twice", k->name);
    return false;
  }
  *slot = k;
  return true;
}

static bool read_at_keyword(Builder *b, const SynKeyword *k, AtArgs *a) {
  static const char *const known[] = {"level",       "role",  "optimizations",       "deps",
                                      "no_dep_args", "dumps", "allow_early_resolve", "name_hint",
                                      "windowize"};
  if (k->name == b->n.level || k->name == b->n.role) {
    int *slot = k->name == b->n.level ? &a->level : &a->role;
    if (*slot >= 0) {
      build_error(b, k->at, "pl.at() has its argument '%s' twice", k->name);
      return false;
    }
    *slot = eval_enum(b, k->value, slot == &a->level ? ENUM_LEVEL : ENUM_ROLE);
    return *slot >= 0;
  }
  if (k->name == b->n.optimizations) {
    a->has_optimizations = true;
    return read_optimizations(b, k->value, &a->opt);
  }
  if (k->name == b->n.name_hint) return read_name_hint(b, k->value, &a->name_hint);
  if (k->name == b->n.allow_early_resolve)
    return eval_bool_literal(b, k->value, "allow_early_resolve", &a->early);
  if (k->name == b->n.windowize) return eval_bool_literal(b, k->value, "windowize", &a->windowize);
  if (k->name == b->n.deps) return read_once(b, k, &a->deps);
  if (k->name == b->n.no_dep_args) return read_once(b, k, &a->no_dep_args);
  if (k->name == b->n.dumps) return read_once(b, k, &a->dumps);
  const char *near = k->name ? diag_suggest(k->name, known, sizeof known / sizeof *known) : NULL;
  build_error(b, k->at, "pl.at() has no argument '%s'%s%s%s", k->name ? k->name : "**",
              near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
  return false;
}

static bool read_at(Builder *b, const SynExpr *call, AtArgs *a) {
  *a = (AtArgs){.level = -1, .role = -1};
  if (call->nitems > 2) {
    build_error(b, call->at, "pl.at() takes a level and a role, not %u positional arguments",
                call->nitems);
    return false;
  }
  if (call->nitems > 0 && (a->level = eval_enum(b, call->items[0], ENUM_LEVEL)) < 0) return false;
  if (call->nitems > 1 && (a->role = eval_enum(b, call->items[1], ENUM_ROLE)) < 0) return false;
  for (size_t i = 0; i < call->nkwargs; i++)
    if (!read_at_keyword(b, &call->kwargs[i], a)) return false;
  if (a->level >= 0) return true;
  build_error(b, call->at, "pl.at() needs a level: pl.at(level=pl.Level.CORE_GROUP)");
  return false;
}

/* [t1, t2]: variables of tensors, each once, as an attribute. */
static bool read_tensors(Builder *b, const SynKeyword *k, AttrValue *out) {
  const SynExpr *list = k->value;
  if (list->kind != SYN_LIST && list->kind != SYN_TUPLE) {
    build_error(b, list->at, "%s must be a list of tensors: %s=[x, y]", k->name, k->name);
    return false;
  }
  AttrValue *items = NEW_ARRAY(b->ir->arena, AttrValue, list->nitems);
  for (size_t i = 0; i < list->nitems; i++) {
    const SynExpr *e = list->items[i];
    if (e->kind != SYN_NAME) {
      build_error(b, e->at, "%s lists names of tensors, not %s", k->name, syn_kind_name(e));
      return false;
    }
    Expr *v = build_expr(b, e);
    if (!v) return false;
    if (!expr_is_var(v) || !type_is_tensor(v->type)) {
      build_error(b, e->at, "'%s' is no tensor", e->name);
      return false;
    }
    for (size_t j = 0; j < i; j++) {
      if (items[j].u.expr != v) continue;
      build_error(b, e->at, "%s lists '%s' twice", k->name, e->name);
      return false;
    }
    items[i] = attr_of_expr(v);
  }
  *out = attr_of_list(items, (int)list->nitems);
  return true;
}

static AttrValue vars_attr(Builder *b, Expr *const *vars, int n) {
  AttrValue *items = NEW_ARRAY(b->ir->arena, AttrValue, n);
  for (int i = 0; i < n; i++) items[i] = attr_of_expr(vars[i]);
  return attr_of_list(items, n);
}

/* `as tid`: a variable of the scope around. */
static Expr *define_task_id(Builder *b, const SynExpr *target, Span at) {
  if (target->kind != SYN_NAME)
    return build_error(b, target->at, "'as' names one variable for the task id");
  Expr *tid = expr_var(b->ir, target->name, type_scalar(b->ir, DT_TASK_ID), at);
  scope_define(b, target->name, tid);
  return tid;
}

/* Until the scope becomes a launch, the task id is bound to "no task"; comments wait for the scope. */
static bool emit_task_placeholder(Builder *b, Expr *tid, Span at) {
  Leading comments = leading_pop(b);
  leading_push(b, NULL, 0);
  Expr *none = build_op(b, OP_SYSTEM_TASK_INVALID, NULL, 0, (AttrList){0}, at);
  if (none) emit(b, stmt_assign(b->ir, tid, none, at));
  (void)leading_pop(b);
  leading_push(b, comments.lines, comments.n);
  return none != NULL;
}

static bool at_attrs(Builder *b, const AtArgs *a, const SynExpr *as, Span at, AttrList *out,
                     Expr **tid) {
  AttrValue v, dumps = {0};
  if (a->dumps && !read_tensors(b, a->dumps, &dumps)) return false;
  if (a->deps) {
    Expr **deps;
    int n;
    if (!build_deps(b, "pl.at()", a->deps, at, &deps, &n)) return false;
    if (n) attrs_set(b, out, b->n.manual_dep_edges, vars_attr(b, deps, n), a->deps->at);
  }
  if (a->no_dep_args) {
    if (!read_tensors(b, a->no_dep_args, &v)) return false;
    if (v.u.list.len) attrs_set(b, out, b->n.arg_direction_overrides_vars, v, a->no_dep_args->at);
  }
  if (a->dumps && dumps.u.list.len) attrs_set(b, out, b->n.dump_vars, dumps, a->dumps->at);
  if (as) {
    if (!(*tid = define_task_id(b, as, at))) return false;
    attrs_set(b, out, b->n.task_id_var, attr_of_expr(*tid), as->at);
  }
  if (a->early) attrs_set(b, out, b->n.allow_early_resolve, attr_of_bool(true), at);
  if (has_slot_count(&a->opt)) attrs_set(b, out, b->n.slot_num, attr_of_int(a->opt.slots), at);
  if (a->windowize) attrs_set(b, out, b->n.windowize, attr_of_bool(true), at);
  return true;
}

static int level_depth(int level) {
  switch (level) {
    case LEVEL_CHIP_DIE: return 1;
    case LEVEL_CHIP: return 2;
    case LEVEL_HOST: return 3;
    case LEVEL_CLUSTER_0: return 4;
    case LEVEL_CLUSTER_1: return 5;
    case LEVEL_CLUSTER_2: return 6;
    case LEVEL_GLOBAL: return 7;
    default: return 0;
  }
}

static bool build_at(Builder *b, const SynStmt *s, const SynExpr *call, const SynExpr *as) {
  AtArgs a;
  if (!read_at(b, call, &a)) return false;
  bool incore = a.level == LEVEL_CORE_GROUP;
  if (any_optimization(&a.opt) && !incore) {
    build_error(b, s->at, "optimizations are for scopes of level CORE_GROUP only");
    return false;
  }
  if (incore && a.role >= 0) {
    build_error(b, s->at, "a scope of level CORE_GROUP has no role");
    return false;
  }
  AttrList attrs = {0};
  Expr *tid = NULL;
  if (!at_attrs(b, &a, as, s->at, &attrs, &tid)) return false;
  if (tid && !emit_task_placeholder(b, tid, s->at)) return false;
  if (!incore && level_depth(a.level) >= 3 && a.role == ROLE_SUB_WORKER) {
    build_error(b, s->at, "a SubWorker of level HOST or above is a function of its own, no scope");
    build_note(b, "declare it in the program with @pl.function(level=..., role=pl.Role.SubWorker)");
    return false;
  }
  ScopeKind kind = incore ? SCOPE_INCORE : SCOPE_HIERARCHY;
  add_dumps(b, kind, &attrs);
  Stmt *scope = new_scope(b, kind, a.name_hint, attrs, s->at);
  if (incore) {
    scope->u.scope.split = a.opt.split;
  } else {
    scope->u.scope.level = (Level)a.level;
    scope->u.scope.role = a.role < 0 ? ROLE_NONE : (Role)a.role;
  }
  return fill_scope(b, s, scope, &a.opt, NULL);
}

/* ---------------------------------------------------------------- pl.spmd */

static bool read_core_num(Builder *b, const SynExpr *e, SpmdArgs *a) {
  if (a->core_num) {
    build_error(b, e->at, "pl.spmd() has its block count twice");
    return false;
  }
  return (a->core_num = build_core_num(b, e)) != NULL;
}

static bool read_spmd_keyword(Builder *b, const SynKeyword *k, bool allow_deps, SpmdArgs *a) {
  static const char *const known[] = {"core_num",      "sync_start", "name_hint",
                                      "optimizations", "deps",       "allow_early_resolve",
                                      "predicate"};
  if (k->name == b->n.core_num) return read_core_num(b, k->value, a);
  if (k->name == b->n.sync_start)
    return eval_bool_literal(b, k->value, "sync_start", &a->sync_start);
  if (k->name == b->n.allow_early_resolve)
    return eval_bool_literal(b, k->value, "allow_early_resolve", &a->early);
  if (k->name == b->n.name_hint) return read_name_hint(b, k->value, &a->name_hint);
  if (k->name == b->n.optimizations) return read_optimizations(b, k->value, &a->opt);
  if (k->name == b->n.predicate) return (a->predicate = build_predicate(b, "pl.spmd()", k)) != NULL;
  if (k->name == b->n.deps) {
    if (allow_deps) return true; /* read after the others, as they are written first */
    build_error(b, k->at,
                "pl.spmd() has dependencies only where it names its task: "
                "'with pl.spmd(n, deps=[...]) as tid:'");
    return false;
  }
  const char *near = k->name ? diag_suggest(k->name, known, sizeof known / sizeof *known) : NULL;
  build_error(b, k->at, "pl.spmd() has no argument '%s'%s%s%s", k->name ? k->name : "**",
              near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
  return false;
}

static bool read_spmd(Builder *b, const SynExpr *call, bool allow_deps, SpmdArgs *a) {
  *a = (SpmdArgs){0};
  if (call->nitems > 1) {
    build_error(b, call->items[1]->at,
                "pl.spmd() takes one positional argument, the number of blocks");
    return false;
  }
  if (call->nitems && !read_core_num(b, call->items[0], a)) return false;
  for (size_t i = 0; i < call->nkwargs; i++)
    if (!read_spmd_keyword(b, &call->kwargs[i], allow_deps, a)) return false;
  if (!a->core_num) {
    build_error(b, call->at, "pl.spmd() needs the number of blocks: pl.spmd(8)");
    return false;
  }
  const SynKeyword *deps = syn_keyword(call, b->n.deps);
  if (deps && !build_deps(b, "pl.spmd()", deps, call->at, &a->deps, &a->ndeps)) return false;
  return !a->predicate || check_predicate_deps(b, "pl.spmd()", a->predicate, a->deps, a->ndeps,
                                               allow_deps, call->at);
}

/* Inside a cluster, a launch is part of the cluster's own: nothing can be said of it alone. */
static bool check_in_cluster(Builder *b, const SpmdArgs *a, const SynExpr *as, Span at) {
  if (!in_scope_kind(b, SCOPE_CLUSTER)) return true;
  const char *what = as             ? "a task id"
                     : a->early     ? "allow_early_resolve"
                     : a->predicate ? "a predicate"
                                    : NULL;
  if (!what) return true;
  build_error(b, at,
              "pl.spmd() inside pl.cluster() cannot have %s: it is launched as part of the cluster",
              what);
  return false;
}

static void add_launch_attrs(Builder *b, const SpmdArgs *a, AttrList *attrs, Span at) {
  if (a->early) attrs_set(b, attrs, b->n.allow_early_resolve, attr_of_bool(true), at);
  if (a->predicate) attrs_set(b, attrs, b->n.predicate, attr_of_expr(a->predicate), at);
}

static bool ends_with(Name s, const char *ending) {
  size_t n = strlen(s), m = strlen(ending);
  return n >= m && strcmp(s + n - m, ending) == 0;
}

/* One hint names two things: NAME_spmd the launch, NAME the kernel inside. */
static void split_hint(Builder *b, Name hint, Name *spmd, Name *kernel) {
  *spmd = *kernel = NULL;
  if (!hint) return;
  bool suffixed = ends_with(hint, "_spmd");
  *spmd = suffixed ? hint : name_printf(&b->ir->names, "%s_spmd", hint);
  *kernel = suffixed ? name_ofn(&b->ir->names, hint, strlen(hint) - 5) : hint;
  if (!(*kernel)[0]) *kernel = NULL;
}

/* A launch with an InCore scope inside that holds the body. */
static bool build_wrapped_spmd(Builder *b, const SynStmt *s, const SpmdArgs *a, AttrList attrs,
                               const Index *index) {
  Name spmd_name, kernel_name;
  split_hint(b, a->name_hint, &spmd_name, &kernel_name);
  AttrList inner_attrs = {0};
  add_dumps(b, SCOPE_INCORE, &inner_attrs);
  if (has_slot_count(&a->opt))
    attrs_set(b, &inner_attrs, b->n.slot_num, attr_of_int(a->opt.slots), s->at);
  Stmt *launch = new_scope(b, SCOPE_SPMD, spmd_name, attrs, s->at);
  launch->u.scope.core_num = a->core_num;
  launch->u.scope.sync_start = a->sync_start;
  Stmt *kernel = new_scope(b, SCOPE_INCORE, kernel_name, inner_attrs, s->at);
  kernel->u.scope.split = a->opt.split;

  StmtList list = {0}, *outer = b->f->out;
  vec_push(&b->f->scopes, SCOPE_SPMD);
  scope_enter(b);
  b->f->out = &list;
  bool ok = fill_scope(b, s, kernel, &a->opt, index);
  b->f->out = outer;
  scope_exit(b, true);
  (void)vec_pop(&b->f->scopes);
  launch->u.scope.body = block_take(b->ir, &list);
  if (ok) emit(b, launch);
  return ok;
}

bool build_spmd_for(Builder *b, const SynStmt *s) {
  SpmdArgs a;
  if (s->targets[0]->kind != SYN_NAME) {
    build_error(b, s->targets[0]->at,
                "a loop over pl.spmd() has one variable, the index of the block");
    return false;
  }
  if (!read_spmd(b, s->value, false, &a) || !check_in_cluster(b, &a, NULL, s->at)) return false;
  AttrList attrs = {0};
  add_launch_attrs(b, &a, &attrs, s->at);
  Index index = {s->targets[0], OP_TILE_GET_BLOCK_IDX};
  return build_wrapped_spmd(b, s, &a, attrs, &index);
}

/* ---- what a body of `with pl.spmd` is: a kernel written in place, or the call of one ---- */

typedef struct BodyCalls {
  Builder *b;
  bool reads_index;
  int dispatches;
} BodyCalls;

static bool see_call(const SynExpr *e, void *ctx) {
  BodyCalls *c = ctx;
  if (e->kind != SYN_CALL) return true;
  const SynExpr *f = e->lhs;
  bool attr = f->kind == SYN_ATTR;
  if ((attr || f->kind == SYN_NAME) && f->name == c->b->n.get_block_idx) c->reads_index = true;
  if (attr && f->lhs->kind == SYN_NAME && f->lhs->name == c->b->n.self) c->dispatches++;
  const Const *known = f->kind == SYN_NAME ? const_lookup(c->b, f->name) : NULL;
  if (known && known->kind == CONST_FUNC) c->dispatches++;
  return true;
}

/* The arguments of the pl.at(CORE_GROUP) that is the whole body; false if it is not. */
static bool body_is_incore(Builder *b, const SynBlock *body, AtArgs *a, bool *failed) {
  const SynStmt *s = body->len == 1 ? body->stmts[0] : NULL;
  if (!s || s->kind != SYN_WITH || s->nitems != 1 ||
      !syn_is_call_of(s->items[0].context, b->n.pl, b->n.at))
    return false;
  *failed = !read_at(b, s->items[0].context, a);
  return !*failed && a->level == LEVEL_CORE_GROUP;
}

static bool check_spmd_body(Builder *b, const SynStmt *s, const BodyCalls *c) {
  if (c->reads_index || c->dispatches == 1 || is_printed(b)) return true;
  if (c->dispatches == 0) {
    build_error(b, s->at,
                "every block would do the same: the body neither reads "
                "pl.tile.get_block_idx() nor calls a kernel");
    build_note(b, "'for i in pl.spmd(n):' binds the index of the block");
    return false;
  }
  build_error(b, s->at, "one pl.spmd() launches one kernel, not %d", c->dispatches);
  return false;
}

static bool build_spmd_body(Builder *b, const SynStmt *s, const SpmdArgs *a, AttrList attrs) {
  AtArgs inner;
  bool failed = false, wrap = false;
  if (body_is_incore(b, &s->body, &inner, &failed)) {
    if (any_optimization(&a->opt)) {
      build_error(b, s->at, "optimizations %s pl.at(level=pl.Level.CORE_GROUP) inside",
                  any_optimization(&inner.opt) ? "stand twice, here and at the" : "belong to the");
      return false;
    }
  } else if (failed) {
    return false;
  } else {
    BodyCalls calls = {.b = b};
    syn_walk_block(&s->body, see_call, &calls);
    if (!check_spmd_body(b, s, &calls)) return false;
    wrap = calls.reads_index || any_optimization(&a->opt);
  }
  if (wrap) return build_wrapped_spmd(b, s, a, attrs, NULL);
  add_dumps(b, SCOPE_SPMD, &attrs);
  Stmt *launch = new_scope(b, SCOPE_SPMD, a->name_hint, attrs, s->at);
  launch->u.scope.core_num = a->core_num;
  launch->u.scope.sync_start = a->sync_start;
  return fill_scope(b, s, launch, NULL, NULL);
}

/* Names that the scope's body assigns at its top are written by the scope's task. */
static void record_targets(Builder *b, const SynExpr *e, Expr *tid) {
  if (e->kind == SYN_NAME) {
    Expr *var = scope_lookup(b, e->name);
    if (var && expr_is_var(var)) record_producer(b, var, tid);
  }
  for (size_t i = 0; (e->kind == SYN_TUPLE || e->kind == SYN_LIST) && i < e->nitems; i++)
    record_targets(b, e->items[i], tid);
}

static void record_scope(Builder *b, const SynBlock *body, Expr *tid) {
  bool counted = false;
  for (size_t i = 0; i < body->len; i++) {
    const SynStmt *s = body->stmts[i];
    if (s->kind != SYN_ASSIGN && s->kind != SYN_ANN_ASSIGN) continue;
    if (!counted) record_launch(b, tid);
    counted = true;
    for (size_t k = 0; k < s->ntargets; k++) record_targets(b, s->targets[k], tid);
  }
}

static bool build_spmd(Builder *b, const SynStmt *s, const SynExpr *call, const SynExpr *as) {
  SpmdArgs a;
  if (!read_spmd(b, call, as != NULL, &a) || !check_in_cluster(b, &a, as, s->at)) return false;
  AttrList attrs = {0};
  Expr *tid = NULL;
  if (as) {
    if (a.ndeps) attrs_set(b, &attrs, b->n.manual_dep_edges, vars_attr(b, a.deps, a.ndeps), s->at);
    if (!(tid = define_task_id(b, as, s->at))) return false;
    attrs_set(b, &attrs, b->n.task_id_var, attr_of_expr(tid), as->at);
  }
  add_launch_attrs(b, &a, &attrs, s->at);
  if (tid && !emit_task_placeholder(b, tid, s->at)) return false;
  if (!build_spmd_body(b, s, &a, attrs)) return false;
  if (tid) record_scope(b, &s->body, tid);
  return true;
}

/* ---------------------------------------------------------------- pl.split_aiv */

static bool read_split_mode(Builder *b, const SynExpr *call, SplitMode *out) {
  bool found = false;
  for (size_t i = 0; i < call->nkwargs; i++) {
    const SynKeyword *k = &call->kwargs[i];
    if (k->name != b->n.mode) {
      if (k->name == b->n.optimizations)
        build_error(b, k->at, "pl.split_aiv() is the split itself: it takes no 'optimizations'");
      else
        build_error(b, k->at, "pl.split_aiv() takes a count and a mode, not '%s'",
                    k->name ? k->name : "**");
      return false;
    }
    int mode = eval_enum(b, k->value, ENUM_SPLIT);
    if (mode < 0) return false;
    *out = (SplitMode)mode;
    found = true;
  }
  if (!found)
    build_error(b, call->at,
                "pl.split_aiv() needs its mode: mode=pl.SplitMode.UP_DOWN, LEFT_RIGHT or NONE");
  return found;
}

static bool build_split_region(Builder *b, const SynStmt *s, SplitMode mode) {
  Stmt *region = new_scope(b, SCOPE_SPLIT_AIV, NULL, (AttrList){0}, s->at);
  region->u.scope.split = mode;
  region->u.scope.count = 2;
  Index index = {s->targets[0], OP_TILE_GET_SUBBLOCK_IDX};
  vec_push(&b->f->split_modes, mode);
  vec_push(&b->f->loops, LOOP_SPLIT_AIV);
  bool ok = fill_scope(b, s, region, NULL, &index);
  (void)vec_pop(&b->f->loops);
  (void)vec_pop(&b->f->split_modes);
  return ok;
}

bool build_split_aiv(Builder *b, const SynStmt *s) {
  const SynExpr *call = s->value;
  SplitMode mode;
  int64_t count;
  if (b->f->split_modes.len) {
    build_error(b, s->at,
                "pl.split_aiv() inside pl.split_aiv(): the two vector cores are split already");
    return false;
  }
  if (b->f->has_user_split) {
    build_error(b, s->at,
                "this scope is split twice: by optimizations=[pl.split(pl.SplitMode.%s)] around "
                "it and by pl.split_aiv()",
                enum_name(ENUM_SPLIT, b->f->user_split));
    return false;
  }
  if (s->targets[0]->kind != SYN_NAME) {
    build_error(b, s->targets[0]->at,
                "a loop over pl.split_aiv() has one variable, the vector core");
    return false;
  }
  if (call->nitems != 1) {
    build_error(b, call->at,
                "pl.split_aiv() takes one positional argument, the number of vector cores: 2");
    return false;
  }
  Expr *n = build_expr(b, call->items[0]);
  if (!n) return false;
  if (!expr_const_int(n, &count) || count != 2) {
    build_error(b, call->items[0]->at, "a core has two vector cores: write pl.split_aiv(2, ...)");
    return false;
  }
  if (!read_split_mode(b, call, &mode)) return false;
  if (in_scope_kind(b, SCOPE_INCORE) || b->f->type == FUNC_INCORE)
    return build_split_region(b, s, mode);

  /* Outside of a core, an InCore scope around the region is meant. */
  AttrList attrs = {0};
  add_dumps(b, SCOPE_INCORE, &attrs);
  Stmt *wrapper = new_scope(b, SCOPE_INCORE, NULL, attrs, s->at);
  StmtList list = {0}, *outer = b->f->out;
  vec_push(&b->f->scopes, SCOPE_INCORE);
  b->f->out = &list;
  bool ok = build_split_region(b, s, mode);
  b->f->out = outer;
  (void)vec_pop(&b->f->scopes);
  wrapper->u.scope.body = block_take(b->ir, &list);
  if (ok) emit(b, wrapper);
  return ok;
}

/* ---------------------------------------------------------------- the others */

static bool build_cluster(Builder *b, const SynStmt *s, const SynExpr *call) {
  Name hint = NULL;
  for (size_t i = 0; i < call->nkwargs; i++) {
    if (call->kwargs[i].name != b->n.name_hint) {
      build_error(b, call->kwargs[i].at, "pl.cluster() takes nothing but name_hint");
      return false;
    }
    if (!read_name_hint(b, call->kwargs[i].value, &hint)) return false;
  }
  if (call->nitems) {
    build_error(b, call->at, "pl.cluster() takes no positional arguments");
    return false;
  }
  AttrList attrs = {0};
  add_dumps(b, SCOPE_CLUSTER, &attrs);
  return fill_scope(b, s, new_scope(b, SCOPE_CLUSTER, hint, attrs, s->at), NULL, NULL);
}

/* The mode of pl.scope(): pl.ScopeMode.AUTO or MANUAL. */
static bool read_scope_mode(Builder *b, const SynExpr *call, bool *manual) {
  *manual = false;
  if (call->nitems) {
    build_error(b, call->at,
                "pl.scope() takes no positional arguments: pl.scope(mode=pl.ScopeMode.MANUAL)");
    return false;
  }
  for (size_t i = 0; i < call->nkwargs; i++) {
    const SynKeyword *k = &call->kwargs[i];
    Name path[3];
    size_t n = k->name == b->n.mode ? syn_path(k->value, path, 3) : 0;
    bool ours = n >= 2 && strcmp(path[n - 2], "ScopeMode") == 0 && (n == 2 || path[0] == b->n.pl);
    *manual = ours && strcmp(path[n - 1], "MANUAL") == 0;
    if (*manual || (ours && strcmp(path[n - 1], "AUTO") == 0)) continue;
    build_error(b, k->at, "pl.scope() takes mode=pl.ScopeMode.AUTO or mode=pl.ScopeMode.MANUAL");
    return false;
  }
  return true;
}

static bool build_runtime_scope(Builder *b, const SynStmt *s, bool manual) {
  if (b->f->manual_depth > 0) {
    build_error(b, s->at, "%s scope cannot stand inside a manual one",
                manual ? "a manual" : "an automatic");
    return false;
  }
  /* Printed text may have them from a function that was inlined. */
  if (!manual && b->f->auto_scope && !is_printed(b)) {
    build_error(b, s->at, "automatic scopes are placed by the compiler here");
    build_note(b,
               "to place them by hand, declare the function with @pl.function(auto_scope=False)");
    return false;
  }
  Stmt *scope = new_scope(b, SCOPE_RUNTIME, NULL, (AttrList){0}, s->at);
  scope->u.scope.manual = manual;
  b->f->manual_depth += manual;
  bool ok = fill_scope(b, s, scope, NULL, NULL);
  b->f->manual_depth -= manual;
  return ok;
}

static bool no_arguments(Builder *b, const SynExpr *call) {
  if (!call->nitems && !call->nkwargs) return true;
  build_error(b, call->at, "pl.%s() takes no arguments", call->lhs->name);
  return false;
}

bool build_with(Builder *b, const SynStmt *s) {
  static const char *const known[] = {"at",    "cluster",      "spmd",
                                      "scope", "manual_scope", "reg_scope"};
  if (s->nitems != 1) {
    build_error(b, s->at, "one 'with' opens one scope: nest them");
    return false;
  }
  const SynExpr *call = s->items[0].context, *as = s->items[0].target;
  bool ours = call->kind == SYN_CALL && call->lhs->kind == SYN_ATTR &&
              call->lhs->lhs->kind == SYN_NAME && call->lhs->lhs->name == b->n.pl;
  Name word = ours ? call->lhs->name : NULL;
  if (as && ours && word != b->n.at && word != b->n.spmd) {
    build_error(b, as->at, "only pl.at() and pl.spmd() give a task id to 'as'");
    return false;
  }
  if (word == b->n.at) return build_at(b, s, call, as);
  if (word == b->n.spmd) return build_spmd(b, s, call, as);
  if (word == b->n.cluster) return build_cluster(b, s, call);
  bool manual;
  if (word == b->n.scope)
    return read_scope_mode(b, call, &manual) && build_runtime_scope(b, s, manual);
  if (word == b->n.manual_scope) return no_arguments(b, call) && build_runtime_scope(b, s, true);
  if (word == b->n.reg_scope)
    return no_arguments(b, call) &&
           fill_scope(b, s, new_scope(b, SCOPE_REG, NULL, (AttrList){0}, s->at), NULL, NULL);
  const char *near = word ? diag_suggest(word, known, sizeof known / sizeof *known) : NULL;
  build_error(b, call->at, "'%s' opens no scope%s%s%s", syn_text(b->ir->arena, call),
              near ? ": did you mean 'pl." : "", near ? near : "", near ? "'?" : "");
  return false;
}
