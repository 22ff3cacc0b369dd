/* convert_to_ssa.c -- one definition for every variable; see docs/passes/convert-to-ssa.md. */
#include <string.h>

#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/pass.h"
#include "passes/util/auto_name.h"
#include "passes/util/escapes.h"

/* A variable as the parser made it. */
typedef struct SourceVar {
  Expr *var;
  Expr *now; /* its version where we are; NULL: none yet */
  int next;  /* number of the next version */
} SourceVar;

/* An older version, to be restored when a body ends. */
typedef struct Undo {
  SourceVar *src;
  Expr *before;
} Undo;

/* A result of a function: what its calls give is of one and the same type. */
typedef struct Result {
  int index;
} Result;

/* Those of one function that have been met, by index. */
typedef struct Results {
  Result **items;
  int room;
} Results;

typedef struct Ssa {
  Ir *ir;
  Function *func;
  Arena scratch;
  Rewriter rw; /* replaces variables in expressions and types by their versions */
  Map sources; /* variable -> SourceVar*, in order of first version */
  Map origins; /* version -> what it has its type from, if not from itself: a version or a Result */
  Map tuples;  /* version -> the call whose results it holds */
  Map results; /* function -> Results* */
  VEC(Undo) journal;
  Escapes escapes;
  bool failed;
} Ssa;

typedef VEC(Expr *) ExprList;
typedef VEC(SourceVar *) SourceList;

/* What a body must keep for code behind it. */
typedef struct Needs {
  Expr **vars;
  int len;
} Needs;

static Block convert_block(Ssa *s, Block b, Needs outer);

/* ---- versions ---- */

static Expr *replace_var(Rewriter *r, Expr *e) {
  if (e->kind != EXPR_VAR) return rewrite_expr_children(r, e);
  Ssa *s = r->ctx;
  SourceVar *src = map_get(&s->sources, e);
  return src && src->now ? src->now : e;
}

static Expr *subst(Ssa *s, Expr *e) { return e ? rewrite_expr(&s->rw, e) : NULL; }

static SourceVar *source_of(Ssa *s, Expr *var) {
  void **slot = map_at(&s->sources, var);
  if (!*slot) {
    SourceVar *src = NEW(&s->scratch, SourceVar);
    src->var = var;
    *slot = src;
  }
  return *slot;
}

static void set_version(Ssa *s, SourceVar *src, Expr *version) {
  vec_push(&s->journal, (Undo){src, src->now});
  src->now = version;
}

static void undo_to(Ssa *s, size_t mark) {
  while (s->journal.len > mark) {
    Undo u = vec_pop(&s->journal);
    u.src->now = u.before;
  }
}

static Name version_name(Ssa *s, SourceVar *src, const char *role) {
  Name name = auto_name_version(s->ir, src->var->u.var.name, role, src->next++);
  if (name) return name;
  if (!s->failed)
    diag_error(s->ir->diag, src->var->span,
               "'%s': names with '__' are the compiler's own; use a single underscore",
               src->var->u.var.name);
  s->failed = true;
  return src->var->u.var.name;
}

static Expr *make_version(Ssa *s, SourceVar *src, const char *role, const Type *type, Span span) {
  return expr_var(s->ir, version_name(s, src, role), type, span);
}

/* A parameter's or an assignment's version becomes the current one. */
static Expr *define(Ssa *s, Expr *var, const Type *type) {
  SourceVar *src = source_of(s, var);
  Name name = version_name(s, src, "ssa");
  Expr *version = expr_var(s->ir, name, rewrite_type(&s->rw, type), var->span);
  set_version(s, src, version);
  return version;
}

static int by_name(const void *a, const void *b) {
  const SourceVar *x = *(SourceVar *const *)a, *y = *(SourceVar *const *)b;
  int c = strcmp(x->var->u.var.name, y->var->u.var.name);
  if (c != 0) return c;
  return x->var->u.var.id < y->var->u.var.id ? -1 : x->var->u.var.id > y->var->u.var.id;
}

static void sort_sources(SourceList *list) {
  if (list->len > 1) qsort(list->data, list->len, sizeof *list->data, by_name);
}

/* ---- types ---- */

/* The right side knows a variable's or a shaped value's type better than the annotation does; only a
 * memory reference is never deduced. */
