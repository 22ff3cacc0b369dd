#include "ir/type.h"

#include <string.h>

#include "base/intern.h"
#include "ir/ir.h"
#include "ir/type_table.h"
#include "ir/view.h"

typedef struct TypeTable {
  InternSet types, memrefs;
  const Type
      *scalars[DT_COUNT]; /* those asked for so far: half of all questions are for one of them */
} TypeTable;

void type_table_init(Ir *ir) { ir->types = NEW(ir->home, TypeTable); }

void type_table_clear(Ir *ir) {
  intern_free(&ir->types->types);
  intern_free(&ir->types->memrefs);
  *ir->types = (TypeTable){0};
}

/* ---------------------------------------------------------------- hashing and equality */

static uint64_t hash_exprs(uint64_t h, Expr *const *e, int n) {
  for (int i = 0; i < n; i++) h = hash_mix(h, expr_hash(e[i]));
  return hash_mix(h, (uint64_t)n);
}

static bool same_exprs(Expr *const *a, int na, Expr *const *b, int nb) {
  if (na != nb) return false;
  for (int i = 0; i < na; i++)
    if (!expr_same(a[i], b[i])) return false;
  return true;
}

static uint64_t hash_tensor_view(const TensorView *v) {
  if (!v) return 0;
  uint64_t h = hash_mix(v->layout, v->pad + 17u);
  return hash_exprs(hash_exprs(h, v->stride, v->nstride), v->valid_shape, v->nvalid);
}

bool tensor_view_equal(const TensorView *a, const TensorView *b) {
  if (a == b) return true;
  return a && b && a->layout == b->layout && a->pad == b->pad &&
         same_exprs(a->stride, a->nstride, b->stride, b->nstride) &&
         same_exprs(a->valid_shape, a->nvalid, b->valid_shape, b->nvalid);
}

static uint64_t hash_tile_view(const TileView *v) {
  if (!v) return 0;
  uint64_t h = hash_mix(v->blayout * 4u + v->slayout, v->pad * 4u + v->compact);
  h = hash_mix(h, v->fractal);
  if (v->start_offset) h = hash_mix(h, expr_hash(v->start_offset));
  return hash_exprs(hash_exprs(h, v->stride, v->nstride), v->valid_shape, v->nvalid);
}

bool tile_view_equal(const TileView *a, const TileView *b) {
  if (a == b) return true;
  if (!a || !b || !a->start_offset != !b->start_offset) return false;
  return a->blayout == b->blayout && a->slayout == b->slayout && a->pad == b->pad &&
         a->compact == b->compact && a->fractal == b->fractal &&
         (!a->start_offset || expr_same(a->start_offset, b->start_offset)) &&
         same_exprs(a->stride, a->nstride, b->stride, b->nstride) &&
         same_exprs(a->valid_shape, a->nvalid, b->valid_shape, b->nvalid);
}

static uint64_t hash_type(const Type *t) {
  uint64_t h = hash_mix((uint64_t)t->kind, (uint64_t)t->dtype);
  h = hash_mix(h, (uint64_t)t->space * 64u + (uint64_t)t->reg * 32u + (uint64_t)t->pipe);
  h = hash_mix(h, t->slots);
  h = hash_exprs(h, t->shape, t->rank);
  for (int i = 0; i < t->nelems; i++) h = hash_mix(h, (uint64_t)(uintptr_t)t->elems[i]);
  h = hash_mix(h, (uint64_t)(uintptr_t)t->memref);
  h = hash_mix(h, hash_tensor_view(t->tensor_view));
  h = hash_mix(h, hash_tile_view(t->tile_view));
  return hash_mix(h, (uint64_t)(uintptr_t)t->window);
}

static bool same_type(const Type *a, const Type *b) {
  if (a->kind != b->kind || a->dtype != b->dtype || a->space != b->space || a->reg != b->reg ||
      a->pipe != b->pipe || a->slots != b->slots || a->memref != b->memref ||
      a->window != b->window || a->nelems != b->nelems)
    return false;
  for (int i = 0; i < a->nelems; i++)
    if (a->elems[i] != b->elems[i]) return false;
  return same_exprs(a->shape, a->rank, b->shape, b->rank) &&
         tensor_view_equal(a->tensor_view, b->tensor_view) &&
         tile_view_equal(a->tile_view, b->tile_view);
}

static uint64_t hash_memref(const MemRef *m) {
  uint64_t h = hash_mix((uint64_t)(uintptr_t)m->base, m->size);
  h = hash_mix(h, m->slots * 4u + m->named * 2u + m->pinned);
  if (m->offset) h = hash_mix(h, expr_hash(m->offset));
  if (m->slot) h = hash_mix(h, expr_hash(m->slot));
  return h;
}

