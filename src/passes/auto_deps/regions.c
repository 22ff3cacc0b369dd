/* Windows of buffers, section Places of the page. */
#include "ir/calls.h"
#include "ir/op.h"
#include "ir/view.h"
#include "passes/auto_deps/auto_deps.h"

const Region region_full = {.kind = REGION_FULL};
const Region region_opaque = {.kind = REGION_OPAQUE};

bool regions_meet(const Region *a, const Region *b) {
  if (a->kind != REGION_BOX || b->kind != REGION_BOX || a->rank != b->rank) return true;
  for (int i = 0; i < a->rank; i++)
    if (a->ends[i] <= b->offsets[i] || b->ends[i] <= a->offsets[i]) return false;
  return true;
}

bool region_covers(const Region *a, const Region *b) {
  if (a->kind != REGION_BOX) return true;
  if (b->kind != REGION_BOX || a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (b->offsets[i] < a->offsets[i] || b->ends[i] > a->ends[i]) return false;
  return true;
}

/* Are a tensor's elements addressed by its shape alone? */
static bool is_plain(Ir *ir, const Type *t) {
  const TensorView *v = t->tensor_view;
  if (!v) return true;
  if (v->layout != LAYOUT_ND || v->nvalid) return false;
  Expr **packed = v->nstride ? packed_strides(ir, t->shape, t->rank, LAYOUT_ND) : NULL;
  return !v->nstride || (packed && dims_equal(packed, t->rank, v->stride, v->nstride));
}

/* A window of `parent` at constant offsets, in the indices of the buffer. */
static const Region *window(Derive *d, const Region *parent, const Expr *shape,
                            const Expr *offset) {
  int rank = shape->kind == EXPR_TUPLE ? shape->u.tuple.len : 0;
  if (rank == 0 || offset->kind != EXPR_TUPLE || offset->u.tuple.len != rank) return &region_opaque;
  if (parent->kind == REGION_BOX && parent->rank != rank) return &region_opaque;
  Region *r = NEW(d->ir->arena, Region);
  *r = (Region){.kind = REGION_BOX, .rank = rank};
  r->offsets = NEW_ARRAY(d->ir->arena, int64_t, rank);
  r->ends = NEW_ARRAY(d->ir->arena, int64_t, rank);
  for (int i = 0; i < rank; i++) {
    int64_t at, extent, base = parent->kind == REGION_BOX ? parent->offsets[i] : 0;
    if (!expr_known_int(offset->u.tuple.elems[i], &at) ||
        !expr_known_int(shape->u.tuple.elems[i], &extent) || at < 0 || extent < 0 ||
        __builtin_add_overflow(base, at, &r->offsets[i]) ||
        __builtin_add_overflow(r->offsets[i], extent, &r->ends[i]))
      return &region_opaque;
  }
  return r;
}

Place auto_deps_place(const Derive *d, const Expr *e) {
  const Place *view = map_get(&d->views, e);
  if (view) return *view;
  Expr *root = buffer_root(&d->roots, e);
  view = root ? map_get(&d->views, root) : NULL;
  if (view) return *view;
  return (Place){root, root && is_plain(d->ir, root->type) ? &region_full : &region_opaque};
}

void auto_deps_note_view(Derive *d, const Expr *var, const Expr *call) {
  Place *p = NEW(d->ir->arena, Place);
  *p = auto_deps_place(d, call->u.call.args[0]);
  bool plain_slice = expr_is_op(call, OP_TENSOR_SLICE) && call->u.call.nargs == 3 &&
                     call->u.call.kwargs.len == 0 && p->region->kind != REGION_OPAQUE;
  if (plain_slice)
    p->region = window(d, p->region, call->u.call.args[1], call->u.call.args[2]);
  else if (!expr_is_op(call, OP_TENSOR_ASSEMBLE))
    p->region = &region_opaque;
  map_set(&d->views, var, p);
}
