/* analyzer.h -- what is known of integer expressions where we are, and simplification with it.
 *
 * Facts are bound to variables (values, ranges) or hold in a constraint's scope (a branch condition).  The
 * analyses: constant bounds, remainders (modular sets), symbolic intervals, and a graph of comparisons.
 * Rules and analyses are described in docs/arith.md.
 */
#ifndef PYPTOC_ARITH_ANALYZER_H
#define PYPTOC_ARITH_ANALYZER_H

#include "base/map.h"
#include "ir/ir.h"

/* min <= x <= max; the infinities are themselves unbounded, never exact. */
typedef struct Bound {
  int64_t min, max;
} Bound;
#define BOUND_INF INT64_MAX
#define BOUND_ALL ((Bound){-BOUND_INF, BOUND_INF})

/* x = coeff * k + base for some integer k; coeff 0: x is base.  0 <= base < coeff otherwise. */
typedef struct ModSet {
  int64_t coeff, base;
} ModSet;
#define MOD_ALL ((ModSet){1, 0})

/* min <= x <= max with expressions; NULL: unbounded. */
typedef struct Interval {
  Expr *min, *max;
} Interval;

/* Sets of relations between two values: a union of less, equal, greater. */
typedef enum {
  ORDER_NONE = 0, /* contradictory facts */
  ORDER_EQ = 1,
  ORDER_LT = 2,
  ORDER_LE = 3,
  ORDER_GT = 4,
  ORDER_GE = 5,
  ORDER_NE = 6,
  ORDER_ANY = 7
} Ordering;

typedef struct Analyzer Analyzer;

Analyzer *analyzer_new(Ir *ir);
void analyzer_free(Analyzer *a);

/* `e` simplified with the facts; `e` itself if there is nothing to do.  Calls and tuples are left alone. */
Expr *analyzer_simplify(Analyzer *a, Expr *e);
/* Linear normal form over division and remainder, without facts; for proofs, not for output. */
Expr *canonical_simplify(Ir *ir, Expr *e);

/* ---- facts about variables ---- */
/* x is `value`: replaced where it is used. */
void analyzer_bind(Analyzer *a, Expr *var, Expr *value);
/* start <= x < stop; start < stop. */
void analyzer_bind_range(Analyzer *a, Expr *var, int64_t start, int64_t stop);
/* Only the bound. */
void analyzer_bind_bound(Analyzer *a, Expr *var, Bound b);
void analyzer_unbind(Analyzer *a, Expr *var);
/* From here to analyzer_leave of its result `cond` is true. */
size_t analyzer_enter(Analyzer *a, Expr *cond);
void analyzer_leave(Analyzer *a, size_t mark);

/* ---- questions ---- */
Bound analyzer_bound(Analyzer *a, const Expr *e);
ModSet analyzer_mod_set(Analyzer *a, const Expr *e);
Interval analyzer_interval(Analyzer *a, Expr *e);
Ordering analyzer_compare(Analyzer *a, Expr *x, Expr *y);
/* True only if `cond` surely holds. */
bool analyzer_proves(Analyzer *a, Expr *cond);
bool analyzer_proves_ge(Analyzer *a, Expr *e, int64_t n);
bool analyzer_proves_less(Analyzer *a, Expr *e, int64_t n);
bool analyzer_proves_equal(Analyzer *a, Expr *x, Expr *y);

#endif
