/* build_call.c -- calls of operators: which one is meant, and what its arguments are. */
#include <string.h>

#include "ir/print.h"
#include "parser/build.h"

enum { MAX_PATH = 4 };

/* ---------------------------------------------------------------- attributes */

void attrs_set(Builder *b, AttrList *list, Name key, AttrValue value, Span at) {
  *list = attr_with(b->ir, *list, key, value);
  for (int i = 0; i < list->len; i++)
    if (list->items[i].key == key) list->items[i].span = at;
}

/* pl.adir.input */
static bool is_direction(Builder *b, const SynExpr *e) {
  return e->kind == SYN_ATTR && syn_is_attr_of(e->lhs, b->n.pl, b->n.adir);
}

static bool direction_value(Builder *b, const SynExpr *e, AttrValue *out) {
  int d = enum_value(ENUM_ADIR, e->name);
  if (d < 0) {
    build_error(b, e->at, "pl.adir has no direction '%s'", e->name);
    return false;
  }
  *out = attr_of_enum(ENUM_ADIR, d);
  return true;
}

static bool list_attr_value(Builder *b, const char *what, Name key, const SynExpr *e,
                            AttrValue *out) {
  size_t ints = 0, dirs = 0, names = 0;
  for (size_t i = 0; i < e->nitems; i++) {
    const SynExpr *x = e->items[i];
    bool negative = x->kind == SYN_UNARY && x->op == SYN_OP_NEG && x->lhs->kind == SYN_INT;
    ints += x->kind == SYN_INT || negative;
    dirs += is_direction(b, x);
    names += x->kind == SYN_NAME;
  }
  if (e->nitems && ints != e->nitems && dirs != e->nitems && names != e->nitems) {
    build_error(b, e->at,
                "attribute '%s' of %s: a list holds integers, directions (pl.adir.x) or variables",
                key, what);
    return false;
  }
  AttrValue *items = NEW_ARRAY(b->ir->arena, AttrValue, e->nitems);
  for (size_t i = 0; i < e->nitems; i++) {
    const SynExpr *x = e->items[i];
    bool ok;
    if (dirs) {
      ok = direction_value(b, x, &items[i]);
    } else if (ints) {
      ok = eval_expr(b, x, &items[i]) == EVAL_OK;
    } else {
      Expr *v = build_expr(b, x);
      ok = v != NULL;
      if (ok) items[i] = attr_of_expr(v);
    }
    if (!ok) return false;
  }
  *out = attr_of_list(items, (int)e->nitems);
  return true;
}

bool build_attr_value(Builder *b, const char *what, Name key, const SynExpr *e, AttrValue *out) {
  EvalResult r;
  switch (e->kind) {
    case SYN_NONE:
    case SYN_ELLIPSIS:
      build_error(b, e->at, "attribute '%s' of %s has no value", key, what);
      return false;
    case SYN_LIST:
    case SYN_TUPLE: return list_attr_value(b, what, key, e, out);
    case SYN_INT:
    case SYN_FLOAT:
    case SYN_STR:
    case SYN_TRUE:
    case SYN_FALSE:
    case SYN_UNARY:
    case SYN_ATTR:
      r = eval_expr(b, e, out);
      if (r != EVAL_UNKNOWN) return r == EVAL_OK;
      break;
    default: break;
  }
  Expr *v = build_expr(b, e);
  if (v) *out = attr_of_expr(v);
  return v != NULL;
}

bool build_attrs(Builder *b, const SynExpr *dict, const char *what, AttrList *out) {
  if (dict->kind != SYN_DICT) {
    build_error(b, dict->at, "attrs of %s must be a dict: attrs={\"key\": value}", what);
    return false;
  }
  for (size_t i = 0; i < dict->nkwargs; i++) {
    const SynKeyword *k = &dict->kwargs[i];
    if (!k->key || k->key->kind != SYN_STR) {
      build_error(b, k->at, "a key of attrs must be a string literal");
      return false;
    }
    Name key = name_ofn(&b->ir->names, k->key->str.data, k->key->str.len);
    AttrValue v;
    if (!build_attr_value(b, what, key, k->value, &v)) return false;
    attrs_set(b, out, key, v, k->at);
  }
  return true;
}

