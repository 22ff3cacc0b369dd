/* build_eval.c -- what is known before the program runs: module constants and arithmetic over them.
 *
 * Python evaluates the lines around a kernel; here only what gives constants is
 * evaluated, with Python's rules.  Everything else is EVAL_UNKNOWN and may still
 * mean something to the builder, which then reads it as IR.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parser/build.h"

enum { MAX_LIST = 1 << 20 }; /* elements that a range or comprehension may give */

/* Names that a comprehension binds, innermost first. */
typedef struct Env {
  Name name;
  const AttrValue *value;
  const struct Env *outer;
} Env;

static EvalResult eval(Builder *b, const SynExpr *e, const Env *env, AttrValue *out);

static EvalResult fail(Builder *b, Span at, const char *message) {
  diag_error(b->ir->diag, at, "%s", message);
  return EVAL_ERROR;
}

const Const *const_lookup(Builder *b, Name name) { return map_get(&b->consts, name); }

Expr *dyn_var(Builder *b, Name name, Span at) {
  void **slot = map_at(&b->dyn_vars, name);
  if (!*slot) *slot = expr_var(b->ir, name, type_scalar(b->ir, DT_INDEX), at);
  return *slot;
}

const char *value_kind_name(const AttrValue *v) {
  switch (v->kind) {
    case ATTR_NONE: return "None";
    case ATTR_BOOL: return "a bool";
    case ATTR_INT: return "an integer";
    case ATTR_FLOAT: return "a float";
    case ATTR_STR: return "a string";
    case ATTR_DTYPE: return "an element type";
    case ATTR_ENUM: return "an enumeration value";
    case ATTR_EXPR: return "an expression";
    case ATTR_LIST: return v->is_tuple ? "a tuple" : "a list";
  }
  return "a value";
}

/* ---------------------------------------------------------------- numbers */

static bool is_int(const AttrValue *v) { return v->kind == ATTR_INT || v->kind == ATTR_BOOL; }
static bool is_number(const AttrValue *v) { return is_int(v) || v->kind == ATTR_FLOAT; }
static int64_t int_of(const AttrValue *v) { return v->kind == ATTR_BOOL ? v->u.b : v->u.i; }
static double float_of(const AttrValue *v) {
  return v->kind == ATTR_FLOAT ? v->u.f : (double)int_of(v);
}

static bool truth(const AttrValue *v, bool *out) {
  switch (v->kind) {
    case ATTR_NONE: *out = false; return true;
    case ATTR_BOOL: *out = v->u.b; return true;
    case ATTR_INT: *out = v->u.i != 0; return true;
    case ATTR_FLOAT: *out = v->u.f != 0; return true;
    case ATTR_STR: *out = v->u.str[0] != '\0'; return true;
    case ATTR_LIST: *out = v->u.list.len != 0; return true;
    default: return false;
  }
}

static EvalResult overflow(Builder *b, Span at) {
  return fail(b, at, "the value of this expression does not fit in 64 bits");
}

/* Python rounds toward minus infinity. */
static int64_t floor_div(int64_t x, int64_t y) {
  int64_t q = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}

static EvalResult int_power(Builder *b, int64_t x, int64_t n, Span at, AttrValue *out) {
  int64_t v = 1;
  if (n < 0) {
    *out = attr_of_float(pow((double)x, (double)n));
    return EVAL_OK;
  }
  if (x == 0 || x == 1) n = n ? 1 : 0;
  if (x == -1) n &= 1;
  for (; n > 0; n--)
    if (__builtin_mul_overflow(v, x, &v)) return overflow(b, at);
  *out = attr_of_int(v);
  return EVAL_OK;
}

static EvalResult int_binary(Builder *b, SynOp op, int64_t x, int64_t y, Span at, AttrValue *out) {
  int64_t v = 0;
  bool over = false;
  switch (op) {
    case SYN_OP_ADD: over = __builtin_add_overflow(x, y, &v); break;
    case SYN_OP_SUB: over = __builtin_sub_overflow(x, y, &v); break;
    case SYN_OP_MUL: over = __builtin_mul_overflow(x, y, &v); break;
    case SYN_OP_DIV:
      if (y == 0) return fail(b, at, "division by zero");
      *out = attr_of_float((double)x / (double)y);
      return EVAL_OK;
    case SYN_OP_FLOORDIV:
    case SYN_OP_MOD:
      if (y == 0) return fail(b, at, "division by zero");
      if (y == -1) {
        over = op == SYN_OP_FLOORDIV && x == INT64_MIN;
        v = over || op == SYN_OP_MOD ? 0 : -x;
      } else {
        v = op == SYN_OP_FLOORDIV ? floor_div(x, y) : x - y * floor_div(x, y);
      }
      break;
    case SYN_OP_POW: return int_power(b, x, y, at, out);
    case SYN_OP_SHL:
      if (y < 0) return fail(b, at, "a shift by less than zero bits");
      over = x != 0 && (y > 62 || x > INT64_MAX >> y || x < INT64_MIN >> y);
      v = over || x == 0 ? 0 : (int64_t)((uint64_t)x << y);
      break;
    case SYN_OP_SHR:
      if (y < 0) return fail(b, at, "a shift by less than zero bits");
      v = x >> (y > 63 ? 63 : y);
      break;
    case SYN_OP_BITAND: v = x & y; break;
    case SYN_OP_BITOR: v = x | y; break;
    case SYN_OP_BITXOR: v = x ^ y; break;
    default: return EVAL_UNKNOWN;
  }
  if (over) return overflow(b, at);
  *out = attr_of_int(v);
  return EVAL_OK;
}

