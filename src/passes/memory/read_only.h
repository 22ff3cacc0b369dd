/* read_only.h -- which tensor parameters of core functions surely share memory with nothing written.
 *
 * Textbook: alias analysis across calls (mod/ref).
 */
#ifndef PYPTOC_PASSES_MEMORY_READ_ONLY_H
#define PYPTOC_PASSES_MEMORY_READ_ONLY_H

#include "base/map.h"
#include "ir/buffer_roots.h"
#include "ir/ir.h"

/* The storage behind tensor names of one function: through slices, views and assembles to the variable
 * that a tensor.create or the caller gave it. */
typedef struct Storage {
  BufferRoots roots;
  Map aliases; /* variable -> the variable whose storage it names; NULL if that is not known */
  Map fresh;   /* variables that a tensor.create gave */
} Storage;

void storage_init(Storage *s, Ir *ir, const Program *p, const Function *f);
void storage_free(Storage *s);
/* NULL if not known. */
Expr *storage_root(const Storage *s, Expr *e);

/* Adds to `safe` the parameters of InCore functions that every caller, an orchestration that nobody
 * calls, binds to storage of its own that the call doesn't write. */
void find_read_only_params(Ir *ir, const Program *p, Map *safe);

#endif