/* The attrs={...} of an operator's call. */
static bool op_attrs(Builder *b, const SynExpr *call, AttrList *out) {
  const SynKeyword *k = syn_keyword(call, b->n.attrs);
  if (!k) return true;
  if (!build_attrs(b, k->value, syn_text(b->ir->arena, call->lhs), out)) return false;
  for (int i = 0; i < out->len; i++) {
    if (out->items[i].key != b->n.manual_dep_edges && out->items[i].key != b->n.dummy_task)
      continue;
    build_error(b, out->items[i].span,
                "'%s' cannot be written as an attribute: dependencies are "
                "deps=[...] of pl.submit or pl.system.task_dummy",
                out->items[i].key);
    return false;
  }
  return true;
}

static Expr *with_attrs(Expr *call, AttrList attrs) {
  if (call && attrs.len && call->kind == EXPR_CALL) call->u.call.attrs = attrs;
  return call;
}

/* ---------------------------------------------------------------- values as written */

static bool written_list(Builder *b, const SynExpr *e, AttrValue *out);

static bool list_item(Builder *b, const SynExpr *e, AttrValue *out) {
  if (e->kind == SYN_LIST || e->kind == SYN_TUPLE) return written_list(b, e, out);
  Expr *v = build_expr(b, e);
  if (v) *out = attr_of_expr(v);
  return v != NULL;
}

static bool written_list(Builder *b, const SynExpr *e, AttrValue *out) {
  AttrValue *items = NEW_ARRAY(b->ir->arena, AttrValue, e->nitems);
  for (size_t i = 0; i < e->nitems; i++) {
    if (!list_item(b, e->items[i], &items[i])) return false;
    items[i].span = e->items[i]->at;
  }
  *out = attr_of_list(items, (int)e->nitems);
  out->is_tuple = e->kind == SYN_TUPLE;
  return true;
}

/* A name of the module, an element type, an enumeration, a number of a module.  EVAL_UNKNOWN: none. */
static EvalResult written_constant(Builder *b, const SynExpr *e, AttrValue *out) {
  bool name = e->kind == SYN_NAME && !scope_lookup(b, e->name);
  bool negated = e->kind == SYN_UNARY && e->op == SYN_OP_NEG && e->lhs->kind == SYN_ATTR;
  if (!name && !negated && e->kind != SYN_ATTR) return EVAL_UNKNOWN;
  return eval_expr(b, e, out);
}

static bool positional_value(Builder *b, const SynExpr *e, AttrValue *out) {
  if (e->kind == SYN_LIST || e->kind == SYN_TUPLE) return written_list(b, e, out);
  EvalResult r = written_constant(b, e, out);
  if (r != EVAL_UNKNOWN) return r == EVAL_OK;
  Expr *v = build_expr(b, e);
  if (v) *out = attr_of_expr(v);
  return v != NULL;
}

static bool names_variable(const SynExpr *e, void *ctx) {
  return e->kind != SYN_NAME || !scope_lookup(ctx, e->name);
}

/* buf.base, where buf is what pl.reserve_buffer gave. */
static const AttrValue *buffer_field(Builder *b, const SynExpr *e) {
  if (e->kind != SYN_ATTR || e->lhs->kind != SYN_NAME || e->name != b->n.base) return NULL;
  return map_get(&b->f->buffer_meta, e->lhs->name);
}

static bool keyword_value(Builder *b, const SynExpr *e, AttrValue *out) {
  const AttrValue *field = buffer_field(b, e);
  if (field) {
    *out = *field;
    return true;
  }
  bool literal = e->kind == SYN_INT || e->kind == SYN_FLOAT || e->kind == SYN_STR ||
                 e->kind == SYN_TRUE || e->kind == SYN_FALSE || e->kind == SYN_NONE;
  bool negative = e->kind == SYN_UNARY && e->op == SYN_OP_NEG &&
                  (e->lhs->kind == SYN_INT || e->lhs->kind == SYN_FLOAT);
  bool list = e->kind == SYN_LIST && syn_walk(e, names_variable, b);
  if (literal || negative || list) {
    EvalResult r = eval_expr(b, e, out);
    if (r != EVAL_UNKNOWN) return r == EVAL_OK;
  }
  return positional_value(b, e, out);
}

