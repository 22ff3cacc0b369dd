#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arith/analyzer.h"
#include "arith/fold.h"
#include "ir/print.h"
#include "unit.h"

/* ---- random expressions ---- */

enum { VARS = 4 };

typedef struct World {
  Ir *ir;
  uint64_t seed;
  Expr *vars[VARS];
  int64_t lo[VARS], hi[VARS]; /* the range that the analyzer is told, or a wide one */
  int64_t at[VARS];           /* a point */
} World;

static uint32_t rnd(World *w, uint32_t n) {
  w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(w->seed >> 33) % n;
}

static Expr *constant_of(World *w) {
  static const int64_t values[] = {0, 1, 2, 3, 4, 5, 8, 16, 64, 100, -1, -2, -3, -8};
  return expr_int(w->ir, values[rnd(w, sizeof values / sizeof *values)], DT_INT64, NO_SPAN);
}

static Expr *random_int(World *w, int depth) {
  static const ExprKind ops[] = {EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_FLOOR_DIV, EXPR_FLOOR_MOD,
                                 EXPR_MIN, EXPR_MAX, EXPR_ADD, EXPR_SUB,       EXPR_MUL};
  if (depth == 0 || rnd(w, 6) == 0) return rnd(w, 3) ? w->vars[rnd(w, VARS)] : constant_of(w);
  if (rnd(w, 12) == 0) return make_unary(w->ir, EXPR_NEG, random_int(w, depth - 1), NO_SPAN);
  ExprKind op = ops[rnd(w, sizeof ops / sizeof *ops)];
  Expr *lhs = random_int(w, depth - 1);
  bool by_number = (op == EXPR_MUL || op == EXPR_FLOOR_DIV || op == EXPR_FLOOR_MOD) && rnd(w, 4);
  Expr *rhs = by_number ? constant_of(w) : random_int(w, depth - 1);
  /* Laws need terms that come twice. */
  if (!by_number && rnd(w, 3) == 0 && expr_is_binary(lhs))
    rhs = rnd(w, 2) ? lhs->u.bin.lhs : lhs->u.bin.rhs;
  return rnd(w, 2) && !by_number ? make_binary(w->ir, op, rhs, lhs, NO_SPAN)
                                 : make_binary(w->ir, op, lhs, rhs, NO_SPAN);
}

static Expr *random_bool(World *w, int depth) {
  if (depth > 0 && rnd(w, 2)) {
    if (rnd(w, 3) == 0) return make_unary(w->ir, EXPR_NOT, random_bool(w, depth - 1), NO_SPAN);
    Expr *lhs = random_bool(w, depth - 1);
    return make_binary(w->ir, rnd(w, 2) ? EXPR_AND : EXPR_OR, lhs, random_bool(w, depth - 1),
                       NO_SPAN);
  }
  Expr *lhs = random_int(w, 2);
  return make_binary(w->ir, (ExprKind)(EXPR_EQ + rnd(w, 6)), lhs, random_int(w, 2), NO_SPAN);
}

/* ---- evaluation ---- */

typedef struct Value {
  bool defined;
  int64_t n;
} Value;

