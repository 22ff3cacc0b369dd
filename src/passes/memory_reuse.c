/* MemoryReuse: tiles that are never alive together share memory; docs/passes/memory-reuse.md. */
#include <stdlib.h>

#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/memory/memref.h"
#include "passes/memory/pack.h"
#include "passes/memory/placing.h"
#include "passes/memory/plan_watch.h"
#include "passes/pass.h"

/* Where a tile of a moved allocation comes to lie: in the target as far from its start as it was from
 * the allocation's first tile. */
static const MemRef *moved_ref(Ir *ir, const MemRef *own, const MemRef *first,
                               const MemRef *target) {
  int64_t at, start;
  if (!expr_const_int(own->offset, &at) || !expr_const_int(first->offset, &start)) return target;
  if (at == start && own->size == target->size) return target;
  MemRef m = {.base = target->base, .size = own->size, .slots = 1, .named = target->named};
  m.offset = offset_add(ir, target->offset, expr_index(ir, at - start));
  return memref_intern(ir, &m);
}

/* In the order in which they will be asked for. */
static void move_intervals(Placing *p, const Lives *l, const int *into) {
  for (size_t i = 0; i < l->tiles.len; i++) {
    const Tile *t = &l->tiles.data[i];
    if (into[t->interval] == t->interval) continue;
    const Expr *first = l->intervals.data[t->interval].var;
    const MemRef *target = l->intervals.data[into[t->interval]].var->type->memref;
    const MemRef *to = t->var == first
                           ? target
                           : moved_ref(p->ir, t->var->type->memref, first->type->memref, target);
    placing_move(p, t->var, to, MEM_NONE);
  }
}

/* Packs and moves; false after an error. */
static bool share(PassCtx *ctx, Placing *p, Function *f, const Lives *l) {
  Apart apart;
  Reserved reserved;
  const Target *target = ctx->opts->target;
  bool ok = apart_init(&apart, ctx->ir, target, f, l);
  ok = reserved_init(&reserved, ctx->ir, target, f) && ok;
  if (ok) {
    int *into = xmalloc((l->intervals.len + 1) * sizeof *into);
    pack_intervals(ctx->ir, target, f, l, &apart, &reserved, into);
    move_intervals(p, l, into);
    free(into);
  }
  apart_free(&apart);
  reserved_free(&reserved);
  return ok;
}

/* The function with its tiles shared by these live ranges; NULL after an error.  `joins`: see func_joins_tiles. */
static Function *reuse_by(PassCtx *ctx, Function *f, const Lives *l, bool joins) {
  Placing p;
  placing_init(&p, ctx->ir, ctx->opts->target);
  bool ok = share(ctx, &p, f, l);
  if (ok && joins && p.types.count) align_carried(&p, f);
  if (ok && joins) pull_accumulators(&p, f);
  ok = ok && (!joins || fix_yields(&p, f, true));
  if (ok) follow_copies(&p, f);
  p.strip_stages = true;
  Function *g = ok ? placing_apply(&p, f) : NULL;
  placing_free(&p);
  if (!g) return NULL;
  Block body = drop_unused_allocs(ctx->ir, g->body);
  if (body.items != g->body.items) {
    g = func_copy(ctx->ir, g);
    g->body = body;
  }
  return g;
}

/* Does a tile lose its memory too early?  Seen with addresses; if there are none to be had, that is reported when
 * they are asked for. */
static bool is_unsafe(PassCtx *ctx, Function *g) {
  Diag *d = ctx->ir->diag;
  Diag before = *d;
  if (!func_is_incore(g->type)) return false;
  d->quiet = true;
  Program *p = allocate_memory_addr(ctx, program_new(ctx->ir, g->name, &g, 1, g->span));
  bool unsafe = p && !plan_is_safe(ctx, p->funcs[0], false);
  *d = before;
  return unsafe;
}

static Function *reuse_func(void *context, Function *f) {
  PassCtx *ctx = context;
  if (f->type == FUNC_ORCHESTRATION) return f;
  Lives l, whole;
  bool joins = func_joins_tiles(f); /* only what stands behind them can live longer than it seems */
  lives_init(&l, ctx->ir, f, false, false);
  Function *g = l.intervals.len ? reuse_by(ctx, f, &l, joins) : f;
  if (g && l.intervals.len && joins) {
    lives_init(&whole, ctx->ir, f, false, true);
    if (lives_differ(&l, &whole) && is_unsafe(ctx, g)) g = reuse_by(ctx, f, &whole, joins);
    lives_free(&whole);
  }
  lives_free(&l);
  return g;
}

Program *memory_reuse(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, reuse_func, ctx);
}
