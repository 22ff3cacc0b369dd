/* A function of one core reserves a buffer for each pipe that it pops from, and imports the other core's for
 * each that it pushes to; what it pops arrives in the memory of that core. */
#include "ir/op.h"
#include "ir/visit.h"
#include "passes/pass.h"

enum { TO_VECTOR = 1, TO_CUBE = 2 }; /* bits of dir_mask */

typedef struct Count {
  Ir *ir;
  bool cube;
  int reserved, imported;
  int pops, pushes; /* directions of the initialized pipes, as this core sees them */
  bool ok;
} Count;

static bool check_stmt(Visitor *v, Stmt *s) {
  Count *c = v->ctx;
  if (s->kind != STMT_ASSIGN) return true;
  const Expr *value = s->u.assign.value;
  MemSpace want = MEM_NONE;
  if (c->cube && expr_is_op(value, OP_TILE_TPOP_FROM_AIV)) want = MEM_MAT;
  if (!c->cube && expr_is_op(value, OP_TILE_TPOP_FROM_AIC)) want = MEM_VEC;
  if (want == MEM_NONE || s->u.assign.var->type->space == want) return true;
  diag_error(c->ir->diag, s->span, "what is popped must arrive in %s", enum_name(ENUM_MEM, want));
  c->ok = false;
  return true;
}

static bool count(Visitor *v, Expr *e) {
  Count *c = v->ctx;
  if (expr_is_op(e, OP_SYSTEM_RESERVE_BUFFER)) c->reserved++;
  if (expr_is_op(e, OP_SYSTEM_IMPORT_PEER_BUFFER)) c->imported++;
  if (!expr_is_op(e, OP_SYSTEM_AIC_INITIALIZE_PIPE) &&
      !expr_is_op(e, OP_SYSTEM_AIV_INITIALIZE_PIPE))
    return true;
  int64_t mask = key_int(e->u.call.kwargs, KEY_DIR_MASK, 0);
  bool to_vector = mask & TO_VECTOR, to_cube = mask & TO_CUBE;
  c->pops += c->cube ? to_cube : to_vector;
  c->pushes += c->cube ? to_vector : to_cube;
  return true;
}

static void compare(Count *c, const Function *f, int have, int want, const char *what) {
  if (have == want) return;
  diag_error(c->ir->diag, f->span, "function '%s' has %s %s than its pipes need", f->name,
             have < want ? "fewer" : "more", what);
  c->ok = false;
}

bool verify_pipe_setup(PassCtx *ctx, const Program *p) {
  bool ok = true;
  for (int i = 0; i < p->nfuncs; i++) {
    Function *f = p->funcs[i];
    if (f->type != FUNC_AIC && f->type != FUNC_AIV) continue;
    Count c = {.ir = ctx->ir, .cube = f->type == FUNC_AIC, .ok = true};
    Visitor v = {.ctx = &c, .expr = count, .stmt = check_stmt};
    visit_block(&v, f->body);
    compare(&c, f, c.reserved, c.pops, "reserved buffers");
    compare(&c, f, c.imported, c.pushes, "imported buffers");
    ok = ok && c.ok;
  }
  return ok;
}
