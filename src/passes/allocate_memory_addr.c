/* AllocateMemoryAddr: places allocations at addresses; docs/passes/allocate-memory-addr.md. */
#include <stdlib.h>
#include <string.h>

#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/memory/dsa_plan.h"
#include "passes/memory/lives.h"
#include "passes/memory/memref.h"
#include "passes/memory/overfull.h"
#include "passes/memory/plan_watch.h"
#include "passes/memory/reserve.h"
#include "passes/pass.h"

/* An allocation that some tile lies in. */
typedef struct Alloc {
  const Expr *base;
  MemSpace space;
  uint64_t size;
  Expr *first; /* a tile in it, for messages */
} Alloc;

typedef struct Addresses {
  PassCtx *ctx;
  Ir *ir;
  const Function *f;
  Reserved reserved;
  VEC(Alloc) allocs;
  Map index;   /* allocation -> its place in allocs + 1 */
  Map pinned;  /* allocation declared by the author -> itself */
  Map address; /* allocation -> address + 1 */
} Addresses;

/* ---------------------------------------------------------------- what there is to place */

static void gather_var(Addresses *a, Expr *var) {
  Expr *base = tile_base(var->type);
  if (!base || var->type->space == MEM_DDR) return;
  intptr_t i = map_get_int(&a->index, base);
  if (!i) {
    vec_push(&a->allocs, (Alloc){base, var->type->space, 0, var});
    i = (intptr_t)a->allocs.len;
    map_set(&a->index, base, map_int(i));
  }
  Alloc *alloc = &a->allocs.data[i - 1];
  if (var->type->memref->size > alloc->size) alloc->size = var->type->memref->size;
}

static void gather_def(Visitor *v, Expr *var) { gather_var(v->ctx, var); }

static bool gather_use(Visitor *v, Expr *e) {
  if (expr_is_var(e)) gather_var(v->ctx, e);
  return true;
}

static bool gather(Addresses *a) {
  Visitor v = {.ctx = a, .def = gather_def, .expr = gather_use};
  visit_block(&v, a->f->body);
  for (int i = 0; i < a->f->body.len; i++) {
    uint64_t bytes;
    if (!pinned_bytes(a->ir, a->f->body.items[i], &bytes)) continue;
    Expr *base = a->f->body.items[i]->u.assign.var;
    map_set(&a->pinned, base, base);
    intptr_t k = map_get_int(&a->index, base);
    if (k && bytes > a->allocs.data[k - 1].size) a->allocs.data[k - 1].size = bytes;
  }
  for (size_t i = 0; i < a->allocs.len; i++) {
    if (a->allocs.data[i].size) continue;
    diag_error(a->ir->diag, a->allocs.data[i].first->span, "tile '%s' occupies no bytes",
               a->allocs.data[i].first->u.var.name);
    return false;
  }
  return true;
}

/* ---------------------------------------------------------------- one after another */

static int by_space_and_name(const void *x, const void *y) {
  const Alloc *a = x, *b = y;
  if (a->space != b->space) return a->space < b->space ? -1 : 1;
  int order = strcmp(a->base->u.var.name, b->base->u.var.name);
  if (order) return order;
  return a->base->u.var.id < b->base->u.var.id ? -1 : a->base->u.var.id > b->base->u.var.id;
}

static bool place_in_order(Addresses *a) {
  const Target *target = a->ctx->opts->target;
  size_t n = a->allocs.len;
  if (n) qsort(a->allocs.data, n, sizeof *a->allocs.data, by_space_and_name);
  bool ok = true;
  for (size_t i = 0; i < n;) {
    MemSpace space = a->allocs.data[i].space;
    uint64_t at = reserved_end(&a->reserved, space);
    for (; i < n && a->allocs.data[i].space == space; i++) {
      map_set(&a->address, a->allocs.data[i].base, map_int((intptr_t)at + 1));
      at = align_address(target, space, at + a->allocs.data[i].size);
    }
    uint64_t capacity = (uint64_t)target->spaces[space].capacity;
    if (!capacity || at <= capacity) continue;
    report_overfull(a->ir, a->ctx->opts, a->f, &a->reserved, space, at);
    ok = false;
  }
  return ok;
}

/* ---------------------------------------------------------------- rewriting */