static Value value_of(const World *w, const Expr *e) {
  if (e->kind == EXPR_INT) return (Value){true, e->u.i};
  if (e->kind == EXPR_BOOL) return (Value){true, e->u.b};
  if (e->kind == EXPR_VAR) {
    for (int i = 0; i < VARS; i++)
      if (w->vars[i] == e) return (Value){true, w->at[i]};
    ck_abort_msg("unknown variable");
  }
  if (expr_is_unary(e)) {
    Value x = value_of(w, e->u.operand);
    x.n = e->kind == EXPR_NOT ? !x.n : -x.n;
    return x;
  }
  Value a = value_of(w, e->u.bin.lhs), b = value_of(w, e->u.bin.rhs);
  if (!a.defined || !b.defined) return (Value){false, 0};
  int64_t r = 0;
  switch (e->kind) {
    case EXPR_ADD: return (Value){!__builtin_add_overflow(a.n, b.n, &r), r};
    case EXPR_SUB: return (Value){!__builtin_sub_overflow(a.n, b.n, &r), r};
    case EXPR_MUL: return (Value){!__builtin_mul_overflow(a.n, b.n, &r), r};
    case EXPR_FLOOR_DIV:
      return can_divide(a.n, b.n) ? (Value){true, floor_div(a.n, b.n)} : (Value){0};
    case EXPR_FLOOR_MOD:
      return can_divide(a.n, b.n) ? (Value){true, floor_mod(a.n, b.n)} : (Value){0};
    case EXPR_MIN: return (Value){true, a.n < b.n ? a.n : b.n};
    case EXPR_MAX: return (Value){true, a.n > b.n ? a.n : b.n};
    case EXPR_EQ: return (Value){true, a.n == b.n};
    case EXPR_NE: return (Value){true, a.n != b.n};
    case EXPR_LT: return (Value){true, a.n < b.n};
    case EXPR_LE: return (Value){true, a.n <= b.n};
    case EXPR_GT: return (Value){true, a.n > b.n};
    case EXPR_GE: return (Value){true, a.n >= b.n};
    case EXPR_AND: return (Value){true, a.n && b.n};
    case EXPR_OR: return (Value){true, a.n || b.n};
    default: ck_abort_msg("unknown operator"); return (Value){0};
  }
}

static void move(World *w) {
  for (int i = 0; i < VARS; i++) w->at[i] = w->lo[i] + rnd(w, (uint32_t)(w->hi[i] - w->lo[i] + 1));
}

/* ---- the properties ---- */

static void explain(World *w, const char *what, const Expr *e, const Expr *s) {
  ck_abort_msg("%s: %s against %s at %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, what,
               expr_str(w->ir, e), s ? expr_str(w->ir, s) : "-", w->at[0], w->at[1], w->at[2],
               w->at[3]);
}

static void check_facts(World *w, Analyzer *a, Expr *e, Value v) {
  Bound b = analyzer_bound(a, e);
  if (v.n < b.min || v.n > b.max) explain(w, "bound", e, NULL);
  ModSet m = analyzer_mod_set(a, e);
  if (m.coeff ? floor_mod(v.n, m.coeff) != m.base : v.n != m.base)
    explain(w, "modular set", e, NULL);
}

static void check_interval(World *w, Interval i, Expr *e, Value v) {
  Value min = i.min ? value_of(w, i.min) : v, max = i.max ? value_of(w, i.max) : v;
  if (min.defined && min.n > v.n) explain(w, "interval's minimum", e, i.min);
  if (max.defined && max.n < v.n) explain(w, "interval's maximum", e, i.max);
}

static int check_expression(World *w, Analyzer *a, Expr *e, Expr *cond, int points) {
  Expr *simple = analyzer_simplify(a, e), *normal = canonical_simplify(w->ir, e);
  bool is_bool = scalar_dtype(e) == DT_BOOL;
  bool proved = is_bool && analyzer_proves(a, e);
  bool refuted = is_bool && analyzer_proves(a, make_unary(w->ir, EXPR_NOT, e, NO_SPAN));
  Interval interval = is_bool ? (Interval){0} : analyzer_interval(a, e);
  int evaluated = 0;
  for (int i = 0; i < points; i++) {
    move(w);
    Value holds = cond ? value_of(w, cond) : (Value){true, 1}, v = value_of(w, e);
    if (!holds.defined || !holds.n || !v.defined) continue;
    Value s = value_of(w, simple), c = value_of(w, normal);
    evaluated++;
    if (!s.defined || s.n != v.n) explain(w, "simplified", e, simple);
    if (!c.defined || c.n != v.n) explain(w, "canonical", e, normal);
    if (proved && !v.n) explain(w, "proved", e, cond);
    if (refuted && v.n) explain(w, "refuted", e, cond);
    check_facts(w, a, e, v);
    if (!is_bool) check_interval(w, interval, e, v);
  }
  return evaluated;
}

