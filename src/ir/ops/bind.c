/* bind.c -- matching the values of a written call to parameters, and making operands and keywords.
 */
#include "ir/ops/bind.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ops/convert.h"
#include "ir/view.h"

/* ---------------------------------------------------------------- kinds */

static const struct {
  const char *word, *wants;
} kinds[] = {
#define KIND(id, word, wants) [KIND_##id] = {word, wants},
#include "ir/ops/kinds.def"
#undef KIND
};

ParamKind param_kind(const char *word) {
  ParamKind k = 0;
  while (k < KIND_COUNT && strcmp(kinds[k].word, word) != 0) k++;
  return k;
}

const char *param_wants(ParamKind k) { return kinds[k].wants; }

/* ---------------------------------------------------------------- matching */

static int operand_index(const Op *op, Name name) {
  for (int i = 0; i < op->nargs; i++)
    if (op->arg_params[i].name == name) return i;
  return -1;
}

/* Operands, then keywords: those lie behind the operands. */
static OpParam *printed_params(const Op *op, int *n) {
  *n = op->nargs + op->nkwargs;
  return op->arg_params;
}

/* The parameters in the order they are written: the row's own list, if it has one. */
static OpParam *written_params(const Op *op, int *n) {
  if (!op->nwritten) return printed_params(op, n);
  *n = op->nwritten;
  return op->written_params;
}

static bool is_star(const OpParam *p) { return p->name[0] == '*' && !p->name[1]; }

/* Does the call read as the printer writes it: operands by position, every keyword by name?  Where
 * people write keywords between the operands, that shows by a keyword whose place is taken. */
static bool reads_as_printed(const Written *w, const OpParam *params, int n) {
  for (int i = 0; i < n && i < w->npos && !is_star(&params[i]); i++)
    for (int k = 0; k < w->kw.len; k++)
      if (w->kw.items[k].key == params[i].name && operand_index(w->op, params[i].name) < 0)
        return true;
  return false;
}

/* The name a person wrote, for messages. */
static const char *written_name(const Written *w) {
  return w->short_name ? w->short_name : w->op->name;
}

static bool too_many(const Written *w, int most) {
  diag_error(w->ir->diag, w->span, "%s: takes %d values by position, not %d", written_name(w), most,
             w->npos);
  return false;
}

/* None by position is as good as left out, for what may be left out; elsewhere it is "no task".
 * A short name says nothing of what may be, and takes no tasks. */
static bool says_none(const Binding *b, const OpParam *p, const AttrValue *v) {
  if (v->kind == ATTR_NONE) return true;
  if (v->kind != ATTR_EXPR || !expr_is_op(v->u.expr, OP_SYSTEM_TASK_INVALID)) return false;
  return p->optional || b->w->short_name;
}

/* Values by position, up to the keyword-only parameters; a variadic one takes all that follow. */
static bool match_positions(Binding *b, const OpParam *params, int n) {
  const Written *w = b->w;
  int at = 0, i = 0;
  for (; i < n && at < w->npos && !is_star(&params[i]); i++) {
    if (params[i].variadic) {
      AttrValue rest = attr_of_list(&w->pos[at], w->npos - at);
      b->args[i].value = rest;
      b->args[i].given = true;
      return true;
    }
    b->args[i].value = w->pos[at++];
    b->args[i].given = !says_none(b, &params[i], &b->args[i].value);
    if (!b->args[i].given) b->args[i].value.kind = ATTR_NONE;
  }
  if (at == w->npos) return true;
  int most = 0;
  while (most < n && !is_star(&params[most])) most++;
  return too_many(w, most);
}

static bool unknown_keyword(Binding *b, const Attr *kw) {
  const Written *w = b->w;
  const char **names = NEW_ARRAY(w->ir->arena, const char *, b->n + 1);
  for (int i = 0; i < b->n; i++) names[i] = b->args[i].name;
  const char *close = diag_suggest(kw->key, names, (size_t)b->n);
  Span at = kw->span.line ? kw->span : w->span;
  diag_error(w->ir->diag, at, "%s: has no argument '%s'", written_name(w), kw->key);
  if (close) diag_note(w->ir->diag, at, "did you mean '%s'?", close);
  return false;
}