static const MemRef *addressed(Addresses *a, const MemRef *m, uint64_t base) {
  MemRef n = *m;
  int64_t offset;
  bool constant = expr_const_int(m->offset, &offset);
  if (constant || !map_has(&a->pinned, m->base))
    /* a view with an offset known only at run time computes its address from its operands */
    n.offset = expr_int(a->ir, (int64_t)base + (constant ? offset : 0), DT_INT64, NO_SPAN);
  else
    n.offset = expr_binary(a->ir, EXPR_ADD, expr_index(a->ir, (int64_t)base), m->offset, DT_INDEX,
                           NO_SPAN);
  return memref_intern(a->ir, &n);
}

static const Type *address_type(Rewriter *r, const Type *t) {
  Addresses *a = r->ctx;
  intptr_t at = tile_base(t) ? map_get_int(&a->address, t->memref->base) : 0;
  if (!at) return rewrite_type_children(r, t);
  return type_with_memref(r->ir, t, addressed(a, t->memref, (uint64_t)at - 1));
}

static Expr *address_expr(Rewriter *r, Expr *e) {
  Addresses *a = r->ctx;
  Expr *n = rewrite_expr_children(r, e);
  if (e->kind != EXPR_CALL) return n;
  intptr_t base = map_get_int(&a->reserved.bases, e);
  if (n->u.call.args == e->u.call.args && !base) return n;
  n = expr_copy(r->ir, n);
  if (base) n->u.call.kwargs = key_with(r->ir, n->u.call.kwargs, KEY_BASE, attr_of_int(base - 1));
  if (n->u.call.args != e->u.call.args) n->u.call.attrs = (AttrList){NULL, 0};
  return n;
}

/* Pipeline stages have been read by now. */
static Expr *strip_expr(Rewriter *r, Expr *e) {
  Expr *n = rewrite_expr_children(r, e);
  Name key = key_name(KEY_PIPELINE_MEMBERSHIP);
  if (n->kind != EXPR_CALL || !attr_get(n->u.call.attrs, key)) return n;
  n = expr_copy(r->ir, n);
  n->u.call.attrs = attr_without(r->ir, n->u.call.attrs, key);
  return n;
}

static Function *rewrite_with(Addresses *a, Function *f, Expr *(*expr)(Rewriter *, Expr *),
                              const Type *(*type)(Rewriter *, const Type *)) {
  Rewriter r;
  rewriter_init(&r, a->ir, a);
  r.expr = expr;
  r.type = type;
  f = rewrite_func(&r, f);
  rewriter_free(&r);
  return f;
}

/* Would a plan with whole live ranges be another one? */
static bool loses_sight(PassCtx *ctx, const Function *f) {
  Lives planned, whole;
  lives_init(&planned, ctx->ir, f, true, false);
  lives_init(&whole, ctx->ir, f, true, true);
  bool differ = lives_differ(&planned, &whole);
  lives_free(&planned);
  lives_free(&whole);
  return differ;
}

static Function *with_addresses(Addresses *a, Function *f, bool dsa) {
  if (!a->address.count && !a->reserved.bases.count) return f;
  Function *g = rewrite_with(a, f, address_expr, address_type);
  if (!dsa) return g;
  g = func_copy(a->ir, rewrite_with(a, g, strip_expr, NULL));
  g->body = drop_unused_allocs(a->ir, g->body);
  return g;
}

static Function *address_func(void *context, Function *f) {
  PassCtx *ctx = context;
  if (!func_is_incore(f->type)) return f;
  Addresses a = {.ctx = ctx, .ir = ctx->ir, .f = f};
  bool dsa = ctx->opts->planner == PLANNER_DSA_RP;
  bool ok = reserved_init(&a.reserved, a.ir, ctx->opts->target, f) && gather(&a);
  if (ok)
    ok = dsa ? dsa_plan(a.ir, ctx->opts, f, &a.reserved, false, &a.address) : place_in_order(&a);
  Function *g = ok ? with_addresses(&a, f, dsa) : NULL;
  if (ok && dsa && loses_sight(ctx, f) && !plan_is_safe(ctx, g, false)) {
    map_clear(&a.address);
    ok = dsa_plan(a.ir, ctx->opts, f, &a.reserved, true, &a.address);
    g = ok ? with_addresses(&a, f, dsa) : NULL;
  }
  vec_free(&a.allocs);
  map_free(&a.index);
  map_free(&a.pinned);
  map_free(&a.address);
  reserved_free(&a.reserved);
  return g;
}

Program *allocate_memory_addr(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, address_func, ctx);
}