static int check_world(World *w, Analyzer *a, int expressions, int points) {
  for (int i = 0; i < VARS; i++) {
    w->vars[i] = expr_var(w->ir, name_printf(&w->ir->names, "v%d", i),
                          type_scalar(w->ir, i == 3 ? DT_INDEX : DT_INT64), NO_SPAN);
    w->lo[i] = i == 3 ? (int64_t)rnd(w, 9) : (int64_t)rnd(w, 30) - 15;
    w->hi[i] = w->lo[i] + 1 + rnd(w, rnd(w, 2) ? 4 : 70);
    if (rnd(w, 2)) analyzer_bind_range(a, w->vars[i], w->lo[i], w->hi[i] + 1);
  }
  int evaluated = 0;
  for (int i = 0; i < expressions; i++) {
    Expr *cond = rnd(w, 2) ? random_bool(w, 1) : NULL;
    size_t mark = cond ? analyzer_enter(a, cond) : 0;
    Expr *e = rnd(w, 3) ? random_int(w, 4) : random_bool(w, 2);
    evaluated += check_expression(w, a, e, cond, points);
    if (cond) analyzer_leave(a, mark);
  }
  for (int i = 0; i < VARS; i++) analyzer_unbind(a, w->vars[i]);
  return evaluated;
}

/* Simplified expressions have the same value everywhere; PYPTOC_SEED repeats a run. */
START_TEST(simplified_means_the_same) {
  const char *given = getenv("PYPTOC_SEED");
  uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
  printf("arith: PYPTOC_SEED=%" PRIu64 "\n", seed);
  fflush(stdout);
  int evaluated = 0;
  World w = {.seed = seed};
  for (int round = 0; evaluated < 1000000; round++) {
    Fixture f;
    fixture_init(&f);
    w.ir = &f.ir;
    Analyzer *a = analyzer_new(&f.ir);
    for (int i = 0; i < 20; i++) evaluated += check_world(&w, a, 20, 60);
    analyzer_free(a);
    fixture_free(&f);
  }
}
END_TEST

/* ---- single laws ---- */

static Expr *binary(Ir *ir, ExprKind op, Expr *a, Expr *b) {
  return make_binary(ir, op, a, b, NO_SPAN);
}

START_TEST(laws) {
  Fixture f;
  fixture_init(&f);
  Ir *ir = &f.ir;
  Analyzer *a = analyzer_new(ir);
  Expr *x = expr_var(ir, ir_name(ir, "x"), type_scalar(ir, DT_INDEX), NO_SPAN);
  Expr *n = expr_var(ir, ir_name(ir, "n"), type_scalar(ir, DT_INDEX), NO_SPAN);
  Expr *eight = expr_index(ir, 8);
  ck_assert_ptr_eq(analyzer_simplify(a, binary(ir, EXPR_ADD, x, expr_index(ir, 0))), x);
  Expr *back = binary(ir, EXPR_SUB, binary(ir, EXPR_ADD, x, n), x);
  ck_assert_ptr_eq(analyzer_simplify(a, back), n);
  analyzer_bind_range(a, x, 0, 8);
  Expr *q = analyzer_simplify(a, binary(ir, EXPR_FLOOR_DIV, x, eight));
  ck_assert(q->kind == EXPR_INT && q->u.i == 0);
  ck_assert_ptr_eq(analyzer_simplify(a, binary(ir, EXPR_FLOOR_MOD, x, eight)), x);
  ck_assert(analyzer_proves(a, binary(ir, EXPR_LT, x, eight)));
  analyzer_unbind(a, x);
  ck_assert(!analyzer_proves(a, binary(ir, EXPR_LT, x, eight)));
  size_t mark = analyzer_enter(a, binary(ir, EXPR_LT, x, n));
  ck_assert(analyzer_proves(a, binary(ir, EXPR_LE, binary(ir, EXPR_ADD, x, expr_index(ir, 1)), n)));
  analyzer_leave(a, mark);
  ck_assert(!analyzer_proves(a, binary(ir, EXPR_LT, x, n)));
  analyzer_free(a);
  fixture_free(&f);
}
END_TEST

/* x + n, or n if x is NULL. */
static Expr *plus(Ir *ir, Expr *x, int64_t n) {
  Expr *number = expr_int(ir, n, DT_INT64, NO_SPAN);
  if (!x) return number;
  return n ? binary(ir, EXPR_ADD, x, number) : x;
}

