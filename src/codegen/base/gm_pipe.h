/* gm_pipe.h -- the buffer in global memory through which a cube and a vector kernel pass tiles,
 * where the chip has no direct way.  The orchestration sizes it, the kernels find their rings in
 * it. */
#ifndef PYPTOC_CODEGEN_BASE_GM_PIPE_H
#define PYPTOC_CODEGEN_BASE_GM_PIPE_H

#include "base/map.h"
#include "ir/ir.h"

enum { PIPE_CUBE_TO_VECTOR = 1, PIPE_VECTOR_TO_CUBE = 2 }; /* bits of dir_mask */

/* Slots of one ring: `slot_num` if positive, else 8 (one direction) or 4 (both); 0 for a wrong
 * mask. */
int gm_pipe_slots(int64_t dir_mask, int64_t slot_num);
/* Rings: one per direction. */
int gm_pipe_rings(int64_t dir_mask);
/* rings * slots * slot_size */
int64_t gm_pipe_bytes(int64_t dir_mask, int64_t slot_num, int64_t slot_size);
/* FP32 elements of the buffer for all pipes that `root` and the functions it calls initialise, each
 * pipe (id and mask) once; 0 if there are none.  `cache` (zeroed, one per program) keeps the
 * answers. */
int64_t gm_pipe_elements(Ir *ir, const Program *p, const Function *root, Map *cache);

#endif