static EvalResult float_binary(Builder *b, SynOp op, double x, double y, Span at, AttrValue *out) {
  switch (op) {
    case SYN_OP_ADD: *out = attr_of_float(x + y); return EVAL_OK;
    case SYN_OP_SUB: *out = attr_of_float(x - y); return EVAL_OK;
    case SYN_OP_MUL: *out = attr_of_float(x * y); return EVAL_OK;
    case SYN_OP_POW: *out = attr_of_float(pow(x, y)); return EVAL_OK;
    case SYN_OP_DIV:
    case SYN_OP_FLOORDIV:
    case SYN_OP_MOD:
      if (y == 0) return fail(b, at, "division by zero");
      *out = attr_of_float(op == SYN_OP_DIV        ? x / y
                           : op == SYN_OP_FLOORDIV ? floor(x / y)
                                                   : x - y * floor(x / y));
      return EVAL_OK;
    default: return EVAL_UNKNOWN;
  }
}

/* Arithmetic over dynamic dimensions gives IR, as it is written. */
static EvalResult expr_binary_value(Builder *b, const SynExpr *e, const AttrValue *x,
                                    const AttrValue *y, AttrValue *out) {
  static const struct {
    SynOp op;
    ExprKind kind;
  } kinds[] = {{SYN_OP_ADD, EXPR_ADD},       {SYN_OP_SUB, EXPR_SUB},
               {SYN_OP_MUL, EXPR_MUL},       {SYN_OP_FLOORDIV, EXPR_FLOOR_DIV},
               {SYN_OP_MOD, EXPR_FLOOR_MOD}, {SYN_OP_DIV, EXPR_FLOAT_DIV}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (kinds[i].op != e->op) continue;
    Expr *l = value_to_expr(b, x, e->lhs->at), *r = value_to_expr(b, y, e->rhs->at);
    Expr *v = l && r ? build_binary(b, kinds[i].kind, l, r, e->at) : NULL;
    if (!v) return EVAL_ERROR;
    *out = attr_of_expr(v);
    return EVAL_OK;
  }
  return EVAL_UNKNOWN;
}

static EvalResult join_lists(Builder *b, const AttrValue *x, const AttrValue *y, AttrValue *out) {
  int n = x->u.list.len, m = y->u.list.len;
  if (n + m > MAX_LIST) return EVAL_UNKNOWN;
  AttrValue *items = NEW_ARRAY(b->ir->arena, AttrValue, n + m);
  for (int i = 0; i < n; i++) items[i] = x->u.list.items[i];
  for (int i = 0; i < m; i++) items[n + i] = y->u.list.items[i];
  *out = attr_of_list(items, n + m);
  out->is_tuple = x->is_tuple;
  return EVAL_OK;
}

static EvalResult repeat_list(Builder *b, const AttrValue *x, int64_t times, AttrValue *out) {
  int n = x->u.list.len;
  if (times < 0) times = 0;
  if (n && times > MAX_LIST / n) return EVAL_UNKNOWN;
  AttrValue *items = NEW_ARRAY(b->ir->arena, AttrValue, n * times);
  for (int i = 0; i < n * times; i++) items[i] = x->u.list.items[i % n];
  *out = attr_of_list(items, (int)(n * times));
  out->is_tuple = x->is_tuple;
  return EVAL_OK;
}

static EvalResult binary(Builder *b, const SynExpr *e, const Env *env, AttrValue *out) {
  AttrValue x, y;
  EvalResult r = eval(b, e->lhs, env, &x);
  if (r == EVAL_OK) r = eval(b, e->rhs, env, &y);
  if (r != EVAL_OK) return r;
  if (x.kind == ATTR_EXPR || y.kind == ATTR_EXPR) return expr_binary_value(b, e, &x, &y, out);
  if (is_int(&x) && is_int(&y)) return int_binary(b, e->op, int_of(&x), int_of(&y), e->at, out);
  if (is_number(&x) && is_number(&y))
    return float_binary(b, e->op, float_of(&x), float_of(&y), e->at, out);
  if (e->op == SYN_OP_ADD && x.kind == ATTR_STR && y.kind == ATTR_STR) {
    *out = attr_of_str(name_printf(&b->ir->names, "%s%s", x.u.str, y.u.str));
    return EVAL_OK;
  }
  if (e->op == SYN_OP_ADD && x.kind == ATTR_LIST && y.kind == ATTR_LIST)
    return join_lists(b, &x, &y, out);
  if (e->op == SYN_OP_MUL && x.kind == ATTR_LIST && is_int(&y))
    return repeat_list(b, &x, int_of(&y), out);
  if (e->op == SYN_OP_MUL && y.kind == ATTR_LIST && is_int(&x))
    return repeat_list(b, &y, int_of(&x), out);
  return EVAL_UNKNOWN;
}