static const Type *assigned_type(Ssa *s, const Expr *var, const Expr *value) {
  const Type *t = value->type;
  bool better = t->kind != TYPE_UNKNOWN &&
                (value->kind == EXPR_VAR || type_is_shaped(t) || t->kind == TYPE_TUPLE);
  const Type *chosen = better ? t : var->type;
  if (!chosen->memref && var->type->memref && type_is_shaped(chosen))
    chosen = type_with_memref(s->ir, chosen, var->type->memref);
  return chosen;
}

/* An allocation is known by the name it was written with, whatever becomes of the variable. */
static const Type *convert_type(Rewriter *r, const Type *t) {
  const Type *n = rewrite_type_children(r, t);
  if (!t->memref || n->memref->base == t->memref->base) return n;
  MemRef m = *n->memref;
  m.base = t->memref->base;
  return type_with_memref(r->ir, n, memref_intern(r->ir, &m));
}

/* ---- where types come from ---- */

static const void *origin_of(const Ssa *s, const Expr *version) {
  const void *origin = map_get(&s->origins, version);
  return origin ? origin : version;
}

/* The variable that `value` is another name of, or that it writes and gives back as it is. */
static Expr *same_as(const Expr *value) {
  if (value->kind == EXPR_VAR) return (Expr *)value;
  const Op *op = expr_op(value);
  if (!op) return NULL;
  switch (op->id) {
    case OP_TILE_STORE:
    case OP_TILE_MSCATTER: return value->u.call.args[2];
    case OP_TILE_WRITE:
    case OP_TENSOR_WRITE:
    case OP_TILE_GATHER_ROW:
    case OP_TENSOR_GATHER_ROW: return value->u.call.args[0];
    default: return NULL;
  }
}

static bool has_constant_shape(const Type *t) {
  int64_t n;
  int nvalid;
  if (!type_is_shaped(t)) return false;
  Expr *const *valid = type_valid_shape(t, &nvalid);
  for (int i = 0; i < t->rank; i++)
    if (!expr_const_int(t->shape[i], &n)) return false;
  for (int i = 0; i < nvalid; i++)
    if (!expr_const_int(valid[i], &n)) return false;
  return true;
}

static const Result *result_of(Ssa *s, Name callee, int index) {
  void **slot = map_at(&s->results, callee);
  Results *of = *slot ? *slot : (*slot = NEW(&s->scratch, Results));
  if (index >= of->room) {
    Result **wider = NEW_ARRAY(&s->scratch, Result *, index * 2 + 1);
    if (of->room) memcpy(wider, of->items, sizeof *wider * (size_t)of->room);
    *of = (Results){wider, index * 2 + 1};
  }
  if (!of->items[index]) {
    of->items[index] = NEW(&s->scratch, Result);
    of->items[index]->index = index;
  }
  return of->items[index];
}

/* The function's result that `value` is.  `last` has the values of variables that have no version yet. */
static const Result *called_result(Ssa *s, const Expr *value, const Map *last) {
  int index = 0;
  if (!has_constant_shape(value->type)) return NULL; /* the caller's extents make it another type */
  if (value->kind == EXPR_TUPLE_GET) {
    index = value->u.get.index;
    value = value->u.get.tuple;
    if (value->kind == EXPR_VAR) {
      const Stmt *st = last ? map_get(last, value) : NULL;
      value = st ? st->u.assign.value : map_get(&s->tuples, value);
    }
  }
  return value && expr_is_call(value) && value->u.call.callee
             ? result_of(s, value->u.call.callee, index)
             : NULL;
}

/* `version` has the value `value`. */
static void note_origin(Ssa *s, Expr *version, const Expr *value) {
  const Expr *as = same_as(value);
  const void *origin = called_result(s, value, NULL);
  if (as && as->kind == EXPR_VAR && as->type == version->type) origin = origin_of(s, as);
  if (origin) map_set(&s->origins, version, (void *)origin);
  if (version->type->kind == TYPE_TUPLE && expr_is_call(value))
    map_set(&s->tuples, version, (void *)value);
}

static bool note_value(Visitor *v, Stmt *st) {
  if (st->kind == STMT_ASSIGN) map_set(v->ctx, st->u.assign.var, st);
  return true;
}

/* The last assignment of each variable of a loop's body. */
static void last_assignments(Block body, Map *last) {
  Visitor v = {.ctx = last, .stmt = note_value};
  visit_block(&v, body);
}

