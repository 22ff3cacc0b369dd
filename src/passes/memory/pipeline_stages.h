/* pipeline_stages.h -- which stages of software pipelines the allocations of a function belong to.
 *
 * Textbook: software pipelining, the stages whose copies need buffers of their own
 * (modulo variable expansion).
 */
#ifndef PYPTOC_PASSES_MEMORY_PIPELINE_STAGES_H
#define PYPTOC_PASSES_MEMORY_PIPELINE_STAGES_H

#include "passes/memory/dsa.h"
#include "passes/memory/lives.h"

/* Allocations of the same stages of the same pipelines have the same number. */
typedef struct PipelineStages {
  uint32_t *of;       /* interval -> number; 0: of no pipeline */
  DsaStages *at_once; /* number -> the numbers of other stages of one of its pipelines, ascending */
  size_t n;           /* numbers, 0 included */
} PipelineStages;

void stages_init(PipelineStages *s, Ir *ir, const Lives *l);
void stages_free(PipelineStages *s);

#endif
