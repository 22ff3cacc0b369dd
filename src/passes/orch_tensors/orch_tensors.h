/* orch_tensors.h -- the rules of OptimizeOrchTensors; see docs/passes/optimize-orch-tensors.md. */
#ifndef PYPTOC_PASSES_ORCH_TENSORS_ORCH_TENSORS_H
#define PYPTOC_PASSES_ORCH_TENSORS_ORCH_TENSORS_H

#include "base/map.h"
#include "ir/op.h"

Program *reuse_carried_buffers(Ir *ir, Program *p);
Program *stride_assembled_results(Ir *ir, Program *p);
Program *store_in_assembling_loops(Ir *ir, Program *p);
Program *stride_sliced_arguments(Ir *ir, Program *p);

/* ---- shared ---- */

/* An Out parameter and the return position it is returned at. */
typedef struct OutReturn {
  int param, position;
} OutReturn;

typedef VEC(OutReturn) OutReturnList;

/* In the order of return positions; `inout`: InOut parameters, too. */
void out_returns(const Function *f, bool inout, OutReturnList *out);

/* The kernel (InCore function) that a call names, or NULL. */
static inline Function *kernel_of(const Program *p, const Expr *call) {
  Function *f =
      call->kind == EXPR_CALL && call->u.call.callee ? program_func(p, call->u.call.callee) : NULL;
  return f && f->type == FUNC_INCORE ? f : NULL;
}
/* A variable that is no carried value. */
static inline bool is_plain_var(const Expr *e) {
  return e->kind == EXPR_VAR && !e->u.var.is_iter_arg;
}

/* `type`, a plain tensor, seen as a part of a tensor of shape `parent`; NULL if the parent is dynamic or has
 * fewer dimensions. */
const Type *with_parent_strides(Ir *ir, const Type *type, Expr *const *parent, int rank);

#endif