static bool match_keyword(Binding *b, const OpParam *params, int n, const Attr *kw, int npos) {
  const Written *w = b->w;
  int i = 0;
  while (i < n && (is_star(&params[i]) || params[i].name != kw->key)) i++;
  if (i == n) return unknown_keyword(b, kw);
  if (i < npos || b->args[i].keyword) {
    diag_error(w->ir->diag, kw->span.line ? kw->span : w->span, "%s: '%s' is given twice",
               written_name(w), kw->key);
    return false;
  }
  b->args[i].value = kw->value;
  b->args[i].given = kw->value.kind != ATTR_NONE;
  b->args[i].keyword = true;
  return true;
}

static bool match_params(Binding *b, const OpParam *params, int n) {
  const Written *w = b->w;
  b->args = n <= FEW_ARGS ? b->few : NEW_ARRAY(w->ir->arena, BoundArg, n);
  b->n = n;
  for (int i = 0; i < n; i++) b->args[i].name = params[i].name;
  if (!match_positions(b, params, n)) return false;
  for (int i = 0; i < w->kw.len; i++)
    if (!match_keyword(b, params, n, &w->kw.items[i], w->npos)) return false;
  return true;
}

/* Gives the parameters of a short name the names that the operator has for them: the same name,
 * else the one at the same place, unless it is a parameter of the other level only. */
static void rename_short(Binding *b, const Op *op) {
  int n;
  OpParam *own = written_params(op, &n);
  for (int i = 0; i < b->n; i++) {
    bool same = false;
    for (int k = 0; k < n && !same; k++) same = own[k].name == b->args[i].name;
    if (same || i >= n || is_star(&own[i]) ||
        short_remedy(b->w->ir, b->w->short_name, b->args[i].name))
      continue;
    bool taken = false; /* by another parameter of the short name */
    for (int k = 0; k < b->n && !taken; k++) taken = b->args[k].name == own[i].name;
    if (!taken) b->args[i].name = own[i].name;
  }
}

bool bind_match(Written *w, OpCall *c, Binding *b) {
  *c = (OpCall){.ir = w->ir, .op = w->op, .span = w->span};
  memset(b, 0, sizeof *b);
  b->w = w;
  b->call = c;
  int n;
  if (w->short_name) {
    const OpParam *params = short_params(w->ir, w->short_name, &n);
    if (!match_params(b, params, n)) return false;
    rename_short(b, w->op);
    return true;
  }
  OpParam *params = written_params(w->op, &n);
  if (w->op->nargs && reads_as_printed(w, params, n)) params = printed_params(w->op, &n);
  return match_params(b, params, n);
}

BoundArg *bind_arg(Binding *b, const char *name) {
  for (int i = 0; i < b->n; i++)
    if (strcmp(b->args[i].name, name) == 0) return &b->args[i];
  return NEW(b->w->ir->arena, BoundArg);
}

bool bound_int(const BoundArg *a, int64_t *out) {
  return a->given && value_const_int(&a->value, out);
}

Expr *bound_expr(const BoundArg *a) {
  return a->given && a->value.kind == ATTR_EXPR ? a->value.u.expr : NULL;
}

/* ---------------------------------------------------------------- keywords */

/* The default of a keyword as its value; rows are right, so this does not fail. */
static AttrValue default_value(OpCall *c, const OpParam *p) {
  AttrValue text = value_of_text(c->ir, p->dflt), v = {0};
  if (!convert_keyword(c, p, &text, &v))
    diag_internal(c->ir->diag, "operator row %s: default '%s' of '%s'", c->op->name, p->dflt,
                  p->name);
  return v;
}

