#include "ir/stmt.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"

/* Bytes of a statement of that kind: most are assignments, and there are millions of them. */
static size_t stmt_size(StmtKind kind) {
  switch (kind) {
    case STMT_ASSIGN: return offsetof(Stmt, u) + sizeof((Stmt *)0)->u.assign;
    case STMT_EVAL: return offsetof(Stmt, u) + sizeof((Stmt *)0)->u.eval;
    case STMT_RETURN:
    case STMT_YIELD: return offsetof(Stmt, u) + sizeof((Stmt *)0)->u.ret;
    default: return sizeof(Stmt);
  }
}

Stmt *stmt_new(Ir *ir, StmtKind kind, Span span) {
  Stmt *s = arena_alloc(ir->arena, stmt_size(kind));
  s->kind = kind;
  s->span = span;
  return s;
}

Stmt *stmt_copy(Ir *ir, const Stmt *s) { return arena_copy(ir->arena, s, stmt_size(s->kind)); }

Stmt stmt_load(const Stmt *s) {
  Stmt n = {0};
  memcpy(&n, s, stmt_size(s->kind));
  return n;
}

bool stmt_same_fields(const Stmt *a, const Stmt *b) {
  return memcmp(&a->u, &b->u, stmt_size(a->kind) - offsetof(Stmt, u)) == 0;
}

Stmt *stmt_assign(Ir *ir, Expr *var, Expr *value, Span span) {
  Stmt *s = stmt_new(ir, STMT_ASSIGN, span);
  s->u.assign.var = var;
  s->u.assign.value = value;
  return s;
}

Stmt *stmt_eval(Ir *ir, Expr *value, Span span) {
  Stmt *s = stmt_new(ir, STMT_EVAL, span);
  s->u.eval = value;
  return s;
}

static Stmt *with_values(Ir *ir, StmtKind kind, Expr *const *values, int n, Span span) {
  Stmt *s = stmt_new(ir, kind, span);
  s->u.ret.values = n ? COPY_ARRAY(ir->arena, Expr *, values, n) : NULL;
  s->u.ret.len = n;
  return s;
}

Stmt *stmt_return(Ir *ir, Expr *const *values, int n, Span span) {
  return with_values(ir, STMT_RETURN, values, n, span);
}

Stmt *stmt_yield(Ir *ir, Expr *const *values, int n, Span span) {
  return with_values(ir, STMT_YIELD, values, n, span);
}

Block block_take(Ir *ir, StmtList *list) {
  int n = (int)list->len;
  return (Block){vec_to_arena(list, ir->arena), n};
}

Block block_of(Ir *ir, Stmt *const *items, int n) {
  return (Block){n ? COPY_ARRAY(ir->arena, Stmt *, items, n) : NULL, n};
}

Stmt *block_yield(Block b) {
  return b.len && b.items[b.len - 1]->kind == STMT_YIELD ? b.items[b.len - 1] : NULL;
}

const ScopeTraits *scope_traits(ScopeKind kind) {
  static const ScopeTraits traits[] = {
      [SCOPE_INCORE] = {.work = true},
      [SCOPE_CLUSTER] = {.work = true},
      [SCOPE_HIERARCHY] = {.work = true},
      [SCOPE_SPMD] = {.work = true},
      [SCOPE_SPLIT_AIV] = {.work = true, .transparent = true},
      [SCOPE_RUNTIME] = {.transparent = true},
      [SCOPE_COMM_DOMAIN] = {0},
      [SCOPE_REG] = {.transparent = true},
  };
  return &traits[kind];
}

bool stmt_is_transparent(const Stmt *s) {
  return s->kind == STMT_SCOPE && scope_traits(s->u.scope.kind)->transparent;
}

Stmt *block_last_yield(Block b) {
  while (b.len > 0) {
    Stmt *last = b.items[b.len - 1];
    if (last->kind == STMT_YIELD) return last;
    if (!stmt_is_transparent(last)) return NULL;
    b = last->u.scope.body;
  }
  return NULL;
}

Function *func_copy(Ir *ir, const Function *f) { return COPY_ARRAY(ir->arena, Function, f, 1); }

Level func_type_level(FuncType type) {
  switch (type) {
    case FUNC_ORCHESTRATION:
    case FUNC_GRAPH: return LEVEL_CHIP;
    case FUNC_INCORE: return LEVEL_CHIP_DIE;
    case FUNC_AIC: return LEVEL_AIC;
    case FUNC_AIV: return LEVEL_AIV;
    case FUNC_GROUP: return LEVEL_CORE_GROUP;
    default: return LEVEL_NONE;
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(Function *const *)a)->name, (*(Function *const *)b)->name);
}

Program *program_new(Ir *ir, Name name, Function *const *funcs, int n, Span span) {
  Program *p = NEW(ir->arena, Program);
  p->name = name;
  p->funcs = COPY_ARRAY(ir->arena, Function *, funcs, n);
  p->nfuncs = n;
  p->span = span;
  if (n > 1) qsort(p->funcs, (size_t)n, sizeof *p->funcs, by_name);
  return p;
}

Function *program_func(const Program *p, Name name) {
  int lo = 0, hi = p->nfuncs;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    int c = strcmp(p->funcs[mid]->name, name);
    if (c == 0) return p->funcs[mid];
    if (c < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return NULL;
}

Function *program_entry(const Program *p) {
  Function *entry = NULL;
  for (int i = 0; i < p->nfuncs; i++) {
    if (p->funcs[i]->type != FUNC_ORCHESTRATION) continue;
    if (entry) return NULL;
    entry = p->funcs[i];
  }
  return entry;
}