/* A call as written, with its values, which are of no use once the call is built. */
typedef struct WrittenCall {
  Written w;
  AttrValue few_pos[6]; /* its values, if they fit */
  Attr few_kw[4];
} WrittenCall;

/* attrs={...} is not part of it. */
static bool read_written(Builder *b, const SynExpr *call, WrittenCall *c) {
  memset(c, 0, sizeof *c);
  Written *w = &c->w;
  w->ir = b->ir;
  w->span = call->at;
  bool few_pos = call->nitems <= sizeof c->few_pos / sizeof *c->few_pos;
  w->pos = few_pos ? c->few_pos : NEW_ARRAY(b->ir->arena, AttrValue, call->nitems);
  for (size_t i = 0; i < call->nitems; i++) {
    if (call->items[i]->kind == SYN_STAR) {
      build_error(b, call->items[i]->at, "arguments cannot be unpacked with '*' here");
      return false;
    }
    if (!positional_value(b, call->items[i], &w->pos[w->npos])) return false;
    w->pos[w->npos++].span = call->items[i]->at;
  }
  /* One more, see take_window_name. */
  bool few_kw = call->nkwargs < sizeof c->few_kw / sizeof *c->few_kw;
  w->kw.items = few_kw ? c->few_kw : NEW_ARRAY(b->ir->arena, Attr, call->nkwargs + 1);
  for (size_t i = 0; i < call->nkwargs; i++) {
    const SynKeyword *k = &call->kwargs[i];
    if (k->name == b->n.attrs) continue;
    if (!k->name) {
      build_error(b, k->at, "arguments cannot be unpacked with '**' here");
      return false;
    }
    Attr *a = &w->kw.items[w->kw.len];
    a->key = k->name;
    a->span = k->at;
    if (!keyword_value(b, k->value, &a->value)) return false;
    a->value.span = k->value->at;
    w->kw.len++;
  }
  return true;
}

/* ---------------------------------------------------------------- operators by full name */

Expr *build_op(Builder *b, OpId id, Expr *const *args, int nargs, AttrList kwargs, Span at) {
  return op_call_id(b->ir, id, args, nargs, kwargs, at);
}

/* An operator of that family with a name like `leaf`, for messages. */
static const char *similar_op(Builder *b, const char *family, const char *leaf) {
  VEC(const char *) names = {0};
  size_t n = strlen(family);
  for (MapEntry *e = NULL; (e = map_next(&b->ir->op_names, e));) {
    const char *name = e->key;
    if (strncmp(name, family, n) == 0 && name[n] == '.') vec_push(&names, name + n + 1);
  }
  const char *near = diag_suggest(leaf, names.data, names.len);
  vec_free(&names);
  return near;
}

static const Op *find_op(Builder *b, const char *family, const char *leaf, Span at) {
  const Op *op = op_by_name(b->ir, name_printf(&b->ir->names, "%s.%s", family, leaf));
  size_t n = strlen(leaf);
  if (!op && n > 1 && leaf[n - 1] == '_') /* and_, or_, not_: Python has these words for itself */
    op = op_by_name(b->ir, name_printf(&b->ir->names, "%s.%.*s", family, (int)n - 1, leaf));
  if (op) return op;
  const char *near = similar_op(b, family, leaf), *pl = strncmp(family, "pld", 3) == 0 ? "" : "pl.";
  if (near)
    return build_error(b, at, "there is no operator '%s%s.%s': did you mean '%s%s.%s'?", pl, family,
                       leaf, pl, family, near);
  return build_error(b, at, "there is no operator '%s%s.%s'", pl, family, leaf);
}

static Expr *bind_op(Builder *b, const Op *op, const SynExpr *call, Written *w) {
  AttrList attrs = {0};
  if (!op_attrs(b, call, &attrs)) return NULL;
  w->op = op;
  return with_attrs(op_bind(w), attrs);
}

