/* ring.c -- allreduce over a ring. */
#include "passes/composite/chunks.h"

Expr *composite_ring(Emit *e, const Expr *call) {
  return composite_error(e, call, "the lowering of %s with mode='ring' in a kernel is not built yet",
                         expr_op(call)->name);
}