static EvalResult unary(Builder *b, const SynExpr *e, const Env *env, AttrValue *out) {
  if (e->op == SYN_OP_NEG && e->lhs->kind == SYN_INT && e->lhs->big) {
    *out = attr_of_int(INT64_MIN);
    return EVAL_OK;
  }
  AttrValue x;
  EvalResult r = eval(b, e->lhs, env, &x);
  if (r != EVAL_OK) return r;
  bool yes;
  if (e->op == SYN_OP_NOT) {
    if (!truth(&x, &yes)) return EVAL_UNKNOWN;
    *out = attr_of_bool(!yes);
    return EVAL_OK;
  }
  if (x.kind == ATTR_FLOAT && e->op != SYN_OP_INVERT) {
    *out = attr_of_float(e->op == SYN_OP_NEG ? -x.u.f : x.u.f);
    return EVAL_OK;
  }
  if (!is_int(&x)) return EVAL_UNKNOWN;
  int64_t v = int_of(&x);
  if (e->op == SYN_OP_NEG && v == INT64_MIN) return overflow(b, e->at);
  *out = attr_of_int(e->op == SYN_OP_NEG ? -v : e->op == SYN_OP_POS ? v : ~v);
  return EVAL_OK;
}

/* Less, equal, greater: -1, 0, 1; 2 where the values have no order, 3 where they differ. */
static int order(const AttrValue *x, const AttrValue *y) {
  if (is_int(x) && is_int(y)) return (int_of(x) > int_of(y)) - (int_of(x) < int_of(y));
  if (is_number(x) && is_number(y)) {
    double a = float_of(x), c = float_of(y);
    return isnan(a) || isnan(c) ? 3 : (a > c) - (a < c);
  }
  if (x->kind == ATTR_STR && y->kind == ATTR_STR) {
    int c = strcmp(x->u.str, y->u.str);
    return (c > 0) - (c < 0);
  }
  return attr_equal(x, y) ? 0 : 2;
}

static EvalResult compare_pair(SynOp op, const AttrValue *x, const AttrValue *y, bool *out) {
  if (op == SYN_OP_IN || op == SYN_OP_NOT_IN) {
    if (y->kind != ATTR_LIST) return EVAL_UNKNOWN;
    bool found = false;
    for (int i = 0; i < y->u.list.len; i++) found = found || order(x, &y->u.list.items[i]) == 0;
    *out = found == (op == SYN_OP_IN);
    return EVAL_OK;
  }
  if (x->kind == ATTR_EXPR || y->kind == ATTR_EXPR) return EVAL_UNKNOWN;
  int c = order(x, y);
  switch (op) {
    case SYN_OP_EQ:
    case SYN_OP_IS: *out = c == 0; return EVAL_OK;
    case SYN_OP_NE:
    case SYN_OP_IS_NOT: *out = c != 0; return EVAL_OK;
    default: break;
  }
  if (c == 2) return EVAL_UNKNOWN;
  *out = op == SYN_OP_LT   ? c == -1
         : op == SYN_OP_LE ? c == -1 || c == 0
         : op == SYN_OP_GT ? c == 1
                           : c == 1 || c == 0;
  return EVAL_OK;
}

static EvalResult compare(Builder *b, const SynExpr *e, const Env *env, AttrValue *out) {
  AttrValue x, y;
  EvalResult r = eval(b, e->items[0], env, &x);
  bool yes = true;
  for (size_t i = 0; r == EVAL_OK && yes && i + 1 < e->nitems; i++) {
    r = eval(b, e->items[i + 1], env, &y);
    if (r == EVAL_OK) r = compare_pair((SynOp)e->ops[i], &x, &y, &yes);
    x = y;
  }
  if (r == EVAL_OK) *out = attr_of_bool(yes);
  return r;
}

/* `and` and `or` give one of their operands. */
static EvalResult boolean(Builder *b, const SynExpr *e, const Env *env, AttrValue *out) {
  for (size_t i = 0; i < e->nitems; i++) {
    EvalResult r = eval(b, e->items[i], env, out);
    if (r != EVAL_OK) return r;
    bool yes;
    if (!truth(out, &yes)) return EVAL_UNKNOWN;
    if (yes == (e->op == SYN_OP_OR)) return EVAL_OK;
  }
  return EVAL_OK;
}

/* ---------------------------------------------------------------- lists */