static Expr *build_full_name(Builder *b, const char *family, const char *leaf,
                             const SynExpr *call) {
  WrittenCall c;
  Written *w = &c.w;
  const Op *op = find_op(b, family, leaf, call->at);
  if (!op || !read_written(b, call, &c)) return NULL;
  return bind_op(b, op, call, w);
}

/* ---------------------------------------------------------------- short names */

/* A keyword or positional value of a call on scalars. */
static const AttrValue *scalar_arg(Builder *b, const Written *w, int i,
                                   const char *const names[2]) {
  if (i < w->npos) return &w->pos[i];
  for (int k = 0; k < 2; k++) {
    const AttrValue *v = names[k] ? attr_get(w->kw, ir_name(b->ir, names[k])) : NULL;
    if (v) return v;
  }
  return NULL;
}

static Expr *scalar_value(Builder *b, const AttrValue *v, Span at) {
  return v ? value_to_expr(b, v, v->span.line ? v->span : at)
           : build_error(b, at, "an operand is missing");
}

static Expr *build_scalar_cast(Builder *b, const Written *w) {
  static const char *const input[2] = {"input", NULL}, *const type[2] = {"target_type", "dtype"},
                           *const mode[2] = {"mode", NULL};
  const AttrValue *t = scalar_arg(b, w, 1, type), *m = scalar_arg(b, w, 2, mode);
  Expr *x = scalar_value(b, scalar_arg(b, w, 0, input), w->span);
  if (!x) return NULL;
  if (!t || t->kind != ATTR_DTYPE)
    return build_error(b, w->span, "pl.cast() needs the element type to convert to");
  bool rounds = !m || (m->kind == ATTR_STR && strcmp(m->u.str, "round") == 0) ||
                (m->kind == ATTR_INT && m->u.i == 2);
  if (!rounds)
    return build_error(b, w->span,
                       "a scalar is always rounded to the nearest: pl.cast() of one takes no mode");
  return expr_cast(b->ir, x, t->u.dtype, w->span);
}

static Expr *build_scalar_form(Builder *b, Name name, const Written *w) {
  static const char *const lhs[2] = {"lhs", NULL}, *const rhs[2] = {"rhs", NULL};
  if (w->scalar_form == EXPR_CAST) return build_scalar_cast(b, w);
  if (w->npos + w->kw.len != 2)
    return build_error(b, w->span, "pl.%s() of scalars takes two operands, not %d", name,
                       w->npos + w->kw.len);
  Expr *l = scalar_value(b, scalar_arg(b, w, 0, lhs), w->span);
  Expr *r = l ? scalar_value(b, scalar_arg(b, w, 1, rhs), w->span) : NULL;
  return r ? build_binary(b, w->scalar_form, l, r, w->span) : NULL;
}

static const char *similar_short(Builder *b, const char *name) {
  VEC(const char *) names = {0};
  for (MapEntry *e = NULL; (e = map_next(&b->ir->short_names, e));)
    if (!strchr(e->key, '.')) vec_push(&names, e->key);
  const char *near = diag_suggest(name, names.data, names.len);
  vec_free(&names);
  return near;
}

/* An operator whose result is named by the variable it is bound to takes that name as a keyword; false after an
 * error. */
static bool take_window_name(Builder *b, const Op *op, const SynExpr *call, Written *w) {
  if (op->print != PRINT_NO_NAME) return true;
  if (!b->window_name) {
    build_error(b, call->at, "a window buffer is assigned to a variable, which names it");
    return false;
  }
  w->kw.items[w->kw.len++] =
      (Attr){.key = b->n.name, .value = attr_of_str(b->window_name), .span = call->at};
  return true;
}

static Expr *build_short_name(Builder *b, Name name, const SynExpr *call) {
  WrittenCall c;
  Written *w = &c.w;
  bool known, pld = strncmp(name, "pld.", 4) == 0;
  if (!map_has(&b->ir->short_names, name)) {
    const char *near = pld ? NULL : similar_short(b, name);
    return build_error(b, call->at, "there is no operator '%s%s'%s%s%s", pld ? "" : "pl.", name,
                       near ? ": did you mean 'pl." : "", near ? near : "", near ? "'?" : "");
  }
  if (!read_written(b, call, &c)) return NULL;
  const Op *op = op_resolve_short(b->ir, name, w, &known);
  if (op) return take_window_name(b, op, call, w) ? bind_op(b, op, call, w) : NULL;
  return w->scalar_form ? build_scalar_form(b, name, w) : NULL;
}

