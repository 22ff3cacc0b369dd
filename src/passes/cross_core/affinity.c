#include "passes/cross_core/affinity.h"

#include <string.h>

#include "passes/memory/memref.h"

/* The space of the first tile among the arguments, or MEM_NONE. */
static MemSpace first_tile_space(const Expr *call) {
  for (int i = 0; i < call->u.call.nargs; i++)
    if (expr_is_var(call->u.call.args[i]) && type_is_tile(call->u.call.args[i]->type))
      return call->u.call.args[i]->type->space;
  return MEM_NONE;
}

static OpAffinity side_of(MemSpace s) { return is_cube_space(s) ? AFFINITY_CUBE : AFFINITY_VECTOR; }

static MemSpace target_memory(Ir *ir, const Expr *call) {
  return (MemSpace)attr_int(call->u.call.kwargs, ir_name(ir, "target_memory"), MEM_VEC);
}

static OpAffinity move_affinity(Ir *ir, const Expr *call) {
  MemSpace from = first_tile_space(call), to = target_memory(ir, call);
  if (from != MEM_NONE && is_cube_space(from) != is_cube_space(to)) return AFFINITY_MIXED;
  return side_of(from);
}

/* For operators whose core is written in core_type=. */
static OpAffinity written_affinity(Ir *ir, const Expr *call, const char *cube, const char *vector) {
  const AttrValue *v = attr_get(call->u.call.kwargs, ir_name(ir, "core_type"));
  if (!v || v->kind != ATTR_STR) return AFFINITY_SHARED;
  if (strcmp(v->u.str, cube) == 0) return AFFINITY_CUBE;
  return strcmp(v->u.str, vector) == 0 ? AFFINITY_VECTOR : AFFINITY_SHARED;
}

bool op_states_core(const Op *op) {
  return op->affinity != AFFINITY_AUTO || op->id == OP_SYSTEM_SYNCALL ||
         op->id == OP_SYSTEM_SYNC_SET || op->id == OP_SYSTEM_SYNC_WAIT;
}

static OpAffinity own_affinity(Ir *ir, const Expr *call) {
  const Op *op = expr_op(call);
  if (!op) return AFFINITY_SHARED;
  if (op->affinity != AFFINITY_AUTO) return op->affinity;
  switch (op->id) {
    case OP_TILE_MOVE: return move_affinity(ir, call);
    case OP_SYSTEM_SYNCALL: return written_affinity(ir, call, "aic_only", "aiv_only");
    case OP_SYSTEM_SYNC_SET:
    case OP_SYSTEM_SYNC_WAIT: return written_affinity(ir, call, "aic", "aiv");
    case OP_TILE_AIV_SHARD:
    case OP_TILE_AIC_GATHER:
    case OP_TENSOR_AIV_SHARD:
    case OP_TENSOR_AIC_GATHER: return AFFINITY_MIXED;
    default: break;
  }
  MemSpace s = call_fixed_space(call);
  if (s == MEM_NONE) s = first_tile_space(call);
  return s == MEM_NONE ? AFFINITY_SHARED : side_of(s);
}

OpAffinity call_affinity(Ir *ir, const Expr *call) {
  OpAffinity own = own_affinity(ir, call);
  const Op *op = expr_op(call);
  if (!op || op_states_core(op)) return own;
  /* what stands in a pl.split_aiv region runs on the vector cores unless that is impossible */
  const AttrValue *placed = key_get(call->u.call.attrs, KEY_CORE_PLACEMENT);
  bool vector = placed && placed->kind == ATTR_STR && strcmp(placed->u.str, "aiv") == 0;
  return vector && own == AFFINITY_SHARED ? AFFINITY_VECTOR : own;
}

typedef struct Walk {
  Ir *ir;
  Map popped; /* tiles that have crossed: moving them on is no crossing */
  Map *of;    /* NULL, or statement -> affinity, to be filled */
} Walk;

static OpAffinity value_affinity(Walk *w, const Expr *value) {
  if (value->kind != EXPR_CALL) return AFFINITY_SHARED;
  OpAffinity a = call_affinity(w->ir, value);
  bool moves_on =
      a == AFFINITY_MIXED && value->u.call.nargs && map_has(&w->popped, value->u.call.args[0]);
  if (moves_on && key_get(value->u.call.kwargs, KEY_TARGET_MEMORY))
    return side_of(target_memory(w->ir, value));
  return a;
}

static OpAffinity walk(Walk *w, Block b);

static OpAffinity stmt_affinity(Walk *w, const Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN: {
      const Op *op = expr_op(s->u.assign.value);
      if (op && (op->cross_role == CROSS_POP || op->id == OP_TILE_AIV_SHARD ||
                 op->id == OP_TILE_AIC_GATHER))
        map_set(&w->popped, s->u.assign.var, s->u.assign.var);
      return value_affinity(w, s->u.assign.value);
    }
    case STMT_EVAL:
      return s->u.eval->kind == EXPR_CALL ? call_affinity(w->ir, s->u.eval) : AFFINITY_SHARED;
    case STMT_IF: {
      OpAffinity a = walk(w, s->u.if_.then_body);
      return s->u.if_.has_else ? combine_affinity(a, walk(w, s->u.if_.else_body)) : a;
    }
    case STMT_FOR:
    case STMT_WHILE: return walk(w, s->u.loop.body);
    default: return AFFINITY_SHARED;
  }
}

static OpAffinity walk(Walk *w, Block b) {
  OpAffinity a = AFFINITY_SHARED;
  for (int i = 0; i < b.len; i++) {
    OpAffinity of = stmt_affinity(w, b.items[i]);
    if (w->of) map_set(w->of, b.items[i], map_int(of));
    a = combine_affinity(a, of);
  }
  return a;
}

OpAffinity note_affinities(Ir *ir, Block b, Map *of) {
  Walk w = {.ir = ir, .of = of};
  OpAffinity a = walk(&w, b);
  map_free(&w.popped);
  return a;
}

OpAffinity block_affinity(Ir *ir, Block b) { return note_affinities(ir, b, NULL); }
