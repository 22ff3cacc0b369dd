#include "passes/tensor_to_tile/wants.h"

#include "ir/op.h"
#include "ir/visit.h"
#include "passes/tensor_to_tile/convert.h"

/* `to` gets its storage from `from`: a wish for the one is a wish for the other. */
typedef struct Edge {
  const Expr *to, *from;
} Edge;

typedef struct Scan {
  Wants *w;
  VEC(Edge) edges;           /* in program order */
  VEC(const Expr *) carried; /* iter args with a variable as first value */
} Scan;

/* A wish for another space than Vec beats one for Vec; else the first stands. */
static void wish(Wants *w, const Expr *var, MemSpace space) {
  MemSpace now = wants_space(w, var);
  if (now == MEM_NONE || (now == MEM_VEC && space != MEM_VEC))
    map_set(&w->space, var, map_int(space));
}

/* Operators that read their tensors themselves, piece by piece. */
static bool loads_itself(const Op *op) {
  switch (op->id) {
    case OP_TENSOR_SLICE:
    case OP_TENSOR_ASSEMBLE:
    case OP_TENSOR_READ:
    case OP_TENSOR_WRITE:
    case OP_TENSOR_EXPAND_CLONE:
    case OP_TENSOR_GATHER:
    case OP_TENSOR_PAGED_GATHER:
    case OP_TENSOR_CREATE_L1:
    case OP_TENSOR_GATHER_ROW: return true;
    default: return false;
  }
}

static bool is_plain_tensor(const Expr *e) {
  return e->kind == EXPR_VAR && e->type->kind == TYPE_TENSOR;
}

static void scan_operands(Scan *s, const Expr *call, const Conversion *conv) {
  for (int i = 0; i < call->u.call.nargs; i++) {
    const Expr *arg = call->u.call.args[i];
    const ConvertWant *want = conversion_want(conv, i);
    if (want && arg->kind == EXPR_VAR) wish(s->w, arg, want->space);
    if (!want && is_plain_tensor(arg) && !loads_itself(call->u.call.op))
      map_set(&s->w->loaded, arg, map_int(1));
  }
}

static bool is_shaped_var(const Expr *e) {
  return e->kind == EXPR_VAR && (e->type->kind == TYPE_TENSOR || type_is_tile(e->type));
}

static void scan_storage(Scan *s, const Expr *var, const Expr *value) {
  if (!is_shaped_var(var)) return;
  if (is_shaped_var(value)) {
    vec_push(&s->edges, (Edge){var, value});
    return;
  }
  const Op *op = expr_op(value);
  if (!op || !op_inherits(op)) return;
  for (int i = 0; i < value->u.call.nargs; i++) {
    if (!is_shaped_var(value->u.call.args[i])) continue;
    vec_push(&s->edges, (Edge){var, value->u.call.args[i]});
    return;
  }
}

static bool on_stmt(Visitor *v, Stmt *s) {
  Scan *scan = v->ctx;
  if (s->kind == STMT_ASSIGN) {
    const Expr *value = s->u.assign.value;
    scan_storage(scan, s->u.assign.var, value);
    const Conversion *conv = conversion_of(expr_op(value));
    if (conv) scan_operands(scan, value, conv);
  }
  if (stmt_is_loop(s))
    for (int i = 0; i < s->u.loop.ncarried; i++) vec_push(&scan->carried, s->u.loop.iter_args[i]);
  return true;
}

void wants_init(Wants *w, Ir *ir, Block body) {
  *w = (Wants){.ir = ir};
  Scan scan = {.w = w};
  Visitor v = {.ctx = &scan, .stmt = on_stmt};
  visit_block(&v, body);
  for (size_t i = scan.edges.len; i-- > 0;) {
    MemSpace space = wants_space(w, scan.edges.data[i].to);
    if (space != MEM_NONE) wish(w, scan.edges.data[i].from, space);
  }
  /* Inner loops come after outer ones, so one sweep from the back follows whole chains. */
  for (size_t i = scan.carried.len; i-- > 0;) {
    const Expr *arg = scan.carried.data[i], *init = arg->u.var.init;
    if (wants_load(w, arg) && is_plain_tensor(init)) map_set(&w->loaded, init, map_int(1));
  }
  vec_free(&scan.edges);
  vec_free(&scan.carried);
}

void wants_free(Wants *w) {
  map_free(&w->space);
  map_free(&w->loaded);
}

MemSpace wants_space(const Wants *w, const Expr *var) {
  return (MemSpace)map_get_int(&w->space, var);
}