/* Facts "e1 REL e2" with ei one of x, y, z or NULL plus a number, and what follows of x against others. */
START_TEST(comparisons_chain) {
  Fixture f;
  fixture_init(&f);
  Ir *ir = &f.ir;
  Analyzer *a = analyzer_new(ir);
  const Type *int64 = type_scalar(ir, DT_INT64);
  Expr *x = expr_var(ir, ir_name(ir, "x"), int64, NO_SPAN);
  Expr *y = expr_var(ir, ir_name(ir, "y"), int64, NO_SPAN);
  Expr *z = expr_var(ir, ir_name(ir, "z"), int64, NO_SPAN);
  /* x <= y - 2 and y < z + 1: x <= z - 2. */
  size_t first = analyzer_enter(a, binary(ir, EXPR_LE, plus(ir, x, 2), y));
  size_t second = analyzer_enter(a, binary(ir, EXPR_LT, y, plus(ir, z, 1)));
  ck_assert_int_eq(analyzer_compare(a, x, y), ORDER_LT);
  ck_assert_int_eq(analyzer_compare(a, y, z), ORDER_LE);
  ck_assert_int_eq(analyzer_compare(a, plus(ir, x, 1), z), ORDER_LT);
  ck_assert_int_eq(analyzer_compare(a, plus(ir, x, 2), z), ORDER_LE);
  ck_assert_int_eq(analyzer_compare(a, plus(ir, x, 3), z), ORDER_ANY);
  ck_assert_int_eq(analyzer_compare(a, z, plus(ir, x, 1)), ORDER_GT);
  /* And x + 2 is not z: x <= z - 3. */
  size_t third = analyzer_enter(a, binary(ir, EXPR_NE, plus(ir, x, 2), z));
  ck_assert_int_eq(analyzer_compare(a, plus(ir, x, 2), z), ORDER_LT);
  analyzer_leave(a, third);
  ck_assert_int_eq(analyzer_compare(a, plus(ir, x, 2), z), ORDER_LE);
  analyzer_leave(a, second);
  ck_assert_int_eq(analyzer_compare(a, x, z), ORDER_ANY);
  ck_assert_int_eq(analyzer_compare(a, x, y), ORDER_LT);
  analyzer_leave(a, first);
  ck_assert_int_eq(analyzer_compare(a, x, y), ORDER_ANY);
  /* x = y + 3, y >= z, y is not z + 4: x >= z + 3, not z + 7. */
  first = analyzer_enter(a, binary(ir, EXPR_EQ, x, plus(ir, y, 3)));
  second = analyzer_enter(a, binary(ir, EXPR_GE, y, z));
  third = analyzer_enter(a, binary(ir, EXPR_NE, y, plus(ir, z, 4)));
  ck_assert_int_eq(analyzer_compare(a, x, plus(ir, y, 3)), ORDER_EQ);
  ck_assert_int_eq(analyzer_compare(a, x, plus(ir, z, 3)), ORDER_GE);
  ck_assert_int_eq(analyzer_compare(a, x, plus(ir, z, 2)), ORDER_GT);
  ck_assert_int_eq(analyzer_compare(a, x, plus(ir, z, 7)), ORDER_NE);
  ck_assert_int_eq(analyzer_compare(a, plus(ir, z, 7), x), ORDER_NE);
  ck_assert_int_eq(analyzer_compare(a, x, plus(ir, z, 8)), ORDER_ANY);
  analyzer_leave(a, third);
  analyzer_leave(a, second);
  analyzer_leave(a, first);
  /* x < y, y < x: no values; the search ends all the same, and nothing is possible. */
  first = analyzer_enter(a, binary(ir, EXPR_LT, x, y));
  second = analyzer_enter(a, binary(ir, EXPR_LT, y, x));
  ck_assert_int_eq(analyzer_compare(a, x, y), ORDER_NONE);
  analyzer_leave(a, second);
  analyzer_leave(a, first);
  analyzer_free(a);
  fixture_free(&f);
}
END_TEST

Suite *suite_arith(void) {
  Suite *s = suite_create("arith");
  TCase *t = tcase_create("simplify");
  tcase_set_timeout(t, 120);
  tcase_add_test(t, laws);
  tcase_add_test(t, comparisons_chain);
  tcase_add_test(t, simplified_means_the_same);
  suite_add_tcase(s, t);
  return s;
}