static bool bind_keywords(Binding *b, const Op *op) {
  OpCall *c = b->call;
  if (!op->nkwargs) return true;
  Attr *items = NEW_ARRAY(c->ir->arena, Attr, op->nkwargs);
  int n = 0;
  for (int i = 0; i < op->nkwargs; i++) {
    const OpParam *p = &op->kwarg_params[i];
    BoundArg *a = bind_arg(b, p->name);
    a->used = true;
    AttrValue v = {0};
    if (a->given) {
      if (!convert_written(c, p, &a->value, &v)) return false;
      if (p->elide) {
        AttrValue d = default_value(c, p);
        if (attr_equal(&v, &d)) continue;
      }
    } else if (p->dflt && !p->elide) {
      v = default_value(c, p);
    } else if (p->optional) {
      continue;
    } else {
      op_error(c, "'%s' is missing: %s", p->name, param_wants(p->code));
      return false;
    }
    items[n++] = (Attr){.key = p->name, .value = v, .span = a->value.span};
  }
  c->kwargs = (AttrList){items, n};
  return true;
}

/* ---------------------------------------------------------------- operands */

typedef VEC(Expr *) ExprList;

/* Is a later operand there?  Empty axes are as if not given. */
static bool later_given(Binding *b, const Op *op, int i) {
  while (++i < op->nargs) {
    const OpParam *p = &op->arg_params[i];
    const BoundArg *a = bind_arg(b, p->name);
    bool empty = p->code == KIND_AXES && a->value.kind == ATTR_LIST && a->value.u.list.len == 0;
    if (a->given && !empty) return true;
  }
  return false;
}

/* What stands for an operand that is not given: `*e` stays NULL if nothing does. */
static bool missing_operand(Binding *b, const Op *op, int i, Expr **made, Expr **e) {
  OpCall *c = b->call;
  const OpParam *p = &op->arg_params[i];
  if (!p->optional && !p->variadic) {
    op_error(c, "'%s' is missing: %s", p->name, param_wants(p->code));
    return false;
  }
  if (!p->dflt) return true;
  int from = operand_index(op, p->dflt);
  if (from >= 0) {
    *e = made[from];
    return true;
  }
  if (p->dflt[0] == '[') {
    if (later_given(b, op, i)) *e = expr_tuple(c->ir, NULL, 0, c->span);
    return true;
  }
  AttrValue text = value_of_text(c->ir, p->dflt);
  return convert_operand(c, p, &text, true, e);
}

static bool bind_variadic(Binding *b, const OpParam *p, const BoundArg *a, ExprList *out) {
  for (int i = 0; a->given && i < a->value.u.list.len; i++) {
    Expr *e = NULL;
    if (!convert_operand(b->call, p, &a->value.u.list.items[i], false, &e)) return false;
    vec_push(out, e);
  }
  return true;
}

static bool bind_operands(Binding *b, const Op *op, ExprList *out) {
  OpCall *c = b->call;
  Expr **made = NEW_ARRAY(c->ir->arena, Expr *, op->nargs + 1); /* by place in the row */
  for (int i = 0; i < op->nargs; i++) {
    const OpParam *p = &op->arg_params[i];
    BoundArg *a = bind_arg(b, p->name);
    a->used = true;
    if (p->variadic) {
      if (!bind_variadic(b, p, a, out)) return false;
      continue;
    }
    c->args = made; /* operand 0, for the kinds that look at it */
    c->nargs = i;
    bool ok = a->given ? convert_operand(c, p, &a->value, a->keyword, &made[i])
                       : missing_operand(b, op, i, made, &made[i]);
    if (!ok) return false;
    if (made[i]) vec_push(out, made[i]);
  }
  return true;
}

/* Nothing that was said may be lost: what the operator has no parameter for must be False or None.
 */
static bool want_all_used(Binding *b) {
  const Written *w = b->w;
  for (int i = 0; i < b->n; i++) {
    BoundArg *a = &b->args[i];
    bool says_no =
        (a->value.kind == ATTR_BOOL && !a->value.u.b) ||
        (a->value.kind == ATTR_ENUM && a->value.u.i == 0) ||
        (a->value.kind == ATTR_EXPR && a->value.u.expr->kind == EXPR_BOOL && !a->value.u.expr->u.b);
    bool later = a->value.kind == ATTR_DTYPE && w->short_name; /* see want_dtype */
    if (!a->given || a->used || says_no || later) continue;
    const char *remedy = w->short_name ? short_remedy(w->ir, w->short_name, a->name) : NULL;
    diag_error(w->ir->diag, w->span, "%s: '%s' does not go with these operands (%s)",
               written_name(w), a->name, b->call->op->name);
    if (remedy) diag_note(w->ir->diag, w->span, "%s", remedy);
    return false;
  }
  return true;
}

