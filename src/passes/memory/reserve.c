#include "passes/memory/reserve.h"

#include <limits.h>
#include <stdlib.h>

#include "ir/op.h"
#include "ir/visit.h"

typedef struct Extent {
  uint64_t begin, end;
  Expr *call;
} Extent;

typedef struct Collect {
  Ir *ir;
  const Target *target;
  Reserved *r;
  uint64_t next;
  VEC(Extent) extents;
  bool ok;
} Collect;

static bool collect_reserve(Visitor *v, Expr *e) {
  Collect *c = v->ctx;
  if (!expr_is_op(e, OP_SYSTEM_RESERVE_BUFFER)) return true;
  int64_t size = key_int(e->u.call.kwargs, KEY_SIZE, -1);
  int64_t base = key_int(e->u.call.kwargs, KEY_BASE, -1);
  uint64_t begin = base >= 0 ? (uint64_t)base : c->next;
  if (size <= 0 || size > INT_MAX || begin > INT_MAX) {
    diag_error(c->ir->diag, e->span, "a buffer of %lld bytes at %llu cannot be reserved",
               (long long)size, (unsigned long long)begin);
    c->ok = false;
    return true;
  }
  uint64_t end = align_address(c->target, c->r->space, begin + (uint64_t)size);
  vec_push(&c->extents, (Extent){begin, end, e});
  map_set(&c->r->bases, e, map_int((intptr_t)begin + 1));
  if (end > c->next) c->next = end;
  if (end > c->r->end) c->r->end = end;
  return true;
}

static int by_begin(const void *x, const void *y) {
  const Extent *a = x, *b = y;
  return a->begin < b->begin ? -1 : a->begin > b->begin;
}

bool reserved_init(Reserved *r, Ir *ir, const Target *target, const Function *f) {
  *r = (Reserved){.space = f->type == FUNC_AIC ? MEM_MAT : MEM_VEC};
  Collect c = {.ir = ir, .target = target, .r = r, .ok = true};
  Visitor v = {.ctx = &c, .expr = collect_reserve};
  visit_block(&v, f->body);
  if (c.extents.len) qsort(c.extents.data, c.extents.len, sizeof *c.extents.data, by_begin);
  for (size_t i = 1; i < c.extents.len; i++) {
    const Extent *a = &c.extents.data[i - 1], *b = &c.extents.data[i];
    if (a->end <= b->begin) continue;
    diag_error(ir->diag, b->call->span,
               "reserved buffers overlap: bytes %llu to %llu and %llu to %llu",
               (unsigned long long)a->begin, (unsigned long long)a->end,
               (unsigned long long)b->begin, (unsigned long long)b->end);
    c.ok = false;
  }
  vec_free(&c.extents);
  return c.ok;
}

void reserved_free(Reserved *r) { map_free(&r->bases); }