/* The values in `v`, counting those of lists within; no further than `limit`, for lists may share what they hold. */
static int64_t count_values(const AttrValue *v, int64_t limit) {
  int64_t n = 1;
  if (v->kind != ATTR_LIST) return n;
  for (int i = 0; i < v->u.list.len && n < limit; i++)
    n += count_values(&v->u.list.items[i], limit - n);
  return n;
}

static EvalResult sequence(Builder *b, const SynExpr *e, const Env *env, AttrValue *out) {
  AttrValue *items = NEW_ARRAY(b->ir->arena, AttrValue, e->nitems);
  for (size_t i = 0; i < e->nitems; i++) {
    EvalResult r = eval(b, e->items[i], env, &items[i]);
    if (r != EVAL_OK) return r;
  }
  *out = attr_of_list(items, (int)e->nitems);
  out->is_tuple = e->kind == SYN_TUPLE;
  if (count_values(out, MAX_LIST) >= MAX_LIST)
    return fail(b, e->at, "a list holds at most a million values, with those of lists within");
  return EVAL_OK;
}

typedef VEC(AttrValue) Values;

/* One `for` of a comprehension and those behind it; `*room` is how many values may still be made. */
static EvalResult comprehend(Builder *b, const SynExpr *e, size_t clause, const Env *env,
                             Values *out, int64_t *room) {
  if (clause == e->nkwargs) {
    AttrValue v;
    EvalResult r = eval(b, e->lhs, env, &v);
    if (r != EVAL_OK) return r;
    *room -= count_values(&v, *room);
    if (*room <= 0)
      return fail(b, e->at, "a list holds at most a million values, with those of lists within");
    vec_push(out, v);
    return r;
  }
  const SynClause *c = &e->clauses[clause];
  AttrValue list;
  EvalResult r = eval(b, c->iter, env, &list);
  if (r != EVAL_OK) return r;
  if (list.kind != ATTR_LIST || c->target->kind != SYN_NAME) return EVAL_UNKNOWN;
  for (int i = 0; i < list.u.list.len; i++) {
    Env inner = {c->target->name, &list.u.list.items[i], env};
    bool keep = true;
    for (size_t k = 0; keep && k < c->ntests; k++) {
      AttrValue test;
      r = eval(b, c->tests[k], &inner, &test);
      if (r != EVAL_OK) return r;
      if (!truth(&test, &keep)) return EVAL_UNKNOWN;
    }
    if (keep) r = comprehend(b, e, clause + 1, &inner, out, room);
    if (r != EVAL_OK) return r;
  }
  return EVAL_OK;
}

static EvalResult comprehension(Builder *b, const SynExpr *e, const Env *env, AttrValue *out) {
  if (e->bracket == '{') return EVAL_UNKNOWN;
  Values values = {0};
  int64_t room = MAX_LIST;
  EvalResult r = comprehend(b, e, 0, env, &values, &room);
  if (r != EVAL_OK) {
    vec_free(&values);
    return r;
  }
  int n = (int)values.len;
  *out = attr_of_list(vec_to_arena(&values, b->ir->arena), n);
  return EVAL_OK;
}

/* A bound of a slice, counted from the end if negative; 0..n. */
static EvalResult slice_bound(Builder *b, const SynExpr *e, const Env *env, int n, int dflt,
                              int *out) {
  AttrValue v;
  *out = dflt;
  if (!e) return EVAL_OK;
  EvalResult r = eval(b, e, env, &v);
  if (r != EVAL_OK) return r;
  if (!is_int(&v)) return EVAL_UNKNOWN;
  int64_t i = int_of(&v);
  if (i < 0) i += n;
  *out = (int)(i < 0 ? 0 : i > n ? n : i);
  return EVAL_OK;
}

static EvalResult subscript(Builder *b, const SynExpr *e, const Env *env, AttrValue *out) {
  AttrValue list, index;
  EvalResult r = eval(b, e->lhs, env, &list);
  if (r != EVAL_OK) return r;
  if (list.kind != ATTR_LIST) return EVAL_UNKNOWN;
  int n = list.u.list.len;
  if (e->rhs->kind == SYN_SLICE) {
    int from, to;
    if (e->rhs->third) return EVAL_UNKNOWN;
    r = slice_bound(b, e->rhs->lhs, env, n, 0, &from);
    if (r == EVAL_OK) r = slice_bound(b, e->rhs->rhs, env, n, n, &to);
    if (r != EVAL_OK) return r;
    *out = attr_of_list(list.u.list.items + from, to > from ? to - from : 0);
    out->is_tuple = list.is_tuple;
    return EVAL_OK;
  }
  r = eval(b, e->rhs, env, &index);
  if (r != EVAL_OK) return r;
  if (!is_int(&index)) return EVAL_UNKNOWN;
  int64_t i = int_of(&index);
  if (i < -(int64_t)n || i >= n) return fail(b, e->rhs->at, "this index is outside the list");
  *out = list.u.list.items[i < 0 ? i + n : i];
  return EVAL_OK;
}

/* ---------------------------------------------------------------- names and calls */

