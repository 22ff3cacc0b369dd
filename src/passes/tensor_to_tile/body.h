/* body.h -- the statements of an InCore function, from tensors to tiles. */
#ifndef PYPTOC_PASSES_TENSOR_TO_TILE_BODY_H
#define PYPTOC_PASSES_TENSOR_TO_TILE_BODY_H

#include "passes/tensor_to_tile/wants.h"
#include "passes/util/retype.h"
#include "target/target.h"

typedef struct BodyConverter {
  Rewriter rewriter; /* its subst knows what each variable has become */
  const Target *target;
  const Wants *wants;
  int errors; /* reported before this function */
} BodyConverter;

/* Conversion of operators and what follows from it for the types of variables. */
void body_converter_init(BodyConverter *b, Ir *ir, const Target *target, const Wants *wants);
void body_converter_free(BodyConverter *b);

/* NAME__tile */
Name tile_name(Ir *ir, Name source);

#endif
