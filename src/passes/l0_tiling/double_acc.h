/* double_acc.h -- which pipelines get a second accumulator; see docs/passes/auto-tile-matmul-l0.md. */
#ifndef PYPTOC_PASSES_L0_TILING_DOUBLE_ACC_H
#define PYPTOC_PASSES_L0_TILING_DOUBLE_ACC_H

#include "base/map.h"
#include "ir/ir.h"
#include "target/options.h"

/* Enters the loops of `f` that get one into `plan`. */
void plan_double_acc(Ir *ir, const CompileOptions *opts, const Function *f, Map *plan);
/* The loop, marked so. */
Stmt *mark_double_acc(Ir *ir, Stmt *loop);
/* Bytes that a matrix occupies in Acc, rows rounded up; -1 if its shape is not constant. */
int64_t acc_tile_bytes(const Target *target, const Type *t);

#endif
