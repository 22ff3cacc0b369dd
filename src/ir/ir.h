/* ir.h -- the context of one compilation, and everything of the IR. */
#ifndef PYPTOC_IR_IR_H
#define PYPTOC_IR_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/name.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "ir/type.h"

/* What the arithmetic engine, a layer above, lends to the deduction of types. */
typedef struct IrArith {
  bool (*proves)(Ir *ir, Expr *cond); /* does the BOOL expression surely hold? */
  Expr *(*simplify)(Ir *ir, Expr *e); /* an equal expression, as short as it gets */
} IrArith;

/* Room for nodes of one kind, which lie together. */
typedef struct NodePool {
  char *next, *end;
} NodePool;

struct Ir {
  Arena *arena; /* of nodes and types: ir_compact changes what it holds */
  Arena *home;  /* of names and operators, which stay where they are */
  NameTable names;
  Diag *diag;
  uint32_t next_var; /* id of the next variable */
  struct TypeTable *types;
  Op *ops;              /* the operator table, by OpId; see op.h */
  Map op_names;         /* Name -> Op */
  Map short_names;      /* Name -> what pl.NAME means, see ops/unified.def */
  const IrArith *arith; /* NULL: only constants and equal expressions are compared */
  Expr *ints
      [64]; /* the last integer constants made of nowhere, to be shared: each at a place that its value gives */
  Arena nodes;
  NodePool vars, placed_types,
      memrefs;      /* in the order of the program: maps are asked for variables in it */
  size_t compacted; /* bytes in `nodes` after the last ir_compact */
};

/* `home` holds what stays; the nodes have an arena of their own. */
void ir_init(Ir *ir, Arena *home, Diag *diag);
void ir_free(Ir *ir);

/* `size` bytes, always the same of one pool. */
static inline void *pool_alloc(Ir *ir, NodePool *p, size_t size) {
  enum { TOGETHER = 64 };
  if (p->next == p->end) {
    p->next = arena_alloc(ir->arena, TOGETHER * size);
    p->end = p->next + TOGETHER * size;
  }
  char *at = p->next;
  p->next += size;
  return at;
}

static inline Name ir_name(Ir *ir, const char *s) { return name_of(&ir->names, s); }

#endif
