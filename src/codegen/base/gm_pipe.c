#include "codegen/base/gm_pipe.h"

#include "ir/calls.h"
#include "ir/op.h"
#include "ir/visit.h"
#include "target/runtime.h"

int gm_pipe_rings(int64_t dir_mask) {
  bool both = dir_mask == (PIPE_CUBE_TO_VECTOR | PIPE_VECTOR_TO_CUBE);
  bool one = dir_mask == PIPE_CUBE_TO_VECTOR || dir_mask == PIPE_VECTOR_TO_CUBE;
  return both ? 2 : one ? 1 : 0;
}

int gm_pipe_slots(int64_t dir_mask, int64_t slot_num) {
  int rings = gm_pipe_rings(dir_mask);
  if (rings == 0) return 0;
  return slot_num > 0 ? (int)slot_num : rings == 2 ? RUNTIME_RING_SLOTS_BOTH : RUNTIME_RING_SLOTS;
}

int64_t gm_pipe_bytes(int64_t dir_mask, int64_t slot_num, int64_t slot_size) {
  return (int64_t)gm_pipe_rings(dir_mask) * gm_pipe_slots(dir_mask, slot_num) * slot_size;
}

typedef struct Pipes {
  Ir *ir;
  const Program *program;
  Map seen;  /* functions */
  Map pipes; /* 1 + 4 * id + mask: pipes counted */
  int64_t bytes;
} Pipes;

static void scan(Pipes *p, const Function *f);

static bool scan_expr(Visitor *v, Expr *e) {
  Pipes *p = v->ctx;
  const Op *op = expr_op(e);
  if (op && op->cross_role == CROSS_INIT_PIPE) {
    AttrList kw = e->u.call.kwargs;
    int64_t mask = key_int(kw, KEY_DIR_MASK, 0), size = key_int(kw, KEY_SLOT_SIZE, 0);
    intptr_t key = (intptr_t)(1 + 4 * key_int(kw, KEY_ID, 0) + (mask & 3));
    if (mask > 0 && size > 0 && map_set(&p->pipes, map_int(key), p))
      p->bytes += gm_pipe_bytes(mask, key_int(kw, KEY_SLOT_NUM, 0), size);
  } else if (expr_is_call(e)) {
    const Function *callee = call_target(p->program, e);
    if (callee) scan(p, callee);
  }
  return true;
}

static void scan(Pipes *p, const Function *f) {
  if (!map_set(&p->seen, f, p)) return;
  Visitor v = {.ctx = p, .expr = scan_expr};
  visit_block(&v, f->body);
}

int64_t gm_pipe_elements(Ir *ir, const Program *program, const Function *root, Map *cache) {
  int64_t *known = map_get(cache, root);
  if (known) return *known;
  Pipes p = {.ir = ir, .program = program};
  scan(&p, root);
  map_free(&p.seen);
  map_free(&p.pipes);
  known = NEW(ir->arena, int64_t);
  *known = (p.bytes + 3) / 4;
  map_set(cache, root, known);
  return *known;
}
