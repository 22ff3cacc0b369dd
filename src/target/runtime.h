/* runtime.h -- limits of what runs or assembles the output, the same for all chips. */
#ifndef PYPTOC_TARGET_RUNTIME_H
#define PYPTOC_TARGET_RUNTIME_H

enum {
  /* the simpler runtime */
  RUNTIME_ALLOC_BATCH = 16,      /* parameters of one alloc_tensors */
  RUNTIME_PREDICATE_RANK = 5,    /* indices that a predicate has room for */
  RUNTIME_WINDOW_ALIGNMENT = 32, /* bytes; transfers between devices need it */
  RUNTIME_RING_DEVICES = 16,     /* that a ring allreduce joins */
  RUNTIME_RING_SLOTS = 8,        /* of a pipe through global memory, in one direction ... */
  RUNTIME_RING_SLOTS_BOTH = 4,   /* ... and of each where it has both */

  /* the assembler ptoas */
  PTOAS_MIN_SLOTS = 2, /* of a tile that takes turns in several buffers */
  PTOAS_MAX_SLOTS = 16,

  /* events between cores */
  SYNC_EVENTS = 14,     /* ids 0 .. 13 */
  SYNC_FFTS_MODES = 3,  /* 0 .. 2 */
  SYNC_FFTS_WORDS = 256 /* least elements of the workspace */
};

#endif
