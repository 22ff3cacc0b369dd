/* pipe_setup.h -- opens the pipes between the two bodies of a kernel; docs/passes/expand-mixed-kernel.md.
 *
 * Textbook: bounded buffers (producer and consumer), opened before use.
 */
#ifndef PYPTOC_PASSES_CROSS_CORE_PIPE_SETUP_H
#define PYPTOC_PASSES_CROSS_CORE_PIPE_SETUP_H

#include "ir/ir.h"

typedef struct PipeEnds {
  Name kernel;   /* the buffers are named after it */
  Name func[2];  /* by Core: the functions' names */
  Block body[2]; /* by Core; the setup is put in front */
  Span span;
} PipeEnds;

/* Nothing if nothing crosses, or if one of the bodies does it by itself.  `slots`: the number of slots, 0: the
 * usual one. */
void set_up_pipes(Ir *ir, PipeEnds *ends, int slots);

#endif