/* ---- yields ---- */

/* `b` with these values yielded at its end, in place of a yield that is there. */
static Block with_yield(Ssa *s, Block b, const ExprList *values, Span span) {
  Stmt *last = b.len ? b.items[b.len - 1] : NULL;
  StmtList out = {0};
  for (int i = 0; i + 1 < b.len; i++) vec_push(&out, b.items[i]);
  if (last && stmt_is_transparent(last) && (b.len == 1 || block_last_yield(b))) {
    Stmt *scope = stmt_copy(s->ir, last);
    scope->u.scope.body = with_yield(s, last->u.scope.body, values, span);
    vec_push(&out, scope);
    return block_take(s->ir, &out);
  }
  if (last && last->kind != STMT_YIELD) vec_push(&out, last);
  vec_push(&out, stmt_yield(s->ir, values->data, (int)values->len, span));
  return block_take(s->ir, &out);
}

static void push_yielded(ExprList *list, Block b) {
  Stmt *y = block_last_yield(b);
  if (y)
    for (int i = 0; i < y->u.ret.len; i++) vec_push(list, y->u.ret.values[i]);
}

/* ---- loops ---- */

typedef struct Loop {
  const Stmt *stmt;
  SourceList carried;  /* had a value before */
  SourceList escaping; /* get one here that code behind the loop needs */
  ExprList iter_args;
  ExprList new_results; /* of carried and escaping variables */
} Loop;

static bool is_iter_arg_of(const Stmt *loop, const Expr *var) {
  for (int i = 0; i < loop->u.loop.ncarried; i++)
    if (loop->u.loop.iter_args[i] == var) return true;
  return false;
}

static void classify(Ssa *s, Loop *l, Needs needs) {
  const EscapeInfo *info = escapes_of(&s->escapes, l->stmt);
  Map needed = {0};
  for (int i = 0; i < needs.len; i++) map_set(&needed, needs.vars[i], map_int(1));
  for (int i = 0; i < info->nassigned; i++) {
    Expr *var = info->assigned[i];
    if (var == l->stmt->u.loop.var || is_iter_arg_of(l->stmt, var)) continue;
    SourceVar *src = source_of(s, var);
    if (src->now)
      vec_push(&l->carried, src);
    else if (map_has(&needed, var))
      vec_push(&l->escaping, src);
  }
  map_free(&needed);
  sort_sources(&l->carried);
  sort_sources(&l->escaping);
}

/* What `var` has its type from at the end of the body, if that is known before the loop; else NULL. */
static const void *origin_before(Ssa *s, const Map *last, Expr *var) {
  for (size_t steps = 0; var && var->kind == EXPR_VAR && steps <= last->count; steps++) {
    const SourceVar *src = map_get(&s->sources, var);
    if (src && src->now) return origin_of(s, src->now);
    const Stmt *st = map_get(last, var);
    if (!st) return NULL;
    const Result *result = called_result(s, st->u.assign.value, last);
    if (result) return result;
    var = same_as(st->u.assign.value);
  }
  return NULL;
}

/* A variable that escapes has no value if the body never runs.  Where something before the loop has its very
 * type -- a tensor that the body writes in place, an earlier result of the same function -- that is taken: by
 * the name of an output parameter, else by its oldest name. */
static Expr *find_initial(Ssa *s, const Map *last, Expr *var, const Type *type) {
  const void *origin = origin_before(s, last, var);
  if (!origin) return NULL;
  for (int i = 0; i < s->func->nparams; i++) {
    const SourceVar *src = map_get(&s->sources, s->func->params[i]);
    if (s->func->dirs[i] == PARAM_IN || !src->now || src->now->type != type) continue;
    if (origin_of(s, src->now) == origin) return src->now;
  }
  const SourceVar *oldest = NULL;
  for (MapEntry *m = NULL; (m = map_next(&s->sources, m));) {
    const SourceVar *src = m->value;
    if (!src->now || src->now->type != type || origin_of(s, src->now) != origin) continue;
    if (!oldest || src->var->u.var.id < oldest->var->u.var.id) oldest = src;
  }
  return oldest ? oldest->now : NULL;
}

static void carry(Ssa *s, Loop *l, SourceVar *src, Expr *init, const Type *type) {
  Span span = l->stmt->span;
  Name name = version_name(s, src, "iter");
  vec_push(&l->iter_args, expr_iter_arg(s->ir, name, type, init, span));
  vec_push(&l->new_results, make_version(s, src, "rv", type, span));
  note_origin(s, vec_last(&l->iter_args), init);
  note_origin(s, vec_last(&l->new_results), init);
}

