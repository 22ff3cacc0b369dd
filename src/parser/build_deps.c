/* build_deps.c -- what a launch waits for (deps) and on what it depends whether it runs (predicate). */
#include <string.h>

#include "ir/print.h"
#include "parser/build.h"

/* ---------------------------------------------------------------- deps=[...] */

typedef struct Deps {
  const char *what;
  VEC(Expr *) entries;
  bool elements; /* arr[i] among them */
  bool arrays;   /* a whole array among them */
} Deps;

static bool is_task_var(const Expr *e) {
  return expr_is_var(e) && (e->type->kind == TYPE_SCALAR || e->type->kind == TYPE_ARRAY) &&
         e->type->dtype == DT_TASK_ID;
}

/* arr[i] of an array of task ids. */
static bool is_task_element(const Expr *e) {
  return expr_is_op(e, OP_ARRAY_GET_ELEMENT) && is_scalar_of(e, DT_TASK_ID);
}

static bool add_dep(Builder *b, Deps *d, const SynExpr *e) {
  if (e->kind == SYN_NONE) return true; /* no task yet: no edge */
  Expr *v = build_expr(b, e);
  if (!v) return false;
  bool element = is_task_element(v), array = is_task_var(v) && v->type->kind == TYPE_ARRAY;
  if (!element && !is_task_var(v)) {
    build_error(b, e->at, "%s waits for task ids, not for '%s', which is a %s", d->what,
                syn_text(b->ir->arena, e), type_kind_name(v->type));
    return false;
  }
  d->elements = d->elements || element;
  d->arrays = d->arrays || array;
  if (d->elements && d->arrays) {
    build_error(b, e->at, "deps holds a whole array or single elements, not both");
    return false;
  }
  vec_push(&d->entries, v);
  return true;
}

/* [arr[i] for i in range(n) if ...]: written out before the program runs. */
static bool add_comprehension(Builder *b, Deps *d, const SynExpr *e) {
  const SynClause *c = &e->clauses[0];
  AttrValue list;
  if (e->nkwargs != 1 || c->target->kind != SYN_NAME || e->bracket == '{') {
    build_error(b, e->at, "a comprehension in deps has one 'for' over one name");
    return false;
  }
  Name name = c->target->name;
  EvalResult r = eval_expr(b, c->iter, &list);
  if (r == EVAL_ERROR) return false;
  if (r != EVAL_OK || list.kind != ATTR_LIST) {
    build_error(b, c->iter->at,
                "a comprehension in deps is written out before the program runs: it needs a "
                "list of known integers");
    return false;
  }
  Const *outer = (Const *)const_lookup(b, name), loop = {.kind = CONST_VALUE, .at = c->at};
  bool ok = true;
  b->comp_name = name;
  for (int i = 0; ok && i < list.u.list.len; i++) {
    bool keep = true;
    loop.value = list.u.list.items[i];
    ok = loop.value.kind == ATTR_INT;
    if (!ok) build_error(b, c->iter->at, "a comprehension in deps counts over integers");
    map_set(&b->consts, name, &loop);
    for (size_t t = 0; ok && keep && t < c->ntests; t++) {
      AttrValue v;
      ok = eval_expr(b, c->tests[t], &v) == EVAL_OK && (v.kind == ATTR_BOOL || v.kind == ATTR_INT);
      if (!ok)
        build_error(b, c->tests[t]->at, "this condition is not known before the program runs");
      keep = ok && (v.kind == ATTR_BOOL ? v.u.b : v.u.i != 0);
    }
    if (ok && keep) ok = add_dep(b, d, e->lhs);
  }
  b->comp_name = NULL;
  if (outer)
    map_set(&b->consts, name, outer);
  else
    map_remove(&b->consts, name);
  return ok;
}

/* Elements of arrays go into an array of their own, which is waited for as a whole. */
static Expr *gather_deps(Builder *b, Deps *d, Span at) {
  AttrList kwargs = {0};
  int n = (int)d->entries.len;
  Expr *size = expr_int(b->ir, n, DT_INDEX, at);
  attrs_set(b, &kwargs, b->n.dtype, attr_of_dtype(DT_TASK_ID), at);
  Expr *value = build_op(b, OP_ARRAY_CREATE, &size, 1, kwargs, at);
  if (!value) return NULL;
  Expr *array = emit_let(b, b->n.deps_buf, value, NULL, at);
  for (int i = 0; i < n; i++) {
    Expr *args[3] = {array, expr_int(b->ir, i, DT_INDEX, at), d->entries.data[i]};
    value = build_op(b, OP_ARRAY_UPDATE_ELEMENT, args, 3, (AttrList){0}, at);
    if (!value) return NULL;
    array = emit_let(b, b->n.deps_buf, value, NULL, at);
  }
  return array;
}