Expr *build_augmented(Builder *b, const SynExpr *e) {
  Expr *l = build_expr(b, e->lhs);
  if (!l || !type_is_shaped(l->type)) return l ? build_expr(b, e) : NULL;
  const char *name = e->op == SYN_OP_ADD   ? "add"
                     : e->op == SYN_OP_SUB ? "sub"
                     : e->op == SYN_OP_MUL ? "mul"
                     : e->op == SYN_OP_DIV ? "div"
                                           : NULL;
  if (!name)
    return build_error(b, e->at,
                       "tensors and tiles have no such augmented assignment: use an operator");
  SynExpr *args[2] = {e->lhs, e->rhs};
  SynExpr call = {
      .kind = SYN_CALL, .at = e->at, .end_line = e->end_line, .items = args, .nitems = 2};
  return build_short_name(b, ir_name(b->ir, name), &call);
}

/* ---------------------------------------------------------------- special operators */

/* pl.const(value, dtype) */
static Expr *build_typed_const(Builder *b, const SynExpr *call) {
  if (call->nitems != 2 || call->nkwargs)
    return build_error(b, call->at,
                       "pl.const() takes a number and its type: pl.const(42, pl.INT32)");
  const SynExpr *e = call->items[0];
  const SynExpr *literal = e->kind == SYN_UNARY && e->op == SYN_OP_NEG ? e->lhs : e;
  AttrValue v, t;
  if (literal->kind != SYN_INT && literal->kind != SYN_FLOAT && literal->kind != SYN_TRUE &&
      literal->kind != SYN_FALSE)
    return build_error(b, e->at, "the value of pl.const() must be a number written in place");
  if (eval_expr(b, e, &v) != EVAL_OK) return NULL;
  EvalResult r = eval_expr(b, call->items[1], &t);
  if (r == EVAL_ERROR) return NULL;
  if (r != EVAL_OK || t.kind != ATTR_DTYPE)
    return build_error(b, call->items[1]->at, "'%s' is no element type",
                       syn_text(b->ir->arena, call->items[1]));
  if (v.kind == ATTR_FLOAT) return expr_float(b->ir, v.u.f, t.u.dtype, call->at);
  return expr_int(b->ir, v.kind == ATTR_BOOL ? v.u.b : v.u.i, t.u.dtype, call->at);
}

/* pl.tile.alloc(pl.Mem.Vec, 1024[, pinned=True]): as passes print it. */
static Expr *build_alloc_call(Builder *b, OpId id, const SynExpr *call) {
  AttrList kwargs = {0};
  Expr *args[2];
  if (call->nitems != 2) return build_error(b, call->at, "alloc takes a memory space and a size");
  for (int i = 0; i < 2; i++)
    if (!(args[i] = build_expr(b, call->items[i]))) return NULL;
  for (size_t i = 0; i < call->nkwargs; i++) {
    bool yes;
    if (call->kwargs[i].name != b->n.pinned)
      return build_error(b, call->kwargs[i].at, "alloc has no argument '%s'",
                         call->kwargs[i].name ? call->kwargs[i].name : "**");
    if (!eval_bool_literal(b, call->kwargs[i].value, "pinned", &yes)) return NULL;
    attrs_set(b, &kwargs, b->n.pinned, attr_of_bool(yes), call->kwargs[i].at);
  }
  return build_op(b, id, args, 2, kwargs, call->at);
}