bool bind_finish(Binding *b, const Op *op) {
  OpCall *c = b->call;
  c->op = op;
  if (!bind_keywords(b, op)) return false;
  ExprList args = {0};
  bool ok = bind_operands(b, op, &args);
  c->nargs = (int)args.len;
  c->args = vec_to_arena(&args, c->ir->arena);
  return ok && want_all_used(b);
}

/* ---------------------------------------------------------------- the whole call */

/* Is the second value a number or a scalar?  Then `add` means `adds`. */
static bool second_is_scalar(const Binding *b) {
  if (b->n < 2 || !b->args[1].given) return false;
  const AttrValue *v = &b->args[1].value;
  if (v->kind == ATTR_INT || v->kind == ATTR_FLOAT) return true;
  return v->kind == ATTR_EXPR && type_is_scalar(v->u.expr->type);
}

/* An element type that a short name took but the operator does not: it must be the result's anyway.
 */
static bool want_dtype(const Binding *b, const Type *result) {
  const Written *w = b->w;
  for (int i = 0; i < b->n; i++) {
    const BoundArg *a = &b->args[i];
    if (!a->given || a->used || a->value.kind != ATTR_DTYPE || a->value.u.dtype == result->dtype)
      continue;
    const char *remedy = short_remedy(w->ir, w->short_name, a->name);
    diag_error(w->ir->diag, w->span, "%s: '%s' cannot be %s, the result has %s", w->short_name,
               a->name, dtype_name(a->value.u.dtype), dtype_name(result->dtype));
    if (remedy) diag_note(w->ir->diag, w->span, "%s", remedy);
    return false;
  }
  return true;
}

Expr *op_bind(Written *w) {
  OpCall c = {0};
  Binding b = {0};
  if (w->op->bind) {
    if (!w->op->bind(w, &c)) return NULL;
  } else {
    if (!bind_match(w, &c, &b)) return NULL;
    const Op *op = w->op;
    if (op->scalar_form && second_is_scalar(&b)) op = op_get(w->ir, op->scalar_form);
    if (!bind_finish(&b, op)) return NULL;
  }
  Expr *call = op_call(w->ir, c.op, c.args, c.nargs, c.kwargs, w->span);
  if (call && w->result) call->type = w->result;
  return call && want_dtype(&b, call->type) ? call : NULL;
}

Expr *op_call_id(Ir *ir, OpId id, Expr *const *args, int nargs, AttrList kwargs, Span span) {
  const Op *op = op_get(ir, id);
  OpCall c = {.ir = ir, .op = op, .span = span};
  Attr *items = NEW_ARRAY(ir->arena, Attr, op->nkwargs + kwargs.len + 1);
  int n = 0;
  for (int i = 0; i < op->nkwargs; i++) {
    const OpParam *p = &op->kwarg_params[i];
    const AttrValue *v = attr_get(kwargs, p->name);
    if (v)
      items[n++] = (Attr){.key = p->name, .value = *v};
    else if (p->dflt && !p->elide)
      items[n++] = (Attr){.key = p->name, .value = default_value(&c, p)};
  }
  for (int i = 0; i < kwargs.len; i++) /* what the row does not know stays, at the end */
    if (!attr_get((AttrList){items, n}, kwargs.items[i].key)) items[n++] = kwargs.items[i];
  return op_call(ir, op, args, nargs, (AttrList){items, n}, span);
}

/* ---------------------------------------------------------------- operands against the row */

static bool is_integer(const Type *t) { return type_is_scalar(t) && dtype_is_int(t->dtype); }

