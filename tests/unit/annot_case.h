/* annot_case.h -- reads annotations in tests, with a few names known. */
#ifndef PYPTOC_TESTS_ANNOT_CASE_H
#define PYPTOC_TESTS_ANNOT_CASE_H

#include "parser/annotation.h"
#include "unit.h"

/* Known: M a dynamic dimension, TILE 32, HALF pl.FP16, SHAPE [4, 8], ORDER pl.TensorLayout.NZ,
 * n an INDEX variable, x an FP32 variable, scratch pl.MemRef(), pair pl.MemRef(slots=2), also = pair,
 * STRIDED pl.TensorView(stride=[128, 1], layout=pl.TensorLayout.ND). */
typedef struct AnnotCase {
  Fixture f;
  Annot annot;
  Map vars, bindings;
} AnnotCase;

void annot_case_init(AnnotCase *c);
void annot_case_free(AnnotCase *c);
/* The type that the text names, or NULL. */
const Type *annot_case_read(AnnotCase *c, const char *text);
/* The syntax of the text as an expression. */
const SynExpr *annot_case_syntax(AnnotCase *c, const char *text);

/* Each alone in a fresh context: the annotation `text` is printed as `printed`, or is refused with a
 * message that holds `part`. */
void annot_prints(const char *text, const char *printed);
void annot_fails(const char *text, const char *part);

#define ANNOT_SAME(text) annot_prints(text, text)

#endif