/* pl.system.task_dummy(deps=[...]): a task that only waits. */
static Expr *build_task_dummy(Builder *b, const SynExpr *call) {
  const SynKeyword *k = syn_keyword(call, b->n.deps);
  AttrList attrs = {0}, extra = {0};
  Expr **deps;
  int n;
  if (call->nitems || !k)
    return build_error(b, call->at, "pl.system.task_dummy() takes deps=[...] and nothing else");
  for (size_t i = 0; i < call->nkwargs; i++)
    if (call->kwargs[i].name != b->n.deps && call->kwargs[i].name != b->n.attrs)
      return build_error(b, call->kwargs[i].at,
                         "pl.system.task_dummy() takes deps=[...] and nothing else");
  if (!build_deps(b, "pl.system.task_dummy()", k, call->at, &deps, &n)) return NULL;
  Expr *e = build_op(b, OP_SYSTEM_TASK_DUMMY, NULL, 0, (AttrList){0}, call->at);
  if (!e || !op_attrs(b, call, &extra)) return NULL;
  attrs_set(b, &attrs, b->n.dummy_task, attr_of_bool(true), call->at);
  if (n) {
    AttrValue *items = NEW_ARRAY(b->ir->arena, AttrValue, n);
    for (int i = 0; i < n; i++) items[i] = attr_of_expr(deps[i]);
    attrs_set(b, &attrs, b->n.manual_dep_edges, attr_of_list(items, n), k->at);
  }
  for (int i = 0; i < extra.len; i++)
    attrs_set(b, &attrs, extra.items[i].key, extra.items[i].value, extra.items[i].span);
  return with_attrs(e, attrs);
}

/* An integer literal, also a negative one, or a module constant. */
static bool static_axis(Builder *b, const SynExpr *e, int64_t *out) {
  AttrValue v;
  if (e->kind != SYN_INT && e->kind != SYN_UNARY && e->kind != SYN_NAME) return false;
  if (eval_expr(b, e, &v) != EVAL_OK || v.kind != ATTR_INT) return false;
  *out = v.u.i;
  return true;
}

/* In orchestration, pl.tensor.dim(x, i) is the dynamic dimension that x's type names there, where the
 * signature declares it.  NULL: it is an operator call as others are. */
static Expr *fold_dim(Builder *b, const SynExpr *call) {
  const SynKeyword *kt = syn_keyword(call, b->n.tensor), *ka = syn_keyword(call, b->n.axis);
  if (b->verbatim || b->f->type != FUNC_ORCHESTRATION || call->nitems + call->nkwargs != 2)
    return NULL;
  if ((kt != NULL) + (ka != NULL) != (int)call->nkwargs) return NULL;
  const SynExpr *tensor = kt ? kt->value : call->items[0];
  const SynExpr *axis_expr = ka ? ka->value : call->items[kt ? 0 : 1];
  int64_t axis;
  if (tensor->kind != SYN_NAME || !static_axis(b, axis_expr, &axis)) return NULL;
  Expr *var = scope_lookup(b, tensor->name);
  if (!var || !type_is_tensor(var->type)) return NULL;
  if (axis < 0) axis += var->type->rank;
  if (axis < 0 || axis >= var->type->rank) return NULL;
  Expr *extent = var->type->shape[axis];
  return expr_is_var(extent) && map_has(&b->f->dim_symbols, extent) ? extent : NULL;
}

static bool read_int_keyword(Builder *b, const SynKeyword *k, int64_t *out) {
  if (k->value->kind == SYN_INT && !k->value->big) {
    *out = k->value->integer;
    return true;
  }
  build_error(b, k->value->at, "%s must be an integer literal", k->name);
  return false;
}

