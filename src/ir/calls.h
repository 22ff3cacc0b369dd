/* calls.h -- what calls of program functions mean: returned parameters, wrappers, trip counts. */
#ifndef PYPTOC_IR_CALLS_H
#define PYPTOC_IR_CALLS_H

#include "base/map.h"
#include "ir/ir.h"

/* Numbers the parameters of `f`: variable -> its index + 1, which `number` (a zeroed Map) then answers. */
void number_params(const Function *f, Map *number);
static inline int numbered_param(const Map *number, const Expr *e) {
  return (int)map_get_int(number, e) - 1;
}

/* The `return` that ends `f`, else the first one in text order; NULL: none. */
const Stmt *func_return(const Function *f);
/* For each return position of a function, the index of the parameter that stands there, or -1. */
typedef struct ReturnedParams {
  int *param;
  int n; /* 0: the function returns nothing */
} ReturnedParams;

/* Reads the first `return` of `f` in text order; only a parameter named directly counts.  `cache`
 * (a zeroed Map, one per program) keeps the answers. */
const ReturnedParams *returned_params(Ir *ir, Map *cache, const Function *f);
/* The parameter of position `pos`, or -1. */
int returned_param(Ir *ir, Map *cache, const Function *f, int pos);

/* The same through the calls and loops of the body that give the returned variable; for what is not normalized,
 * as orchestrations are not. */
int traced_param(Ir *ir, Map *cache, const Program *p, const Function *f, int pos);

/* The function of the program that a call or submit names, or NULL (operators, functions
 * elsewhere). */
Function *call_target(const Program *p, const Expr *call);
/* The call or submit that a statement consists of or assigns, or NULL. */
Expr *stmt_call(const Stmt *s);
/* The value of a call's attribute `arg_directions`: one ENUM_ADIR value per argument, or NULL if it
 * has none or their number is wrong. */
const AttrValue *call_directions(Ir *ir, const Expr *call);
static inline ArgDir direction_at(const AttrValue *dirs, int i) {
  return (ArgDir)dirs->u.list.items[i].u.i;
}
/* A list attribute of these directions. */
AttrValue directions_attr(Ir *ir, const ArgDir *dirs, int n);
/* Is this an allreduce in a ring (mode="ring")? */
bool call_is_ring_allreduce(Ir *ir, const Expr *call);
/* A submit gives its kernel's results and, last, its task id. */
bool call_is_submit(const Expr *call);

/* A call inside a wrapper (group or spmd function) and whom it calls. */
typedef struct InnerCall {
  Expr *call;
  Function *callee;
} InnerCall;

/* The first call of a program function in the body; call == NULL if there is none. */
InnerCall wrapper_first_call(const Program *p, const Function *wrapper);

/* The kernels that a group runs: first AIC, first AIV, and the first call of a kernel. */
typedef struct GroupKernels {
  Function *aic, *aiv;
  InnerCall first;
  const Expr *detailed; /* the first submit that says more than what it runs; NULL: none */
} GroupKernels;
GroupKernels group_kernels(const Program *p, const Function *group);

/* The program in which every wrapper's parameter directions are at least what the kernels inside do
 * with them; `p` itself if nothing rises. */
Program *raise_wrapper_directions(Ir *ir, Program *p);

/* Is this a constant, also a negated one? */
bool expr_known_int(const Expr *e, int64_t *out);
/* Iterations of a `for` with constant bounds, 0 for a step of 0; false if not constant. */
bool loop_trip_count(const Stmt *loop, int64_t *out);
/* A block that is nothing but an automatic runtime scope (also nested): what is inside. */
Block unwrap_auto_scope(Ir *ir, Block b);
/* Integer bounds of levels: AIV, AIC, CORE_GROUP 0; CHIP_DIE 1; CHIP 2; HOST 3; ... GLOBAL 7. */
int level_rank(Level level);
/* Level HOST, and an orchestration type or an orchestrator role. */
bool func_is_host_orch(const Function *f);
/* Level CHIP, an orchestration type or an orchestrator role, and no graph. */
bool func_is_chip_orch(const Function *f);

#endif
