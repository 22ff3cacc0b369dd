/* halver.h -- the state shared by the files that halve a block; halve.h is for others. */
#ifndef PYPTOC_PASSES_SPLIT_AXIS_HALVER_H
#define PYPTOC_PASSES_SPLIT_AXIS_HALVER_H

#include "base/map.h"
#include "passes/split_axis/halve.h"
#include "passes/split_axis/part.h"

typedef struct Halver {
  Lane lane;
  HalveWhat what;
  int axis;  /* of values that come from nowhere in halves */
  Map axes;  /* variable of the whole kernel that is halved -> its axis + 1 */
  Map begun; /* variables that a loop's carried value begins with */
  bool failed;
} Halver;

/* The axis along which a variable is halved, or -1. */
static inline int axis_of(const Halver *h, const Expr *var) {
  return (int)map_get_int(&h->axes, var) - 1;
}
/* That of the first operand that is halved, or -1. */
int axis_of_operands(const Halver *h, const Expr *call);
/* Does a tile of this type have something to halve along `axis`? */
bool has_axis(const Type *t, int axis);
/* Reports what is wrong with `call` and fails. */
void halver_fail(Halver *h, const Expr *call, const char *why);

/* This core's half of a vector operator.  `call` is that of the whole kernel, `now` the same with its operands
 * replaced; *axis becomes that of the result, -1 if it is no half.  Statements to stand before go to `out`. */
Expr *half_call(Halver *h, const Expr *var, const Expr *call, Expr *now, int *axis, StmtList *out);
Expr *half_store(Halver *h, const Expr *call, Expr *now);
/* The same for a push or pop: with the code of its transfer. */
Expr *half_transfer(Halver *h, const Expr *call, Expr *now, int *axis);

/* The step for lane: the cut in the middle of what is valid, if all that is split in `b` comes from tiles that
 * cross with one and the same constant part valid, shorter than the axis.  Else NULL. */
Expr *balanced_step(const Halver *h, Block b);

#endif
