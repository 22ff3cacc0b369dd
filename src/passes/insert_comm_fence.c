/* InsertCommFence: data before signal.  docs/passes/insert-comm-fence.md */
#include "ir/op.h"
#include "ir/rewrite.h"
#include "passes/pass.h"

static Expr *call_of(const Stmt *s) {
  Expr *e = s->kind == STMT_ASSIGN ? s->u.assign.value : s->kind == STMT_EVAL ? s->u.eval : NULL;
  return e && expr_is_call(e) ? e : NULL;
}

static Expr *arg(const Expr *call, int i) {
  return i < call->u.call.nargs ? call->u.call.args[i] : NULL;
}

/* The window that a call writes on this device, or NULL. */
static Expr *written_window(const Expr *call) {
  Expr *t = NULL;
  switch (call->u.call.op->id) {
    case OP_TILE_STORE: t = arg(call, 2); break;
    case OP_TENSOR_WRITE:
    case OP_PLD_TILE_GET:
    case OP_PLD_TENSOR_GET: t = arg(call, 0); break;
    default: return NULL;
  }
  return t && expr_is_var(t) && t->type->kind == TYPE_DIST_TENSOR ? t : NULL;
}

static bool writes_to_peer(const Expr *call) {
  OpId id = call->u.call.op->id;
  return id == OP_PLD_TILE_REMOTE_STORE || id == OP_PLD_TILE_PUT || id == OP_PLD_TENSOR_PUT;
}

/* ---- what stands after a statement already ---- */

static bool is_op(Block b, int i, OpId id) {
  Expr *call = i < b.len ? call_of(b.items[i]) : NULL;
  return call && expr_is_op(call, id);
}

static bool invalidates(Block b, int i, const Expr *window) {
  if (!is_op(b, i, OP_SYSTEM_CACHEINVALID)) return false;
  Expr *t = arg(call_of(b.items[i]), 0);
  return t == window;
}

/* ---- markers ---- */

static void add_marker(Ir *ir, OpId id, Expr *const *args, int n, Span span, StmtList *out) {
  Expr *call = op_call_id(ir, id, args, n, (AttrList){0}, span);
  if (call) vec_push(out, stmt_eval(ir, call, span));
}

/* `window` NULL: the whole of global memory. */
static void add_invalidate(Ir *ir, Expr *window, Span span, StmtList *out) {
  if (!window) {
    add_marker(ir, OP_SYSTEM_CACHEINVALID, NULL, 0, span, out);
    return;
  }
  int rank = window->type->rank;
  Expr **zeros = NEW_ARRAY(ir->arena, Expr *, rank);
  for (int i = 0; i < rank; i++) zeros[i] = expr_index(ir, 0);
  Expr *args[] = {window, expr_tuple(ir, window->type->shape, rank, span),
                  expr_tuple(ir, zeros, rank, span)};
  add_marker(ir, OP_SYSTEM_CACHEINVALID, args, 3, span, out);
}

static void add_fence(Ir *ir, Span span, StmtList *out) {
  add_marker(ir, OP_SYSTEM_FENCE, NULL, 0, span, out);
}

/* What has to follow statement `i` of the block as it was. */
static void add_markers(Ir *ir, Block b, int i, StmtList *out) {
  const Stmt *s = b.items[i];
  Expr *call = call_of(s);
  if (!call) return;
  bool opaque = call->u.call.op == NULL;
  Expr *window = opaque ? NULL : written_window(call);
  if (opaque || window) {
    bool there = invalidates(b, i + 1, window) && is_op(b, i + 2, OP_SYSTEM_FENCE);
    if (there) return;
    add_invalidate(ir, window, s->span, out);
    add_fence(ir, s->span, out);
  } else if (writes_to_peer(call)) {
    if (!is_op(b, i + 1, OP_SYSTEM_FENCE)) add_fence(ir, s->span, out);
  } else if (expr_is_op(call, OP_PLD_SYSTEM_WAIT) && !invalidates(b, i + 1, NULL)) {
    add_invalidate(ir, NULL, s->span, out);
  }
}

static Block mark_block(Ir *ir, Block b);

static Stmt *mark_inside(Ir *ir, Stmt *s) {
  Block *bodies[2] = {NULL, NULL};
  Stmt n = stmt_load(s);
  switch (s->kind) {
    case STMT_IF:
      bodies[0] = &n.u.if_.then_body;
      if (s->u.if_.has_else) bodies[1] = &n.u.if_.else_body;
      break;
    case STMT_FOR:
    case STMT_WHILE: bodies[0] = &n.u.loop.body; break;
    case STMT_SCOPE: bodies[0] = &n.u.scope.body; break;
    default: return s;
  }
  bool changed = false;
  for (int i = 0; i < 2 && bodies[i]; i++) {
    Block marked = mark_block(ir, *bodies[i]);
    changed = changed || marked.items != bodies[i]->items;
    *bodies[i] = marked;
  }
  return changed ? stmt_copy(ir, &n) : s;
}

static Block mark_block(Ir *ir, Block b) {
  StmtList out = {0};
  bool changed = false;
  for (int i = 0; i < b.len; i++) {
    Stmt *s = mark_inside(ir, b.items[i]);
    vec_push(&out, s);
    size_t before = out.len;
    add_markers(ir, b, i, &out);
    changed = changed || s != b.items[i] || out.len != before;
  }
  if (!changed) {
    vec_free(&out);
    return b;
  }
  return block_take(ir, &out);
}

static Function *mark_function(void *ctx, Function *f) {
  Ir *ir = ctx;
  if (!func_is_incore(f->type)) return f;
  Block body = mark_block(ir, f->body);
  if (body.items == f->body.items) return f;
  Function *out = func_copy(ir, f);
  out->body = body;
  return out;
}

Program *insert_comm_fence(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, mark_function, ctx->ir);
}