static void make_carried(Ssa *s, Loop *l) {
  const Stmt *st = l->stmt;
  for (int i = 0; i < st->u.loop.ncarried; i++) {
    const Expr *old = st->u.loop.iter_args[i];
    vec_push(&l->iter_args, expr_iter_arg(s->ir, old->u.var.name, rewrite_type(&s->rw, old->type),
                                          subst(s, old->u.var.init), old->span));
  }
  for (size_t i = 0; i < l->carried.len; i++) {
    SourceVar *src = l->carried.data[i];
    carry(s, l, src, src->now, src->now->type);
  }
  if (l->escaping.len == 0) return;
  Map last = {0};
  last_assignments(st->u.loop.body, &last);
  for (size_t i = 0; i < l->escaping.len; i++) {
    SourceVar *src = l->escaping.data[i];
    const Stmt *def = map_get(&last, src->var);
    const Type *type = rewrite_type(
        &s->rw, def ? assigned_type(s, src->var, def->u.assign.value) : src->var->type);
    Expr *init = find_initial(s, &last, src->var, type);
    if (!init) init = expr_var(s->ir, src->var->u.var.name, type, src->var->span);
    carry(s, l, src, init, type);
  }
  map_free(&last);
}

/* Inside the body the carried values go by their iteration arguments. */
static void enter_body(Ssa *s, Loop *l) {
  int old = l->stmt->u.loop.ncarried;
  for (int i = 0; i < old; i++)
    set_version(s, source_of(s, l->stmt->u.loop.iter_args[i]), l->iter_args.data[i]);
  size_t at = (size_t)old;
  for (size_t i = 0; i < l->carried.len; i++)
    set_version(s, l->carried.data[i], l->iter_args.data[at++]);
  for (size_t i = 0; i < l->escaping.len; i++)
    set_version(s, l->escaping.data[i], l->iter_args.data[at++]);
}

static void set_results(Ssa *s, Loop *l, Stmt *out) {
  const Stmt *st = l->stmt;
  size_t at = 0;
  for (size_t i = 0; i < l->carried.len; i++)
    set_version(s, l->carried.data[i], l->new_results.data[at++]);
  for (size_t i = 0; i < l->escaping.len; i++)
    set_version(s, l->escaping.data[i], l->new_results.data[at++]);
  ExprList results = {0};
  for (int i = 0; i < st->u.loop.nresults; i++) {
    Expr *old = st->u.loop.results[i];
    Expr *result = expr_var(s->ir, old->u.var.name, rewrite_type(&s->rw, old->type), old->span);
    set_version(s, source_of(s, old), result);
    vec_push(&results, result);
  }
  for (int i = 0; i < st->u.loop.ncarried && i < st->u.loop.nresults; i++)
    set_version(s, source_of(s, st->u.loop.iter_args[i]), results.data[i]);
  for (size_t i = 0; i < l->new_results.len; i++) vec_push(&results, l->new_results.data[i]);
  out->u.loop.ncarried = (int)l->iter_args.len;
  out->u.loop.nresults = (int)results.len;
  out->u.loop.iter_args = vec_to_arena(&l->iter_args, s->ir->arena);
  out->u.loop.results = vec_to_arena(&results, s->ir->arena);
}

static Stmt *convert_loop(Ssa *s, Stmt *st, Needs needs) {
  Stmt *out = stmt_copy(s->ir, st);
  out->u.loop.start = subst(s, st->u.loop.start);
  out->u.loop.stop = subst(s, st->u.loop.stop);
  out->u.loop.step = subst(s, st->u.loop.step);
  out->u.loop.attrs = rewrite_attrs(&s->rw, st->u.loop.attrs);
  Loop l = {.stmt = st};
  classify(s, &l, needs);
  make_carried(s, &l);

  size_t mark = s->journal.len;
  if (st->kind == STMT_FOR) {
    SourceVar *src = source_of(s, st->u.loop.var);
    out->u.loop.var = make_version(s, src, "idx", st->u.loop.var->type, st->u.loop.var->span);
    set_version(s, src, out->u.loop.var);
  }
  enter_body(s, &l);
  out->u.loop.cond = subst(s, st->u.loop.cond);
  Block body = convert_block(s, st->u.loop.body, needs);
  ExprList values = {0};
  push_yielded(&values, body);
  for (size_t i = 0; i < l.carried.len; i++) vec_push(&values, l.carried.data[i]->now);
  for (size_t i = 0; i < l.escaping.len; i++) vec_push(&values, l.escaping.data[i]->now);
  out->u.loop.body = values.len ? with_yield(s, body, &values, st->span) : body;
  undo_to(s, mark);
  set_results(s, &l, out);

  vec_free(&values);
  vec_free(&l.carried);
  vec_free(&l.escaping);
  vec_free(&l.iter_args);
  vec_free(&l.new_results);
  return out;
}