static EvalResult eval_name(Builder *b, Name name, const Env *env, AttrValue *out) {
  for (; env; env = env->outer) {
    if (env->name != name) continue;
    *out = *env->value;
    return EVAL_OK;
  }
  Expr *local = b->jit ? scope_lookup(b, name) : NULL; /* M of M, N = a.shape is a number */
  if (local && local->kind == EXPR_INT) *out = attr_of_int(local->u.i);
  if (local) return local->kind == EXPR_INT ? EVAL_OK : EVAL_UNKNOWN;
  const Const *c = const_lookup(b, name);
  if (!c || c->kind != CONST_VALUE || (c->implicit && b->f && scope_lookup(b, name)))
    return EVAL_UNKNOWN;
  *out = c->value;
  Expr *param = b->f ? map_get(&b->f->dyn_params, name) : NULL;
  if (param && c->value.kind == ATTR_EXPR) *out = attr_of_expr(param);
  return EVAL_OK;
}

/* pl.tile.MaskPattern.P0101 is a number: which elements of a row a mask selects. */
static int mask_pattern(const Name *path) {
  static const char *const names[] = {"P0101", "P1010", "P0001", "P0010",
                                      "P0100", "P1000", "P1111"};
  if (strcmp(path[1], "tile") != 0 || strcmp(path[2], "MaskPattern") != 0) return 0;
  for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
    if (strcmp(path[3], names[i]) == 0) return i + 1;
  return 0;
}

/* pl.FP32, pl.NZ, pl.Mem.Vec, pld.NotifyOp.Set, Mem.Vec, math.inf. */
static EvalResult attribute(Builder *b, const SynExpr *e, AttrValue *out) {
  if (eval_jit_attribute(b, e, out)) return EVAL_OK;
  Name path[4];
  size_t n = syn_path(e, path, 4);
  if (n == 2 && path[0] == b->n.math) {
    double v = strcmp(path[1], "inf") == 0   ? INFINITY
               : strcmp(path[1], "nan") == 0 ? NAN
               : strcmp(path[1], "pi") == 0  ? 3.14159265358979323846
               : strcmp(path[1], "e") == 0   ? 2.71828182845904523536
                                             : 0;
    if (v == 0) return EVAL_UNKNOWN;
    *out = attr_of_float(v);
    return EVAL_OK;
  }
  bool ours = n > 0 && (path[0] == b->n.pl || path[0] == b->n.pld);
  if (ours && n == 2) {
    DType t = dtype_by_name(path[1]);
    int layout = enum_value(ENUM_LAYOUT, path[1]);
    if (t != DT_NONE)
      *out = attr_of_dtype(t);
    else if (layout >= 0)
      *out = attr_of_enum(ENUM_LAYOUT, layout);
    else if (strcmp(path[1], "AUTO") == 0)
      *out = attr_of_int(-1); /* reserve_buffer(base=) */
    else
      return EVAL_UNKNOWN;
    return EVAL_OK;
  }
  if (ours && n == 4) {
    int pattern = mask_pattern(path);
    if (pattern) *out = attr_of_int(pattern);
    return pattern ? EVAL_OK : EVAL_UNKNOWN;
  }
  if (n < 2 || (n == 3 && !ours)) return EVAL_UNKNOWN;
  int id = enum_by_written(path[n - 2]);
  int value = id >= 0 ? enum_value((EnumId)id, path[n - 1]) : -1;
  if (value < 0) return EVAL_UNKNOWN;
  *out = attr_of_enum((EnumId)id, value);
  return EVAL_OK;
}

static EvalResult make_range(Builder *b, const AttrValue *args, size_t n, Span at, AttrValue *out) {
  int64_t start = n > 1 ? int_of(&args[0]) : 0, stop = int_of(&args[n > 1 ? 1 : 0]);
  int64_t step = n > 2 ? int_of(&args[2]) : 1;
  if (step == 0) return fail(b, at, "the step of range() is zero");
  Values values = {0};
  for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (values.len == MAX_LIST) {
      vec_free(&values);
      return fail(b, at, "this range() is too long to be expanded");
    }
    vec_push(&values, attr_of_int(i));
    if ((step > 0 && i > INT64_MAX - step) || (step < 0 && i < INT64_MIN - step)) break;
  }
  int len = (int)values.len;
  *out = attr_of_list(vec_to_arena(&values, b->ir->arena), len);
  return EVAL_OK;
}

/* max, min and sum take a list or several arguments. */
static EvalResult fold_values(Builder *b, const char *name, const AttrValue *v, int n, Span at,
                              AttrValue *out) {
  bool sum = strcmp(name, "sum") == 0;
  if (!sum && n == 0) return EVAL_UNKNOWN;
  *out = sum ? attr_of_int(0) : v[0];
  for (int i = 0; i < n; i++) {
    if (!is_number(&v[i])) return EVAL_UNKNOWN;
    if (!sum) {
      int c = order(&v[i], out);
      if (c == (strcmp(name, "max") == 0 ? 1 : -1)) *out = v[i];
    } else if (is_int(out) && is_int(&v[i])) {
      int64_t total;
      if (__builtin_add_overflow(int_of(out), int_of(&v[i]), &total)) return overflow(b, at);
      *out = attr_of_int(total);
    } else {
      *out = attr_of_float(float_of(out) + float_of(&v[i]));
    }
  }
  return EVAL_OK;
}