static bool same_optional(const Expr *a, const Expr *b) {
  return a == b || (a && b && expr_same(a, b));
}

static bool same_memref(const MemRef *a, const MemRef *b) {
  return a->base == b->base && a->size == b->size && a->named == b->named &&
         a->pinned == b->pinned && a->slots == b->slots && same_optional(a->offset, b->offset) &&
         same_optional(a->slot, b->slot);
}

/* ---------------------------------------------------------------- interning */

static Expr **copy_exprs(Ir *ir, Expr *const *e, int n) {
  return n ? COPY_ARRAY(ir->arena, Expr *, e, n) : NULL;
}

static const TensorView *own_tensor_view(Ir *ir, const TensorView *v) {
  TensorView *own = COPY_ARRAY(ir->arena, TensorView, v, 1);
  own->stride = copy_exprs(ir, v->stride, v->nstride);
  own->valid_shape = copy_exprs(ir, v->valid_shape, v->nvalid);
  return own;
}

static const TileView *own_tile_view(Ir *ir, const TileView *v) {
  TileView *own = COPY_ARRAY(ir->arena, TileView, v, 1);
  own->stride = copy_exprs(ir, v->stride, v->nstride);
  own->valid_shape = copy_exprs(ir, v->valid_shape, v->nvalid);
  return own;
}

/* There are few types but those that name a place: each tile has its own. */
Type *type_copy(Ir *ir, const Type *t) {
  Type *copy = t->memref ? pool_alloc(ir, &ir->placed_types, sizeof *copy) : NEW(ir->arena, Type);
  *copy = *t;
  return copy;
}

MemRef *memref_copy(Ir *ir, const MemRef *m) {
  MemRef *copy = pool_alloc(ir, &ir->memrefs, sizeof *copy);
  *copy = *m;
  return copy;
}

static const Type *own_type(Ir *ir, const Type *t) {
  Type *own = type_copy(ir, t);
  own->shape = copy_exprs(ir, t->shape, t->rank);
  if (t->nelems) own->elems = COPY_ARRAY(ir->arena, const Type *, t->elems, t->nelems);
  if (t->tensor_view) own->tensor_view = own_tensor_view(ir, t->tensor_view);
  if (t->tile_view) own->tile_view = own_tile_view(ir, t->tile_view);
  return own;
}

const Type *type_intern(Ir *ir, const Type *wanted) {
  Type t = *wanted;
  TensorView tensor_view;
  TileView tile_view;
  t.shape = dims_canonical(ir, t.shape, t.rank);
  if (t.tensor_view) {
    tensor_view = *t.tensor_view;
    tensor_view.stride = dims_canonical(ir, tensor_view.stride, tensor_view.nstride);
    tensor_view.valid_shape = dims_canonical(ir, tensor_view.valid_shape, tensor_view.nvalid);
    t.tensor_view = tensor_view_canonical(ir, &tensor_view, t.shape, t.rank);
  }
  if (t.tile_view) {
    tile_view = *t.tile_view;
    tile_view.stride = dims_canonical(ir, tile_view.stride, tile_view.nstride);
    tile_view.valid_shape = dims_canonical(ir, tile_view.valid_shape, tile_view.nvalid);
    t.tile_view = &tile_view;
  }
  if (t.kind == TYPE_TILE || t.kind == TYPE_BUFFER)
    t.tile_view = tile_view_canonical(ir, t.tile_view, t.shape, t.rank, t.dtype, t.space);
  InternSet *s = &ir->types->types;
  InternProbe p = intern_begin(s, hash_type(&t));
  for (const Type *known; (known = intern_next(s, &p));)
    if (same_type(known, &t)) return known;
  return intern_add(s, p, own_type(ir, &t));
}

const MemRef *memref_intern(Ir *ir, const MemRef *m) {
  InternSet *s = &ir->types->memrefs;
  InternProbe p = intern_begin(s, hash_memref(m));
  for (const MemRef *known; (known = intern_next(s, &p));)
    if (same_memref(known, m)) return known;
  return intern_add(s, p, memref_copy(ir, m));
}

/* Adds an item that has no equal in the set. */
static void add_new(InternSet *s, uint64_t hash, const void *item) {
  InternProbe p = intern_begin(s, hash);
  while (intern_next(s, &p)) continue;
  intern_add(s, p, item);
}

void type_table_add(Ir *ir, const Type *t) { add_new(&ir->types->types, hash_type(t), t); }

void type_table_add_memref(Ir *ir, const MemRef *m) {
  add_new(&ir->types->memrefs, hash_memref(m), m);
}