bool build_deps(Builder *b, const char *what, const SynKeyword *k, Span at, Expr ***deps, int *n) {
  const SynExpr *e = k->value;
  Deps d = {.what = what};
  bool ok = true;
  *n = 0;
  if (e->kind == SYN_COMP) {
    ok = add_comprehension(b, &d, e);
  } else if (e->kind == SYN_LIST || e->kind == SYN_TUPLE) {
    for (size_t i = 0; ok && i < e->nitems; i++)
      ok = e->items[i]->kind == SYN_COMP ? add_comprehension(b, &d, e->items[i])
                                         : add_dep(b, &d, e->items[i]);
  } else {
    build_error(b, e->at, "deps must be a list of task ids: deps=[tid]");
    ok = false;
  }
  if (ok && d.elements) {
    Expr *array = gather_deps(b, &d, at);
    ok = array != NULL;
    vec_clear(&d.entries);
    if (ok) vec_push(&d.entries, array);
  }
  if (ok) *n = (int)d.entries.len;
  *deps = vec_to_arena(&d.entries, b->ir->arena);
  return ok;
}

/* ---------------------------------------------------------------- predicate=(t[i] > 0) */

static bool is_comparison(const Expr *e) { return e->kind >= EXPR_EQ && e->kind <= EXPR_GE; }

static Expr *strip_casts(Expr *e) {
  while (e->kind == EXPR_CAST) e = e->u.operand;
  return e;
}

/* The element that a comparison reads, on either side; NULL if it does not compare one with a constant. */
static Expr *predicate_read(const Expr *e) {
  Expr *l = strip_casts(e->u.bin.lhs), *r = strip_casts(e->u.bin.rhs);
  if (expr_is_op(l, OP_TENSOR_READ) && r->kind == EXPR_INT) return l;
  if (expr_is_op(r, OP_TENSOR_READ) && l->kind == EXPR_INT) return r;
  return NULL;
}

static bool check_indices(Builder *b, const Expr *read, Span at) {
  const Expr *index = read->u.call.nargs > 1 ? read->u.call.args[1] : NULL;
  bool tuple = index && index->kind == EXPR_TUPLE;
  int n = tuple ? index->u.tuple.len : index ? 1 : 0, rank = read->u.call.args[0]->type->rank;
  for (int i = 0; i < n; i++) {
    const Expr *x = tuple ? index->u.tuple.elems[i] : index;
    int64_t v;
    if (x->type->kind != TYPE_SCALAR || !dtype_is_int(x->type->dtype)) {
      build_error(b, at, "an index of a predicate must be an integer, not %s",
                  type_str(b->ir, x->type));
      return false;
    }
    if (!expr_const_int(x, &v) || v >= 0) continue;
    build_error(b, at, "an index of a predicate cannot be negative: it is %lld", (long long)v);
    return false;
  }
  if (n == rank) return true;
  build_error(b, at, "a predicate reads one element: %d indices for %d dimensions", n, rank);
  return false;
}

static bool check_predicate(Builder *b, const char *what, const Expr *e, const SynExpr *s) {
  if (!is_comparison(e)) {
    build_error(b, s->at,
                "the predicate of %s must compare an element with an integer: predicate=(t[0] > 0)",
                what);
    if (s->kind == SYN_NONE) build_note(b, "to launch in any case, leave the predicate out");
    return false;
  }
  const Expr *read = predicate_read(e);
  if (!read) {
    build_error(b, s->at,
                "the predicate of %s must compare one element of a tensor with an integer constant",
                what);
    return false;
  }
  const Type *t = read->u.call.args[0]->type;
  int bits = dtype_bits(t->dtype);
  if (!type_is_tensor(t) || !dtype_is_signed(t->dtype) || t->dtype == DT_INDEX || bits < 8) {
    build_error(
        b, s->at,
        "a predicate reads a tensor of signed integers (INT8 to INT64), not of %s: the runtime "
        "extends the sign of what it reads",
        dtype_name(t->dtype));
    return false;
  }
  return check_indices(b, read, s->at);
}

Expr *build_predicate(Builder *b, const char *what, const SynKeyword *k) {
  Expr *e = build_expr(b, k->value);
  return e && check_predicate(b, what, e, k->value) ? e : NULL;
}

/* The task that writes what the predicate reads must be waited for, where it is known. */
bool check_predicate_deps(Builder *b, const char *what, Expr *predicate, Expr **deps, int ndeps,
                          bool deps_accepted, Span at) {
  const Expr *read = predicate_read(predicate), *tensor = read ? read->u.call.args[0] : NULL;
  const Producer *p = tensor && expr_is_var(tensor) ? map_get(&b->f->producers, tensor) : NULL;
  if (!p) return true;
  bool waits = false;
  for (int i = 0; i < ndeps; i++) {
    if (deps[i]->type->kind == TYPE_ARRAY) return true; /* may well hold it */
    waits = waits || deps[i] == p->tid;
  }
  if (waits && map_get_int(&b->f->generations, p->tid) == p->generation) return true;
  Name tid = p->tid->u.var.name;
  build_error(
      b, at, "the predicate of %s reads '%s', which the task '%s' writes, but does not wait for it",
      what, tensor->u.var.name, tid);
  if (deps_accepted)
    build_note(b, "add deps=[%s]", tid);
  else
    build_note(
        b, "this form has no deps: write 'with pl.spmd(n, deps=[%s], predicate=...) as tid:'", tid);
  return false;
}
