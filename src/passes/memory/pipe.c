#include "passes/memory/pipe.h"

#include "ir/op.h"

#define IN(space) (1u << MEM_##space)

#define L0_SPACES (IN(LEFT) | IN(RIGHT) | IN(ACC) | IN(BIAS) | IN(LEFT_SCALE) | IN(RIGHT_SCALE))

/* The space of a shaped value, or MEM_NONE. */
static MemSpace space_of(const Type *t) {
  if (type_is_tensor(t)) return MEM_DDR;
  if (t->kind == TYPE_ARRAY) return MEM_SCALAR_LOCAL;
  return type_is_tile(t) ? t->space : MEM_NONE;
}

static bool single(uint32_t set, MemSpace *out) {
  if (!set || (set & (set - 1))) return false;
  *out = (MemSpace)__builtin_ctz(set);
  return true;
}

static uint32_t result_spaces(const Type *t) {
  if (space_of(t) != MEM_NONE) return 1u << space_of(t);
  uint32_t set = 0;
  for (int i = 0; t->kind == TYPE_TUPLE && i < t->nelems; i++) set |= result_spaces(t->elems[i]);
  return set;
}

/* Which engine copies between two spaces.  Three MTE engines each serve one direction: from global
 * memory into the core (MTE2), out of it or from one core's buffer to the other's (MTE3), and from Mat
 * to what feeds the cube (MTE1).  Accumulators leave by FIX, wherever they go. */
typedef struct Route {
  MemSpace from;
  uint32_t to; /* set of spaces */
  PipeKind pipe;
} Route;

static const Route routes[] = {
    {MEM_DDR, IN(VEC) | IN(MAT), PIPE_MTE2},
    {MEM_VEC, IN(DDR) | IN(MAT), PIPE_MTE3},
    {MEM_MAT, IN(DDR), PIPE_MTE3},
    {MEM_MAT, L0_SPACES, PIPE_MTE1},
    {MEM_ACC, ~0u, PIPE_FIX},
};

/* The pipe of a copy; false if the chip has no such move, or no engine is known for it. */
static bool transfer_pipe(const Target *target, MemSpace from, MemSpace to, PipeKind *pipe) {
  if (!target_moves(target, from, to)) return false;
  for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
    const Route *r = &routes[i];
    if (r->from != from || !((r->to >> to) & 1)) continue;
    *pipe = r->pipe;
    return true;
  }
  return false;
}

static bool move_pipe(const Target *target, const Expr *call, uint32_t results, PipeKind *pipe) {
  MemSpace to, from = MEM_NONE;
  int sources = 0;
  for (int i = 0; i < call->u.call.nargs; i++) {
    if (space_of(call->u.call.args[i]->type) == MEM_NONE) continue;
    from = space_of(call->u.call.args[i]->type);
    sources++;
  }
  if (!single(results, &to) || sources != 1) return false;
  if (from != to || from == MEM_DDR || from == MEM_SCALAR_LOCAL)
    return transfer_pipe(target, from, to, pipe);
  *pipe = PIPE_V;
  return true;
}

bool call_pipe(const Target *target, const Expr *call, PipeKind *pipe) {
  const Op *op = expr_op(call);
  if (op && op->access == ACCESS_NONE) return false;
  uint32_t results = result_spaces(call->type), inputs = 0;
  for (int i = 0; i < call->u.call.nargs; i++) {
    MemSpace s = space_of(call->u.call.args[i]->type);
    if (s != MEM_NONE) inputs |= 1u << s;
  }
  if (op && op->id == OP_TILE_MOVE) return move_pipe(target, call, results, pipe);
  MemSpace to, from;
  if (!single(results, &to)) return false;
  if (to == MEM_SCALAR_LOCAL) {
    *pipe = PIPE_S;
    return true;
  }
  uint32_t local = inputs & ~(IN(DDR) | IN(SCALAR_LOCAL));
  if (to == MEM_DDR) return single(local, &from) && transfer_pipe(target, from, MEM_DDR, pipe);
  if (inputs & IN(DDR)) return transfer_pipe(target, MEM_DDR, to, pipe);
  if (single(local & ~(1u << to), &from) && transfer_pipe(target, from, to, pipe)) return true;
  if (to == MEM_VEC && !(inputs & ~(IN(VEC) | IN(SCALAR_LOCAL)))) {
    *pipe = PIPE_V;
    return true;
  }
  if (!(L0_SPACES >> to & 1) || (inputs & ~L0_SPACES)) return false;
  *pipe = PIPE_M;
  return true;
}
