/* memref.h -- sizes, offsets and declarations of allocations, shared by the memory passes.
 *
 * Textbook: stack slots: the size, offset and declaration of storage.
 */
#ifndef PYPTOC_PASSES_MEMORY_MEMREF_H
#define PYPTOC_PASSES_MEMORY_MEMREF_H

#include "ir/ir.h"
#include "ir/op.h"
#include "target/target.h"

/* ---- what the operator table says about the result's memory ---- */

/* The space in which the table or the call's keywords put the result; MEM_NONE if they leave it open. */
MemSpace call_fixed_space(const Expr *call);

/* ---- references ---- */

/* The allocation a tile lies in (the variable that declares it), or NULL. */
static inline Expr *tile_base(const Type *t) {
  return type_is_tile(t) && t->memref ? t->memref->base : NULL;
}
/* The allocation variable `e` lies in if it is a tile, else NULL. */
static inline Expr *var_base(const Expr *e) { return expr_is_var(e) ? tile_base(e->type) : NULL; }

/* `t` lying at `m`; a tile moves to `space` (MEM_NONE: stays in its own). */
const Type *type_placed(Ir *ir, const Type *t, const MemRef *m, MemSpace space);

/* Does a branch or loop of it give or carry a tile?  Only then can a name stand for what others have made. */
bool func_joins_tiles(const Function *f);

/* tile.move(tile, target_memory=to); NULL after an error. */
Expr *move_call(Ir *ir, Expr *tile, MemSpace to, Span span);

/* ---- sizes ---- */

/* Bytes of a tile or tensor of type `t` in `space` of the chip: rows of accumulators are rounded up.
 * False if an extent is not a positive constant or the product doesn't fit. */
bool alloc_bytes(const Target *target, const Type *t, MemSpace space, uint64_t *bytes);
/* Bytes from the first to the last element of a slice of `parent`; false if not constant. */
bool slice_span(const Expr *call, const Type *parent, const Type *result, uint64_t *bytes);

/* ---- offsets: INDEX expressions; constants fold, + 0 and * 1 vanish ---- */

Expr *offset_add(Ir *ir, Expr *a, Expr *b);
Expr *offset_mul(Ir *ir, Expr *a, Expr *b);
/* Bytes by which the result of view `call` starts behind argument 0 of type `parent`: a slice's origin,
 * 0 for every other view.  NULL after reporting an origin inside a byte. */
Expr *view_offset(Ir *ir, const Expr *call, const Type *parent);

/* ---- declarations: base = tile.alloc(space, bytes) ---- */

Expr *alloc_expr(Ir *ir, MemSpace space, uint64_t bytes, bool pinned);
/* The call of a declaration, or NULL if `s` is none. */
const Expr *alloc_call(const Stmt *s);
/* Stores the bytes that a declaration by the author reserves; false if `s` is not one. */
bool pinned_bytes(Ir *ir, const Stmt *s, uint64_t *bytes);
/* `b` without declarations that no type in it refers to; the same block if all are needed. */
Block drop_unused_allocs(Ir *ir, Block b);

#endif
