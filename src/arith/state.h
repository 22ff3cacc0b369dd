/* state.h -- the analyzer's inside, shared by the files of src/arith only. */
#ifndef PYPTOC_ARITH_STATE_H
#define PYPTOC_ARITH_STATE_H

#include "arith/analyzer.h"
#include "base/vec.h"

typedef struct Rule Rule;

typedef struct RuleLink RuleLink;
struct RuleLink {
  const Rule *rule;
  RuleLink *next;
};

typedef struct RuleList {
  RuleLink *first, *last;
} RuleList;

enum { EXPR_KINDS = EXPR_TUPLE_GET + 1 };

/* The rules for an operator with a first operand of a kind, in the order of rules.def, read once. */
typedef struct RuleSet {
  RuleList rules_for[EXPR_KINDS][EXPR_KINDS];
} RuleSet;

/* What is known of the difference x - y of two expressions: low <= x - y <= high, or x - y != low. */
typedef struct Difference {
  const Expr *x;
  int64_t low, high;
  bool differs;
} Difference;

/* Of one y. */
typedef VEC(Difference) Differences;

/* What follows of the difference between an expression and the one where a search began. */
typedef struct Reached {
  const Expr *x;
  int64_t low, high;
  VEC(int64_t) holes; /* it is none of these */
  bool waits;         /* in the queue, since something new is known of it */
} Reached;

/* A fact of a constraint's scope, to be taken back. */
typedef struct Retract {
  Map *map; /* NULL: the last comparison of `key` and `other` */
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
  Map differences; /* expression y -> Differences* */
  Expr *zero;      /* what constants are compared with */
  Map reached_at;  /* of a search: expression -> 1 + its place in `reached` */
  VEC(Reached) reached;
  size_t nreached; /* those behind are of earlier searches, and used again */
  VEC(size_t) queue;
  VEC(Retract) scope;
  int depth;     /* of rewriting a rule's result again */
  bool in_proof; /* intervals are at work: no further proof by intervals */
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
void order_free(Analyzer *a);

/* Sets a variable's fact until the constraint's scope ends. */
void scoped_set(Analyzer *a, Map *map, const Expr *var, void *fact);
void bound_enter(Analyzer *a, const Expr *cond);
void mod_enter(Analyzer *a, const Expr *cond);
void interval_enter(Analyzer *a, Expr *cond);

#endif