/* ---- branches ---- */

/* What a branch left behind: variable -> its version at the end. */
static void collect_changes(const Ssa *s, size_t mark, Map *changes) {
  for (size_t i = mark; i < s->journal.len; i++) {
    SourceVar *src = s->journal.data[i].src;
    map_set(changes, src, src->now);
  }
}

static void find_merged(const Map *then_now, const Map *else_now, SourceList *merged) {
  for (MapEntry *m = NULL; (m = map_next(then_now, m));) {
    SourceVar *src = (SourceVar *)m->key;
    bool in_else = map_has(else_now, src) && map_get(else_now, src);
    bool changed = m->value != src->now || (in_else && map_get(else_now, src) != src->now);
    if (src->now ? changed : (m->value && in_else)) vec_push(merged, src);
  }
  for (MapEntry *m = NULL; (m = map_next(else_now, m));) {
    SourceVar *src = (SourceVar *)m->key;
    if (!map_has(then_now, src) && src->now && m->value != src->now) vec_push(merged, src);
  }
  sort_sources(merged);
}

static Expr *version_after(const Map *changes, SourceVar *src) {
  Expr *now = map_get(changes, src);
  return now ? now : src->now;
}

/* Results of the `if` for variables that differ behind its branches, and the yields that feed them. */
static void merge_branches(Ssa *s, const Stmt *st, Stmt *out, const SourceList *merged,
                           const Map *then_now, const Map *else_now) {
  ExprList results = {0}, then_values = {0}, else_values = {0};
  for (size_t i = 0; i < merged->len; i++) {
    SourceVar *src = merged->data[i];
    Expr *a = version_after(then_now, src), *b = version_after(else_now, src);
    Expr *phi = make_version(s, src, "phi", a->type, st->span);
    note_origin(s, phi, a);
    vec_push(&results, phi);
    vec_push(&then_values, a);
    vec_push(&else_values, b);
  }
  for (size_t i = 0; i < merged->len; i++) set_version(s, merged->data[i], results.data[i]);
  for (int i = 0; i < st->u.if_.nresults; i++) {
    Expr *old = st->u.if_.results[i];
    SourceVar *src = source_of(s, old);
    bool handled = false;
    for (size_t k = 0; k < merged->len; k++) handled |= merged->data[k] == src;
    if (handled) continue;
    Expr *result = make_version(s, src, "rv", rewrite_type(&s->rw, old->type), old->span);
    vec_push(&results, result);
    set_version(s, src, result);
  }
  if (merged->len) {
    out->u.if_.then_body = with_yield(s, out->u.if_.then_body, &then_values, st->span);
    out->u.if_.else_body = with_yield(s, out->u.if_.else_body, &else_values, st->span);
    out->u.if_.has_else = true;
  }
  out->u.if_.nresults = (int)results.len;
  out->u.if_.results = vec_to_arena(&results, s->ir->arena);
  vec_free(&then_values);
  vec_free(&else_values);
}

static Stmt *convert_if(Ssa *s, Stmt *st, Needs needs) {
  Stmt *out = stmt_copy(s->ir, st);
  out->u.if_.cond = subst(s, st->u.if_.cond);
  size_t mark = s->journal.len;
  Map then_now = {0}, else_now = {0};
  out->u.if_.then_body = convert_block(s, st->u.if_.then_body, needs);
  collect_changes(s, mark, &then_now);
  undo_to(s, mark);
  if (st->u.if_.has_else) {
    out->u.if_.else_body = convert_block(s, st->u.if_.else_body, needs);
    collect_changes(s, mark, &else_now);
    undo_to(s, mark);
  }
  SourceList merged = {0};
  find_merged(&then_now, &else_now, &merged);
  merge_branches(s, st, out, &merged, &then_now, &else_now);
  vec_free(&merged);
  map_free(&then_now);
  map_free(&else_now);
  return out;
}

