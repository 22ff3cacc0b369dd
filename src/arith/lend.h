/* lend.h -- the arithmetic engine for the layer below: proofs and simplification without facts. */
#ifndef PYPTOC_ARITH_LEND_H
#define PYPTOC_ARITH_LEND_H

#include "ir/ir.h"

/* Sets ir->arith; arith_take_back ends it, before ir_free and ir_compact. */
void arith_lend(Ir *ir);
void arith_take_back(Ir *ir);

#endif