/* pl.aiv_shard(x), pl.aic_gather(x): in a pl.split_aiv region with its mode, or, lowered, with split=N. */
static Expr *build_split_transfer(Builder *b, Name name, const SynExpr *call) {
  const SynKeyword *split = syn_keyword(call, b->n.split),
                   *stride = syn_keyword(call, b->n.lane_stride);
  bool region = b->f->split_modes.len > 0, shard = name == b->n.aiv_shard;
  AttrList kwargs = {0};
  int64_t value;
  for (size_t i = 0; i < call->nkwargs; i++)
    if (call->kwargs[i].name != b->n.split && call->kwargs[i].name != b->n.lane_stride)
      return build_error(b, call->kwargs[i].at,
                         "pl.%s() has no argument '%s': the mode is that of the "
                         "pl.split_aiv() around it",
                         name, call->kwargs[i].name ? call->kwargs[i].name : "**");
  if (call->nitems != 1) return build_error(b, call->at, "pl.%s() takes one tile or tensor", name);
  Expr *x = build_expr(b, call->items[0]);
  if (!x) return NULL;
  if (x->type->kind == TYPE_DIST_TENSOR)
    return build_error(b, call->at, "pl.%s() does not take distributed tensors", name);
  bool tensor = x->type->kind == TYPE_TENSOR;
  if (region && (split || stride))
    return build_error(b, call->at,
                       "in a pl.split_aiv() region, pl.%s() has the region's mode: no '%s'", name,
                       split ? "split" : "lane_stride");
  if (!region && !split)
    return build_error(b, call->at, "pl.%s() stands in a 'for ... in pl.split_aiv(...)' region",
                       name);
  if (split && tensor)
    return build_error(b, call->at, "pl.%s() of a tensor stands in a pl.split_aiv() region", name);
  if (!shard && stride) return build_error(b, stride->at, "pl.aic_gather() has no lane_stride");
  value = region ? vec_last(&b->f->split_modes) : 0;
  if (split && !read_int_keyword(b, split, &value)) return NULL;
  attrs_set(b, &kwargs, b->n.split, attr_of_int(value), call->at);
  if (stride) {
    if (!read_int_keyword(b, stride, &value)) return NULL;
    attrs_set(b, &kwargs, b->n.lane_stride, attr_of_int(value), call->at);
  }
  OpId id = shard ? (tensor ? OP_TENSOR_AIV_SHARD : OP_TILE_AIV_SHARD)
                  : (tensor ? OP_TENSOR_AIC_GATHER : OP_TILE_AIC_GATHER);
  return build_op(b, id, &x, 1, kwargs, call->at);
}

/* ---------------------------------------------------------------- distributed operators */

static Expr *build_pld(Builder *b, const Name *path, size_t n, const SynExpr *call) {
  Name leaf = path[n - 1];
  if (leaf == b->n.world_size &&
      (b->f->level != LEVEL_HOST || in_scope_kind(b, SCOPE_INCORE) || in_scope_kind(b, SCOPE_SPMD)))
    return build_error(b, call->at,
                       "pld.system.world_size() is known only in a function of level HOST, "
                       "outside of InCore and SPMD scopes");
  if (n == 2) return build_short_name(b, name_printf(&b->ir->names, "pld.%s", leaf), call);
  if (path[1] != b->n.system && path[1] != b->n.tensor && path[1] != b->n.tile)
    return build_error(b, call->at,
                       "distributed operators are pld.system, pld.tensor and pld.tile, not pld.%s",
                       path[1]);
  WrittenCall c;
  Written *w = &c.w;
  const Op *op = find_op(b, arena_printf(b->ir->arena, "pld.%s", path[1]), leaf, call->at);
  if (!op || !read_written(b, call, &c)) return NULL;
  return take_window_name(b, op, call, w) ? bind_op(b, op, call, w) : NULL;
}

/* ---------------------------------------------------------------- all calls */

static bool is_family(Builder *b, Name name) {
  return name == b->n.tensor || name == b->n.tile || name == b->n.system || name == b->n.array ||
         name == b->n.prefetch;
}

static Expr *build_family_op(Builder *b, const Name *path, const SynExpr *call) {
  Name family = path[1], leaf = path[2];
  if (leaf == b->n.alloc && family == b->n.tile) return build_alloc_call(b, OP_TILE_ALLOC, call);
  if (leaf == b->n.alloc && family == b->n.tensor)
    return build_alloc_call(b, OP_TENSOR_ALLOC, call);
  if (leaf == b->n.task_dummy && family == b->n.system) return build_task_dummy(b, call);
  if (leaf == b->n.dim && family == b->n.tensor) {
    Expr *extent = fold_dim(b, call);
    if (extent) return extent;
  }
  return build_full_name(b, family, leaf, call);
}