/* ---- other statements ---- */

static Stmt *convert_scope(Ssa *s, Stmt *st, Needs needs) {
  Stmt *out = stmt_copy(s->ir, st);
  /* What the scope says of itself holds where it begins. */
  out->u.scope.attrs = rewrite_attrs(&s->rw, st->u.scope.attrs);
  out->u.scope.core_num = subst(s, st->u.scope.core_num);
  if (st->u.scope.index) out->u.scope.index = define(s, st->u.scope.index, st->u.scope.index->type);
  /* A scope that becomes a function of its own cannot carry out what only it knows. */
  if (!stmt_is_transparent(st)) needs = (Needs){0};
  out->u.scope.body = convert_block(s, st->u.scope.body, needs);
  return out;
}

static Stmt *convert_values(Ssa *s, Stmt *st) {
  Stmt *out = stmt_copy(s->ir, st);
  out->u.ret.values = NEW_ARRAY(s->ir->arena, Expr *, st->u.ret.len);
  for (int i = 0; i < st->u.ret.len; i++) out->u.ret.values[i] = subst(s, st->u.ret.values[i]);
  return out;
}

static Stmt *convert_stmt(Ssa *s, Stmt *st, Needs needs) {
  switch (st->kind) {
    case STMT_ASSIGN: {
      Stmt *out = stmt_copy(s->ir, st);
      out->u.assign.value = subst(s, st->u.assign.value);
      out->u.assign.var =
          define(s, st->u.assign.var, assigned_type(s, st->u.assign.var, out->u.assign.value));
      note_origin(s, out->u.assign.var, out->u.assign.value);
      return out;
    }
    case STMT_EVAL: {
      Expr *value = subst(s, st->u.eval);
      if (value == st->u.eval) return st;
      Stmt *out = stmt_copy(s->ir, st);
      out->u.eval = value;
      return out;
    }
    case STMT_RETURN:
    case STMT_YIELD: return convert_values(s, st);
    case STMT_IF: return convert_if(s, st, needs);
    case STMT_FOR:
    case STMT_WHILE: return convert_loop(s, st, needs);
    case STMT_SCOPE: return convert_scope(s, st, needs);
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE: break;
  }
  return st;
}

static Block convert_block(Ssa *s, Block b, Needs outer) {
  StmtList out = {0};
  for (int i = 0; i < b.len && !s->failed; i++) {
    const EscapeInfo *info = escapes_of(&s->escapes, b.items[i]);
    Needs needs = {0};
    if (info) needs = info->last ? outer : (Needs){info->needed, info->nneeded};
    vec_push(&out, convert_stmt(s, b.items[i], needs));
  }
  return block_take(s->ir, &out);
}

/* ---- functions ---- */

/* The text of a host-level worker names its parameters itself. */
static bool is_foreign(const Function *f) {
  return f->role == ROLE_SUB_WORKER && f->level >= LEVEL_HOST;
}

static Function *convert_func(void *ctx, Function *f) {
  Ir *ir = ctx;
  if (is_foreign(f)) return f;
  Ssa s = {.ir = ir, .func = f};
  arena_init(&s.scratch);
  rewriter_init(&s.rw, ir, &s);
  s.rw.expr = replace_var;
  s.rw.type = convert_type;
  escapes_init(&s.escapes, &s.scratch, f->body);
  Function *out = func_copy(ir, f);
  out->params = NEW_ARRAY(ir->arena, Expr *, f->nparams);
  for (int i = 0; i < f->nparams; i++)
    out->params[i] = define(&s, f->params[i], f->params[i]->type);
  out->body = convert_block(&s, f->body, (Needs){0});
  out->attrs = rewrite_attrs(&s.rw, f->attrs);
  bool failed = s.failed;
  escapes_free(&s.escapes);
  rewriter_free(&s.rw);
  map_free(&s.sources);
  map_free(&s.origins);
  map_free(&s.tuples);
  map_free(&s.results);
  vec_free(&s.journal);
  arena_free(&s.scratch);
  return failed ? NULL : out;
}

Program *convert_to_ssa(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, convert_func, ctx->ir);
}