static EvalResult convert_number(Builder *b, bool to_int, const AttrValue *v, Span at,
                                 AttrValue *out) {
  if (v->kind == ATTR_STR && !to_int) {
    char *end;
    double f = strtod(v->u.str, &end);
    if (end == v->u.str || *end) return EVAL_UNKNOWN;
    *out = attr_of_float(f);
    return EVAL_OK;
  }
  if (!is_number(v)) return EVAL_UNKNOWN;
  if (!to_int) {
    *out = attr_of_float(float_of(v));
  } else if (is_int(v)) {
    *out = attr_of_int(int_of(v));
  } else {
    if (!(v->u.f > -9.2e18 && v->u.f < 9.2e18)) return overflow(b, at);
    *out = attr_of_int((int64_t)v->u.f);
  }
  return EVAL_OK;
}

static EvalResult one_argument(Builder *b, const char *f, const AttrValue *v, Span at,
                               AttrValue *out) {
  bool yes;
  if (strcmp(f, "len") == 0) {
    if (v->kind != ATTR_LIST && v->kind != ATTR_STR) return EVAL_UNKNOWN;
    *out = attr_of_int(v->kind == ATTR_LIST ? v->u.list.len : (int64_t)strlen(v->u.str));
  } else if (strcmp(f, "abs") == 0) {
    if (v->kind == ATTR_FLOAT)
      *out = attr_of_float(fabs(v->u.f));
    else if (!is_int(v))
      return EVAL_UNKNOWN;
    else if (int_of(v) == INT64_MIN)
      return overflow(b, at);
    else
      *out = attr_of_int(llabs(int_of(v)));
  } else if (strcmp(f, "int") == 0 || strcmp(f, "float") == 0) {
    return convert_number(b, f[0] == 'i', v, at, out);
  } else if (strcmp(f, "round") == 0) {
    if (is_int(v))
      *out = attr_of_int(int_of(v));
    else if (v->kind == ATTR_FLOAT && fabs(v->u.f) < 9.2e18)
      *out = attr_of_int((int64_t)nearbyint(v->u.f));
    else
      return EVAL_UNKNOWN;
  } else if (strcmp(f, "bool") == 0) {
    if (!truth(v, &yes)) return EVAL_UNKNOWN;
    *out = attr_of_bool(yes);
  } else if (strcmp(f, "list") == 0 || strcmp(f, "tuple") == 0) {
    if (v->kind != ATTR_LIST) return EVAL_UNKNOWN;
    *out = *v;
    out->is_tuple = f[0] == 't';
  } else {
    return EVAL_UNKNOWN;
  }
  return EVAL_OK;
}

/* A call of one of Python's own functions. */
static EvalResult call_builtin(Builder *b, const SynExpr *e, const Env *env, AttrValue *out) {
  static const char *const known[] = {"len",  "abs",   "int", "float", "round", "bool",
                                      "list", "tuple", "max", "min",   "sum",   "range"};
  const char *f = e->lhs->name;
  bool found = false;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    found = found || strcmp(f, known[i]) == 0;
  if (!found || e->nkwargs || const_lookup(b, f)) return EVAL_UNKNOWN;
  AttrValue args[3];
  AttrValue *v = e->nitems <= 3 ? args : NEW_ARRAY(b->ir->arena, AttrValue, e->nitems);
  for (size_t i = 0; i < e->nitems; i++) {
    EvalResult r = eval(b, e->items[i], env, &v[i]);
    if (r != EVAL_OK) return r;
  }
  size_t n = e->nitems;
  if (strcmp(f, "range") == 0) {
    for (size_t i = 0; i < n; i++)
      if (!is_int(&v[i])) return EVAL_UNKNOWN;
    return n >= 1 && n <= 3 ? make_range(b, v, n, e->at, out) : EVAL_UNKNOWN;
  }
  if (strcmp(f, "max") == 0 || strcmp(f, "min") == 0 || strcmp(f, "sum") == 0) {
    if (n == 1 && v[0].kind == ATTR_LIST)
      return fold_values(b, f, v[0].u.list.items, v[0].u.list.len, e->at, out);
    return strcmp(f, "sum") == 0 ? EVAL_UNKNOWN : fold_values(b, f, v, (int)n, e->at, out);
  }
  return n == 1 ? one_argument(b, f, &v[0], e->at, out) : EVAL_UNKNOWN;
}

/* pl.FP32.get_byte(), or of a name for an element type. */
static EvalResult call_get_byte(Builder *b, const SynExpr *e, const Env *env, AttrValue *out) {
  AttrValue t;
  EvalResult r = eval(b, e->lhs->lhs, env, &t);
  if (r != EVAL_OK || t.kind != ATTR_DTYPE) return r == EVAL_ERROR ? r : EVAL_UNKNOWN;
  *out = attr_of_int(dtype_get_byte(t.u.dtype));
  return EVAL_OK;
}

