/* state.h -- the analyzer's inside, shared by the files of src/arith only. */
#ifndef PYPTOC_ARITH_STATE_H
#define PYPTOC_ARITH_STATE_H

#include "arith/analyzer.h"
#include "base/vec.h"

typedef struct Rule Rule;

/* The rules of each operator, read from rules.def once. */
typedef struct RuleSet {
  Rule *rules;
  int len;
  int first[EXPR_TUPLE_GET + 1]; /* rules of a kind: first[kind] .. last[kind] */
  int last[EXPR_TUPLE_GET + 1];
} RuleSet;

/* lhs REL rhs + offset, with REL one of EQ, LE, GE, NE; a vertex is an expression. */
typedef struct Comparison {
  const Expr *lhs, *rhs;
  int64_t offset;
  Ordering rel;
} Comparison;

typedef VEC(Comparison) ComparisonList;

/* A fact of a constraint's scope, to be taken back. */
typedef struct Retract {
  Map *map; /* NULL: the last comparison of `lhs` and `rhs` */
  const Expr *key, *other;
  void *old;
} Retract;

struct Analyzer {
  Ir *ir;
  Arena arena; /* facts */
  RuleSet rules;
  Map bounds;      /* variable -> Bound* */
  Map mods;        /* variable -> ModSet* */
  Map values;      /* variable -> Expr* */
  Map intervals;   /* variable -> Interval* */
  Map comparisons; /* vertex -> ComparisonList*, the vertex on the left */
  Expr *zero;      /* the vertex of constants */
  VEC(Retract) scope;
  int depth;       /* of rewriting a rule's result again */
  bool in_proof;   /* intervals are at work: no further proof by intervals */
};

void rules_init(RuleSet *set, Arena *arena, Ir *ir);
/* Does a rule of e's kind match, and its condition hold?  Then what it makes of `e`, else NULL. */
Expr *rules_apply(Analyzer *a, Expr *e);
Expr *rewrite_simplify(Analyzer *a, Expr *e);

Bound bound_of(const Analyzer *a, const Expr *e);
Bound bound_default(const Expr *e);
ModSet mod_of(const Analyzer *a, const Expr *e);
Interval interval_of(Analyzer *a, Expr *e);

Ordering order_of(Analyzer *a, Expr *x, Expr *y);
void order_add(Analyzer *a, const Expr *cond, bool scoped);
void order_remove(Analyzer *a, const Expr *var);
void order_retract(Analyzer *a, const Retract *r);

/* Sets a variable's fact until the constraint's scope ends. */
void scoped_set(Analyzer *a, Map *map, const Expr *var, void *fact);
void bound_enter(Analyzer *a, const Expr *cond);
void mod_enter(Analyzer *a, const Expr *cond);
void interval_enter(Analyzer *a, Expr *cond);

#endif
