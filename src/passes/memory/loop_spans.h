/* loop_spans.h -- how far lives are stretched by the loops that they reach into.
 *
 * Textbook: live ranges over loops: what is live at the head is live throughout the
 * body.
 */
#ifndef PYPTOC_PASSES_MEMORY_LOOP_SPANS_H
#define PYPTOC_PASSES_MEMORY_LOOP_SPANS_H

#include "base/vec.h"

/* The points of a loop's body; end < start if it is empty. */
typedef struct LoopSpan {
  int start, end;
} LoopSpan;

typedef struct LoopSpans {
  VEC(LoopSpan) list; /* in order of start */
  int *table;         /* greatest ends over spans of powers of two */
} LoopSpans;

/* To be called once the list is complete. */
void loop_spans_seal(LoopSpans *s);
/* What is used in a loop that starts behind its definition lives to the loop's end: the last point of a life that
 * begins at `def` and is used at `last`. */
int loop_spans_reach(const LoopSpans *s, int def, int last);
void loop_spans_free(LoopSpans *s);

#endif