/* pl.dynamic("M"), pl.const(1, pl.INT32), pl.FP32.get_byte(). */
static EvalResult call(Builder *b, const SynExpr *e, const Env *env, AttrValue *out) {
  if (e->lhs->kind == SYN_NAME) return call_builtin(b, e, env, out);
  if (e->lhs->kind == SYN_ATTR && e->lhs->name == b->n.get_byte && !e->nitems && !e->nkwargs)
    return call_get_byte(b, e, env, out);
  Name path[2];
  size_t n = syn_path(e->lhs, path, 2);
  if (n < 2 || path[0] != b->n.pl) return EVAL_UNKNOWN;
  if (n == 2 && path[1] == b->n.dynamic) {
    AttrValue name;
    EvalResult r = e->nitems == 1 && !e->nkwargs ? eval(b, e->items[0], env, &name) : EVAL_UNKNOWN;
    if (r == EVAL_ERROR) return r;
    if (r != EVAL_OK || name.kind != ATTR_STR)
      return fail(b, e->at, "pl.dynamic() takes the name of the dimension, a string");
    *out = attr_of_expr(dyn_var(b, name.u.str, e->at));
    return EVAL_OK;
  }
  if (n == 2 && path[1] == b->n.const_ && e->nitems == 2)
    return eval(b, e->items[0], env,
                out); /* before the program runs, a constant is a bare number */
  return EVAL_UNKNOWN;
}

static EvalResult conditional(Builder *b, const SynExpr *e, const Env *env, AttrValue *out) {
  AttrValue test;
  bool yes;
  EvalResult r = eval(b, e->third, env, &test);
  if (r != EVAL_OK) return r;
  if (!truth(&test, &yes)) return EVAL_UNKNOWN;
  return eval(b, yes ? e->lhs : e->rhs, env, out);
}

static EvalResult eval(Builder *b, const SynExpr *e, const Env *env, AttrValue *out) {
  EvalResult r = EVAL_OK;
  switch (e->kind) {
    case SYN_NAME: r = eval_name(b, e->name, env, out); break;
    case SYN_INT:
      if (e->big) return overflow(b, e->at);
      *out = attr_of_int(e->integer);
      break;
    case SYN_FLOAT: *out = attr_of_float(e->real); break;
    case SYN_STR: *out = attr_of_str(name_ofn(&b->ir->names, e->str.data, e->str.len)); break;
    case SYN_TRUE:
    case SYN_FALSE: *out = attr_of_bool(e->kind == SYN_TRUE); break;
    case SYN_NONE: *out = (AttrValue){.kind = ATTR_NONE}; break;
    case SYN_ATTR: r = attribute(b, e, out); break;
    case SYN_SUBSCRIPT: r = subscript(b, e, env, out); break;
    case SYN_CALL: r = call(b, e, env, out); break;
    case SYN_UNARY: r = unary(b, e, env, out); break;
    case SYN_BINARY: r = binary(b, e, env, out); break;
    case SYN_COMPARE: r = compare(b, e, env, out); break;
    case SYN_BOOL: r = boolean(b, e, env, out); break;
    case SYN_TUPLE:
    case SYN_LIST: r = sequence(b, e, env, out); break;
    case SYN_COND: r = conditional(b, e, env, out); break;
    case SYN_COMP: r = comprehension(b, e, env, out); break;
    default: r = EVAL_UNKNOWN; break;
  }
  if (r == EVAL_OK) out->span = e->at;
  return r;
}

EvalResult eval_expr(Builder *b, const SynExpr *e, AttrValue *out) { return eval(b, e, NULL, out); }

EvalResult eval_with(Builder *b, const SynExpr *e, Name name, const AttrValue *value,
                     AttrValue *out) {
  Env env = {name, value, NULL};
  return eval(b, e, name ? &env : NULL, out);
}

Expr *value_to_expr(Builder *b, const AttrValue *v, Span at) {
  switch (v->kind) {
    case ATTR_BOOL: return expr_bool(b->ir, v->u.b, at);
    case ATTR_INT: return expr_int(b->ir, v->u.i, DT_INDEX, at);
    case ATTR_FLOAT: return expr_float(b->ir, v->u.f, DT_FP32, at);
    case ATTR_EXPR: return v->u.expr;
    case ATTR_LIST: {
      Expr **items = NEW_ARRAY(b->ir->arena, Expr *, v->u.list.len);
      for (int i = 0; i < v->u.list.len; i++)
        if (!(items[i] = value_to_expr(b, &v->u.list.items[i], at))) return NULL;
      return build_tuple(b, items, v->u.list.len, at);
    }
    default: return build_error(b, at, "%s is no value of the program", value_kind_name(v));
  }
}

/* ---------------------------------------------------------------- enumerations and flags as written */

