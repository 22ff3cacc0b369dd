#include "passes/cross_core/pipe_setup.h"

#include "ir/calls.h"
#include "ir/visit.h"
#include "passes/cross_core/crossings.h"

enum { USUAL_SLOTS = 2, NO_DIRECTIONS = 0 };

/* What crosses, by the core that it goes to. */
typedef struct Traffic {
  Ir *ir;
  bool any[2];
  int64_t slot[2]; /* bytes of the largest tile; -1: none of constant shape */
  bool own_setup;
} Traffic;

static void note_tile(Traffic *t, Core to, const Type *tile) {
  int64_t bytes = type_num_bytes(tile);
  t->any[to] = true;
  if (bytes > t->slot[to]) t->slot[to] = bytes;
}

static bool note_stmt(Visitor *v, Stmt *s) {
  Traffic *t = v->ctx;
  const Expr *call = stmt_call(s);
  if (!call || !expr_op(call)) return true;
  switch (expr_op(call)->id) {
    case OP_SYSTEM_RESERVE_BUFFER:
    case OP_SYSTEM_IMPORT_PEER_BUFFER:
    case OP_SYSTEM_AIC_INITIALIZE_PIPE:
    case OP_SYSTEM_AIV_INITIALIZE_PIPE: t->own_setup = true; break;
    case OP_TILE_TPUSH_TO_AIV: note_tile(t, CORE_AIV, call->u.call.args[0]->type); break;
    case OP_TILE_TPUSH_TO_AIC: note_tile(t, CORE_AIC, call->u.call.args[0]->type); break;
    case OP_TILE_TPOP_FROM_AIC:
      if (s->kind == STMT_ASSIGN) note_tile(t, CORE_AIV, s->u.assign.var->type);
      break;
    case OP_TILE_TPOP_FROM_AIV:
      if (s->kind == STMT_ASSIGN) note_tile(t, CORE_AIC, s->u.assign.var->type);
      break;
    default: break;
  }
  return true;
}

typedef struct Setup {
  Ir *ir;
  const PipeEnds *ends;
  int64_t slot_size;
  int slots;
  StmtList out[2];
  Expr *buffer[2][2]; /* [core][direction, by the core that it leads to] */
} Setup;

static Attr int_kwarg(Setup *s, const char *key, int64_t value) {
  return (Attr){ir_name(s->ir, key), attr_of_int(value), s->ends->span};
}

static Attr name_kwarg(Setup *s, const char *key, Name value) {
  return (Attr){ir_name(s->ir, key), attr_of_str(value), s->ends->span};
}

static Expr *call(Setup *s, OpId id, Expr *const *args, int nargs, const Attr *kwargs, int n) {
  AttrList list = {COPY_ARRAY(s->ir->arena, Attr, kwargs, n), n};
  return op_call_id(s->ir, id, args, nargs, list, s->ends->span);
}

static Expr *bind(Setup *s, Core core, Name name, Expr *value) {
  Expr *var = expr_var(s->ir, name, value->type, s->ends->span);
  vec_push(&s->out[core], stmt_assign(s->ir, var, value, s->ends->span));
  return var;
}

/* The receiving core owns the buffer. */
static void share_buffer(Setup *s, Core to) {
  Core from = to == CORE_AIC ? CORE_AIV : CORE_AIC;
  Name name = name_printf(&s->ir->names, "%s_%s_slot_buffer", s->ends->kernel,
                          to == CORE_AIV ? "c2v" : "v2c");
  Attr owned[] = {name_kwarg(s, "name", name), int_kwarg(s, "size", s->slot_size * s->slots),
                  int_kwarg(s, "base", -1)};
  Attr lent[] = {name_kwarg(s, "name", name), name_kwarg(s, "peer_func", s->ends->func[to])};
  s->buffer[to][to] = bind(s, to, name, call(s, OP_SYSTEM_RESERVE_BUFFER, NULL, 0, owned, 3));
  s->buffer[from][to] = bind(s, from, name_printf(&s->ir->names, "%s_import", name),
                             call(s, OP_SYSTEM_IMPORT_PEER_BUFFER, NULL, 0, lent, 2));
}

static void open_pipe(Setup *s, Core core, int directions) {
  Expr *args[] = {s->buffer[core][CORE_AIV], s->buffer[core][CORE_AIC]};
  for (int i = 0; i < 2; i++)
    if (!args[i]) args[i] = expr_int(s->ir, 0, DT_INT32, s->ends->span);
  Attr kwargs[] = {int_kwarg(s, "dir_mask", directions), int_kwarg(s, "slot_size", s->slot_size),
                   int_kwarg(s, "slot_num", s->slots)};
  OpId id = core == CORE_AIC ? OP_SYSTEM_AIC_INITIALIZE_PIPE : OP_SYSTEM_AIV_INITIALIZE_PIPE;
  vec_push(&s->out[core], stmt_eval(s->ir, call(s, id, args, 2, kwargs, 3), s->ends->span));
}

/* The vector cores' number of the pair stays first. */
static Block put_in_front(Ir *ir, StmtList *setup, Block b) {
  StmtList out = {0};
  bool index = b.len > 0 && b.items[0]->kind == STMT_ASSIGN &&
               expr_is_op(b.items[0]->u.assign.value, OP_TILE_GET_SUBBLOCK_IDX);
  if (index) vec_push(&out, b.items[0]);
  for (size_t i = 0; i < setup->len; i++) vec_push(&out, setup->data[i]);
  for (int i = index; i < b.len; i++) vec_push(&out, b.items[i]);
  vec_free(setup);
  return block_take(ir, &out);
}

void set_up_pipes(Ir *ir, PipeEnds *ends, int slots) {
  Traffic t = {.ir = ir, .slot = {-1, -1}};
  Visitor v = {.ctx = &t, .stmt = note_stmt, .expr = visit_no_expr};
  visit_block(&v, ends->body[CORE_AIC]);
  visit_block(&v, ends->body[CORE_AIV]);
  int directions = (t.any[CORE_AIV] ? 1 : 0) | (t.any[CORE_AIC] ? 2 : 0);
  if (t.own_setup || directions == NO_DIRECTIONS) return;
  Setup s = {.ir = ir, .ends = ends, .slots = slots > 0 ? slots : USUAL_SLOTS};
  for (Core to = CORE_AIC; to <= CORE_AIV; to++) {
    if (t.any[to] && t.slot[to] < 0) return;
    if (t.any[to] && t.slot[to] > s.slot_size) s.slot_size = t.slot[to];
  }
  for (Core to = CORE_AIC; to <= CORE_AIV; to++)
    if (t.any[to]) share_buffer(&s, to);
  open_pipe(&s, CORE_AIC, directions);
  open_pipe(&s, CORE_AIV, directions);
  ends->body[CORE_AIC] = put_in_front(ir, &s.out[CORE_AIC], ends->body[CORE_AIC]);
  ends->body[CORE_AIV] = put_in_front(ir, &s.out[CORE_AIV], ends->body[CORE_AIV]);
}