static Expr *build_pl(Builder *b, const Name *path, size_t n, const SynExpr *call) {
  Name leaf = path[n - 1];
  if ((leaf == b->n.aiv_shard || leaf == b->n.aic_gather) &&
      (n == 2 || (n == 3 && (path[1] == b->n.tile || path[1] == b->n.tensor))))
    return build_split_transfer(b, leaf, call);
  if (n == 3 && is_family(b, path[1])) return build_family_op(b, path, call);
  if (n == 4 && path[1] == b->n.builtin) /* made by the compiler, read back from its own output */
    return build_full_name(b, name_printf(&b->ir->names, "builtin.%s", path[2]), leaf, call);
  if (n == 3 && leaf == b->n.get_byte) {
    DType t = dtype_by_name(path[1]);
    if (t != DT_NONE) return expr_int(b->ir, dtype_get_byte(t), DT_INDEX, call->at);
    return build_error(b, call->at, "'pl.%s' is no element type", path[1]);
  }
  if (n == 2 && leaf == b->n.const_) return build_typed_const(b, call);
  if (n == 2) return build_short_name(b, leaf, call);
  return build_error(b, call->at, "there is no operator '%s'", syn_text(b->ir->arena, call->lhs));
}

/* abs(x), min(a, b), max(a, b) on scalars. */
static Expr *build_builtin(Builder *b, const SynExpr *call) {
  Name f = call->lhs->name;
  size_t want = f == b->n.abs ? 1 : 2;
  Expr *v[2] = {0};
  if (call->nitems != want || call->nkwargs)
    return build_error(b, call->at, "%s() takes %zu operand%s", f, want, want == 1 ? "" : "s");
  for (size_t i = 0; i < want; i++)
    if (!(v[i] = build_expr(b, call->items[i]))) return NULL;
  if (f != b->n.abs)
    return build_binary(b, f == b->n.min ? EXPR_MIN : EXPR_MAX, v[0], v[1], call->at);
  if (v[0]->type->kind != TYPE_SCALAR)
    return build_error(b, call->at, "abs() takes a scalar: write pl.abs(x)");
  return expr_unary(b->ir, EXPR_ABS, v[0], v[0]->type->dtype, call->at);
}

static Expr *build_named_call(Builder *b, const SynExpr *call) {
  Name f = call->lhs->name;
  const Const *c = const_lookup(b, f);
  AttrValue v;
  if (b->jit && map_has(&b->methods, f)) return build_jit_call(b, call);
  if (c && c->kind == CONST_FUNC) return build_external_call(b, call, c->func);
  EvalResult r = eval_expr(b, call, &v);
  if (r != EVAL_UNKNOWN) return r == EVAL_OK ? value_to_expr(b, &v, call->at) : NULL;
  if (!c && (f == b->n.abs || f == b->n.min || f == b->n.max)) return build_builtin(b, call);
  if (map_has(&b->methods, f))
    return build_error(b, call->at, "'%s' is a function of the program: call it as 'self.%s(...)'",
                       f, f);
  return build_error(b, call->at, "'%s' is no function that a kernel can call", f);
}

Expr *build_call(Builder *b, const SynExpr *e) {
  Name path[MAX_PATH];
  if (e->lhs->kind == SYN_NAME) return build_named_call(b, e);
  if (e->lhs->kind == SYN_ATTR && e->lhs->name == b->n.yield_)
    return build_error(b, e->at, "pl.yield_() is a statement: assign it, 'x = pl.yield_(...)'");
  if (syn_is_call_of(e, b->n.pl, b->n.submit) || syn_is_call_of(e, b->n.pl, b->n.spmd_submit))
    return build_error(b, e->at, "pl.%s() is assigned: 'out, tid = pl.%s(self.kernel, ...)'",
                       e->lhs->name, e->lhs->name);
  size_t n = syn_path(e->lhs, path, MAX_PATH);
  if (n == 2 && path[0] == b->n.self) {
    KernelCall k = {.call = e, .kernel = e->lhs, .args = e->items, .nargs = e->nitems};
    return build_kernel_call(b, &k);
  }
  if (n >= 2 && n <= 3 && path[0] == b->n.pld) return build_pld(b, path, n, e);
  if (n >= 2 && path[0] == b->n.pl) return build_pl(b, path, n, e);
  AttrValue v;
  EvalResult r = eval_expr(b, e, &v);
  if (r != EVAL_UNKNOWN) return r == EVAL_OK ? value_to_expr(b, &v, e->at) : NULL;
  return build_error(b, e->at, "'%s' is nothing that a kernel can call",
                     syn_text(b->ir->arena, e->lhs));
}