int eval_enum(Builder *b, const SynExpr *e, EnumId id) {
  Name path[3];
  size_t n = syn_path(e, path, 3);
  const char *written = enum_written(id);
  bool ours = (n == 3 && path[0] == b->n.pl && enum_by_written(path[1]) == (int)id) ||
              (n == 2 && enum_by_written(path[0]) == (int)id);
  if (!ours) {
    build_error(b, e->at, "expected a value of pl.%s, not '%s'", written,
                syn_text(b->ir->arena, e));
    return -1;
  }
  int v = enum_value(id, path[n - 1]);
  if (v >= 0) return v;
  const char *names[64];
  size_t count = 0;
  for (int i = 0; i < enum_count(id) && count < 64; i++)
    if (enum_name(id, i)[0]) names[count++] = enum_name(id, i);
  const char *near = diag_suggest(path[n - 1], names, count);
  if (near)
    build_error(b, e->at, "pl.%s has no value '%s': did you mean '%s'?", written, path[n - 1],
                near);
  else
    build_error(b, e->at, "pl.%s has no value '%s'", written, path[n - 1]);
  return -1;
}

bool eval_bool_literal(Builder *b, const SynExpr *e, const char *what, bool *out) {
  *out = e->kind == SYN_TRUE;
  if (e->kind == SYN_TRUE || e->kind == SYN_FALSE) return true;
  build_error(b, e->at, "%s must be written as True or False", what);
  return false;
}

/* ---------------------------------------------------------------- lines of the module */

/* The first name of a path that a call or subscript is made of. */
static Name root_name(const SynExpr *e) {
  while (e->kind == SYN_CALL || e->kind == SYN_SUBSCRIPT || e->kind == SYN_ATTR) e = e->lhs;
  return e->kind == SYN_NAME ? e->name : NULL;
}

static bool enter(Builder *b, const SynExpr *target, const SynExpr *value) {
  Const *c = NEW(b->ir->arena, Const);
  c->at = target->at;
  Name root = value ? root_name(value) : NULL;
  const Const *same = value && value->kind == SYN_NAME ? const_lookup(b, value->name) : NULL;
  EvalResult r = value ? eval_expr(b, value, &c->value) : EVAL_UNKNOWN;
  if (r == EVAL_ERROR) return false;
  if (r == EVAL_OK) {
    c->kind = CONST_VALUE;
  } else if (same) {
    *c = *same;
  } else if (root == b->n.pl || root == b->n.pld || (value && value->kind == SYN_DICT)) {
    c->kind = CONST_SYNTAX;
    c->syntax = value;
  } else {
    c->kind = CONST_UNKNOWN;
  }
  map_set(&b->consts, target->name, c);
  return true;
}

static bool enter_value(Builder *b, const SynExpr *target, const AttrValue *v) {
  Const *c = NEW(b->ir->arena, Const);
  *c = (Const){.kind = v ? CONST_VALUE : CONST_UNKNOWN, .at = target->at};
  if (v) c->value = *v;
  map_set(&b->consts, target->name, c);
  return true;
}

static bool assign(Builder *b, const SynExpr *target, const SynExpr *value) {
  if (target->kind == SYN_NAME) return enter(b, target, value);
  if (target->kind != SYN_TUPLE && target->kind != SYN_LIST) return true; /* host code: a.b = c */
  bool paired = value->kind == SYN_TUPLE || value->kind == SYN_LIST;
  if (paired && value->nitems == target->nitems) {
    for (size_t i = 0; i < target->nitems; i++)
      if (!assign(b, target->items[i], value->items[i])) return false;
    return true;
  }
  AttrValue list;
  EvalResult r = eval_expr(b, value, &list);
  if (r == EVAL_ERROR) return false;
  bool known = r == EVAL_OK && list.kind == ATTR_LIST && (size_t)list.u.list.len == target->nitems;
  for (size_t i = 0; i < target->nitems; i++)
    if (target->items[i]->kind == SYN_NAME)
      enter_value(b, target->items[i], known ? &list.u.list.items[i] : NULL);
  return true;
}

bool eval_module_stmt(Builder *b, const SynStmt *s) {
  if (s->kind == SYN_ANN_ASSIGN) return !s->value || assign(b, s->targets[0], s->value);
  if (s->kind == SYN_AUG_ASSIGN) {
    SynExpr sum = {
        .kind = SYN_BINARY, .op = s->op, .at = s->at, .lhs = s->targets[0], .rhs = s->value};
    AttrValue v;
    EvalResult r = s->targets[0]->kind == SYN_NAME ? eval_expr(b, &sum, &v) : EVAL_UNKNOWN;
    if (r == EVAL_ERROR) return false;
    if (s->targets[0]->kind == SYN_NAME) enter_value(b, s->targets[0], r == EVAL_OK ? &v : NULL);
    return true;
  }
  for (size_t i = 0; i < s->ntargets; i++)
    if (!assign(b, s->targets[i], s->value)) return false;
  return true;
}