static bool type_fits(const Type *t, ParamKind k) {
  switch (k) {
    case KIND_TILE: return t->kind == TYPE_TILE;
    case KIND_TENSOR: return type_is_tensor(t);
    case KIND_PLAIN: return t->kind == TYPE_TENSOR;
    case KIND_WINDOW: return t->kind == TYPE_DIST_TENSOR;
    case KIND_BUFFER: return t->kind == TYPE_BUFFER;
    case KIND_ARRAY: return t->kind == TYPE_ARRAY;
    case KIND_PTR: return t->kind == TYPE_PTR;
    case KIND_COMM_CTX: return t->kind == TYPE_COMM_CTX;
    case KIND_PREFETCH_CTX: return t->kind == TYPE_PREFETCH_CTX;
    case KIND_EVENT: return t->kind == TYPE_ASYNC_EVENT;
    case KIND_SESSION: return t->kind == TYPE_ASYNC_SESSION;
    case KIND_SCALAR:
    case KIND_SCALAR_FP32:
    case KIND_SCALAR_ELEMENT:
    case KIND_SCALAR_LIKE:
    case KIND_SCALAR_DTYPE:
    case KIND_NUMBER: return type_is_scalar(t);
    case KIND_INDEX:
    case KIND_I32:
    case KIND_SCALAR_INT32:
    case KIND_AXIS: return is_integer(t);
    case KIND_PRED: return type_is_scalar(t) && t->dtype == DT_BOOL;
    case KIND_TASK_ID: return type_is_scalar(t) && t->dtype == DT_TASK_ID;
    case KIND_TENSOR_OR_SCALAR: return type_is_tensor(t) || type_is_scalar(t);
    case KIND_LIST:
    case KIND_LIST1:
    case KIND_AXES: return t->kind == TYPE_TUPLE;
    default: return true;
  }
}

/* Rules look at shape and valid shape side by side. */
static bool valid_shape_fits(OpCall *c, int i) {
  const Type *t = c->args[i]->type;
  if (!type_is_tile(t) && !type_is_tensor(t)) return true;
  int n;
  type_valid_shape(t, &n);
  if (n == t->rank) return true;
  op_error(c, "operand %d has a valid shape of %d dimensions, its shape has %d", i + 1, n, t->rank);
  return false;
}

bool op_check_operands(OpCall *c) {
  const Op *op = c->op;
  int least = 0, most = op->nargs;
  for (int i = 0; i < op->nargs; i++) {
    const OpParam *p = &op->arg_params[i];
    if (p->variadic) most = INT_MAX;
    if (!p->variadic && (!p->optional || (p->dflt && p->dflt[0] != '['))) least = i + 1;
  }
  if (c->nargs < least || c->nargs > most) {
    if (least == most)
      op_error(c, "takes %d operands, not %d", least, c->nargs);
    else
      op_error(c, "takes %d to %d operands, not %d", least, most, c->nargs);
    return false;
  }
  /* Where optional operands are left out in the middle, places and parameters part ways: only the
   * operands before the first optional one are known by their place. */
  for (int i = 0; i < c->nargs && i < op->nargs; i++) {
    const OpParam *p = &op->arg_params[i];
    bool certain = !p->optional || c->nargs == op->nargs || p->dflt;
    if (!certain) break;
    if (type_fits(c->args[i]->type, p->code)) continue;
    op_error(c, "'%s' must be %s, not %s", p->name, param_wants(p->code),
             type_str_short(c->ir, c->args[i]->type));
    return false;
  }
  for (int i = 0; i < c->nargs; i++)
    if (!valid_shape_fits(c, i)) return false;
  return true;
}

/* ---------------------------------------------------------------- operands by name */

Expr *op_operand_at(const Expr *call, OpId id, int i) {
  assert(expr_is_op(call, id));
  return i < call->u.call.nargs ? call->u.call.args[i] : NULL;
}

Expr *op_operand_found(const Expr *call, OpId id, int i) {
  assert(expr_is_op(call, id));
  const Op *op = call->u.call.op;
  int missing = op->nargs - call->u.call.nargs;
  for (int p = 0, k = 0; k < call->u.call.nargs; p++) {
    const OpParam *param = &op->arg_params[p];
    bool skippable = missing > 0 && param->optional && !param->dflt;
    bool here = !skippable || type_fits(call->u.call.args[k]->type, param->code);
    if (p == i) return here ? call->u.call.args[k] : NULL;
    k += here;
    missing -= !here;
  }
  return NULL;
}