/* ---------------------------------------------------------------- constructors */

const Type *type_simple(Ir *ir, TypeKind kind) { return type_intern(ir, &(Type){.kind = kind}); }
const Type *type_unknown(Ir *ir) { return type_simple(ir, TYPE_UNKNOWN); }
const Type *type_void(Ir *ir) { return type_simple(ir, TYPE_VOID); }

const Type *type_scalar(Ir *ir, DType dtype) {
  const Type **known = &ir->types->scalars[dtype];
  if (!*known) *known = type_intern(ir, &(Type){.kind = TYPE_SCALAR, .dtype = dtype});
  return *known;
}

const Type *type_pipe(Ir *ir, PipeKind pipe) {
  return type_intern(ir, &(Type){.kind = TYPE_PIPE, .pipe = pipe});
}

const Type *type_tuple(Ir *ir, const Type *const *elems, int n) {
  return type_intern(
      ir, &(Type){.kind = TYPE_TUPLE, .elems = (const Type **)elems, .nelems = (uint16_t)n});
}

const Type *type_array(Ir *ir, DType dtype, Expr *extent) {
  return type_intern(ir, &(Type){.kind = TYPE_ARRAY, .dtype = dtype, .shape = &extent, .rank = 1});
}

const Type *type_tensor(Ir *ir, Expr *const *shape, int rank, DType dtype) {
  return type_intern(
      ir,
      &(Type){
          .kind = TYPE_TENSOR, .dtype = dtype, .shape = (Expr **)shape, .rank = (uint16_t)rank});
}

const Type *type_tile(Ir *ir, Expr *const *shape, int rank, DType dtype, MemSpace space) {
  return type_intern(ir, &(Type){.kind = TYPE_TILE,
                                 .dtype = dtype,
                                 .space = space,
                                 .shape = (Expr **)shape,
                                 .rank = (uint16_t)rank});
}

const Type *type_with_memref(Ir *ir, const Type *t, const MemRef *m) {
  Type n = *t;
  n.memref = m;
  return type_intern(ir, &n);
}

const Type *type_with_space(Ir *ir, const Type *t, MemSpace space) {
  Type n = *t;
  n.space = space;
  return type_intern(ir, &n);
}

const Type *type_with_tile_view(Ir *ir, const Type *t, const TileView *v) {
  Type n = *t;
  n.tile_view = v;
  return type_intern(ir, &n);
}

const Type *type_with_tensor_view(Ir *ir, const Type *t, const TensorView *v) {
  Type n = *t;
  n.tensor_view = v;
  return type_intern(ir, &n);
}

const Type *type_with_shape(Ir *ir, const Type *t, Expr *const *shape, int rank) {
  Type n = *t;
  n.shape = (Expr **)shape;
  n.rank = (uint16_t)rank;
  return type_intern(ir, &n);
}

/* ---------------------------------------------------------------- questions */

const char *type_kind_name(const Type *t) {
  static const char *const names[] = {
      [TYPE_UNKNOWN] = "UnknownType",
      [TYPE_VOID] = "VoidType",
      [TYPE_SCALAR] = "Scalar",
      [TYPE_TENSOR] = "Tensor",
      [TYPE_DIST_TENSOR] = "DistributedTensor",
      [TYPE_TILE] = "Tile",
      [TYPE_ARRAY] = "Array",
      [TYPE_TUPLE] = "Tuple",
      [TYPE_PTR] = "Ptr",
      [TYPE_WINDOW_BUFFER] = "WindowBuffer",
      [TYPE_COMM_CTX] = "CommCtxType",
      [TYPE_PREFETCH_CTX] = "PrefetchAsyncContext",
      [TYPE_ASYNC_EVENT] = "AsyncEvent",
      [TYPE_ASYNC_SESSION] = "AsyncSession",
      [TYPE_PIPE] = "PipeType",
      [TYPE_REG] = "Reg",
      [TYPE_BUFFER] = "BufferType",
      [TYPE_MULTI_BUFFER] = "MultiBufferType",
  };
  return names[t->kind];
}

int64_t type_num_elements(const Type *t) {
  int64_t n = 1;
  for (int i = 0; i < t->rank; i++) {
    int64_t d;
    if (!expr_const_int(t->shape[i], &d) || d < 0 || __builtin_mul_overflow(n, d, &n)) return -1;
  }
  return n;
}

int64_t type_num_bytes(const Type *t) {
  int64_t n = type_num_elements(t), bytes;
  if (n < 0 || __builtin_mul_overflow(n, (int64_t)dtype_get_byte(t->dtype), &bytes)) return -1;
  return dtype_bytes(t->dtype, n);
}
