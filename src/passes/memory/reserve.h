/* reserve.h -- buffers that a function reserves for itself, below all tiles of their space.
 *
 * Textbook: precoloured storage, which allocation must keep clear of.
 */
#ifndef PYPTOC_PASSES_MEMORY_RESERVE_H
#define PYPTOC_PASSES_MEMORY_RESERVE_H

#include "base/map.h"
#include "ir/ir.h"
#include "target/target.h"

typedef struct Reserved {
  MemSpace space; /* where the function reserves */
  uint64_t end;   /* bytes, aligned: the first byte that tiles may use */
  Map bases;      /* call of system.reserve_buffer -> its address + 1 */
} Reserved;

/* Places the reserved buffers of a core function.  False after reporting overlapping ones. */
bool reserved_init(Reserved *r, Ir *ir, const Target *target, const Function *f);
void reserved_free(Reserved *r);

static inline uint64_t reserved_end(const Reserved *r, MemSpace space) {
  return space == r->space ? r->end : 0;
}

static inline uint64_t align_address(const Target *t, MemSpace space, uint64_t address) {
  uint64_t a = (uint64_t)t->spaces[space].alignment;
  return a > 1 ? (address + a - 1) / a * a : address;
}

#endif
