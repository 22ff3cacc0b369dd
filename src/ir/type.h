/* type.h -- the types of values.
 *
 * Types are interned: two types are the same exactly when they are the same
 * pointer.  Build them with the type_* functions only.  Dimensions are
 * expressions (constants, or symbolic ones over dynamic-dimension variables);
 * they are compared by structure, variables by identity.
 */
#ifndef PYPTOC_IR_TYPE_H
#define PYPTOC_IR_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/name.h"
#include "ir/dtype.h"
#include "ir/enums.h"

typedef struct Ir Ir;
typedef struct Expr Expr;
typedef struct Type Type;

typedef enum TypeKind {
  TYPE_UNKNOWN,
  TYPE_VOID,        /* surely no value: never bound, an operand, in a tuple, yielded or returned */
  TYPE_SCALAR,      /* pl.Scalar[dtype] */
  TYPE_TENSOR,      /* pl.Tensor[[..], dtype, ..] in DDR */
  TYPE_DIST_TENSOR, /* pld.DistributedTensor[[..], dtype, ..] */
  TYPE_TILE,        /* pl.Tile[[..], dtype, ..] on chip */
  TYPE_ARRAY,       /* pl.Array[extent, dtype] */
  TYPE_TUPLE,       /* pl.Tuple[..] */
  TYPE_PTR,         /* pl.Ptr: what tile.alloc gives */
  TYPE_WINDOW_BUFFER,
  TYPE_COMM_CTX,      /* pld.CommCtxType */
  TYPE_PREFETCH_CTX,  /* pl.PrefetchAsyncContext */
  TYPE_ASYNC_EVENT,   /* pl.AsyncEvent */
  TYPE_ASYNC_SESSION, /* pl.AsyncSession */
  TYPE_PIPE,
  TYPE_REG, /* pl.Reg[lanes, dtype, kind] */
  TYPE_BUFFER,
  TYPE_MULTI_BUFFER,
} TypeKind;

/* Where a tensor or tile lies: bytes `offset` .. `offset + size` of the allocation `base`.
 * Interned like types. */
typedef struct MemRef {
  Expr *base;    /* the Ptr variable that tile.alloc binds; names the allocation */
  Expr *offset;  /* bytes from base */
  uint64_t size; /* bytes */
  bool named;    /* base is written as a string: "mem_ddr_0" */
  bool
      pinned; /* the source text asked for this allocation, pl.MemRef("name"); InitMemRef places it */
  uint64_t slots; /* slots=N of the declaration; 1 if not written */
  Expr *slot;     /* which slot, `l0c[k]`; NULL if none is selected */
} MemRef;

/* How a tensor's elements lie in memory.  Empty stride: packed, as the layout says. */
typedef struct TensorView {
  Expr **stride;
  Expr **valid_shape; /* empty: the full shape */
  uint16_t nstride, nvalid;
  TensorLayout layout;
  PadValue pad;
} TensorView;

/* How a tile's elements lie in its buffer. */
typedef struct TileView {
  Expr **valid_shape; /* empty: the full shape */
  Expr **stride;
  Expr *start_offset; /* NULL: none */
  uint16_t nvalid, nstride;
  TileLayout blayout, slayout;
  PadValue pad;
  CompactMode compact;
  uint32_t fractal; /* bytes */
} TileView;

/* An allocation window of a communication domain; a variable of its own kind with identity. */
typedef struct WindowBuffer {
  Expr *base; /* the Ptr variable that alloc_window_buffer binds */
  Name name;
  Expr *size; /* bytes on each rank */
  bool load_from_host, store_to_host;
} WindowBuffer;

/* Each tile has one of its own once it has a place: one cache line. */
struct Type {
  TypeKind kind : 8;
  DType dtype : 8;               /* scalar, tensor, tile, array, reg, buffer */
  MemSpace space : 8;            /* tile, buffer; MEM_NONE if not decided */
  RegKind reg : 8;               /* reg */
  PipeKind pipe : 8;             /* pipe */
  uint16_t rank;                 /* tensor, tile, buffer: dimensions; array, reg: 1 */
  uint16_t nelems;               /* tuple */
  uint32_t slots;                /* multi-buffer */
  Expr **shape;                  /* rank dimensions; array: extent; reg: lanes */
  const Type **elems;            /* tuple; multi-buffer: elems[0] is the buffer type */
  const MemRef *memref;          /* tensor, tile; NULL if none */
  const TensorView *tensor_view; /* tensor; NULL if none: packed ND */
  const TileView *tile_view;     /* tile, buffer; NULL: the view implied by shape and space */
  const WindowBuffer *window;    /* distributed tensor; NULL if not known */
};

const Type *type_unknown(Ir *ir);
const Type *type_void(Ir *ir);
const Type *type_scalar(Ir *ir, DType dtype);
const Type *type_simple(Ir *ir, TypeKind kind); /* kinds without fields */
const Type *type_pipe(Ir *ir, PipeKind pipe);
const Type *type_tuple(Ir *ir, const Type *const *elems, int n);
const Type *type_array(Ir *ir, DType dtype, Expr *extent);
const Type *type_tensor(Ir *ir, Expr *const *shape, int rank, DType dtype);
const Type *type_tile(Ir *ir, Expr *const *shape, int rank, DType dtype, MemSpace space);
/* Interns `t`, any type built on the stack; its arrays and views are copied, and a TileView that
 * says no more than its shape and space imply becomes NULL (see view.h).  The general constructor:
 * to change one field of a type, copy *t, set the field, and intern. */
const Type *type_intern(Ir *ir, const Type *t);
const MemRef *memref_intern(Ir *ir, const MemRef *m);

const Type *type_with_memref(Ir *ir, const Type *t, const MemRef *m);
const Type *type_with_space(Ir *ir, const Type *t, MemSpace space);
const Type *type_with_tile_view(Ir *ir, const Type *t, const TileView *v);
const Type *type_with_tensor_view(Ir *ir, const Type *t, const TensorView *v);
const Type *type_with_shape(Ir *ir, const Type *t, Expr *const *shape, int rank);

static inline bool type_is_scalar(const Type *t) { return t->kind == TYPE_SCALAR; }
static inline bool type_is_tile(const Type *t) { return t->kind == TYPE_TILE; }
/* Plain and distributed tensors alike. */
static inline bool type_is_tensor(const Type *t) {
  return t->kind == TYPE_TENSOR || t->kind == TYPE_DIST_TENSOR;
}
static inline bool type_is_shaped(const Type *t) { return type_is_tensor(t) || type_is_tile(t); }
/* "Tensor", "Tile", ... for messages. */
const char *type_kind_name(const Type *t);
/* Product of the dimensions, or -1 if one is not a constant or it overflows. */
int64_t type_num_elements(const Type *t);
/* Bytes, four-bit types packed; -1 if not constant. */
int64_t type_num_bytes(const Type *t);

#endif
