/* Tensors that an orchestration creates: one allocation for all of a block. */
#include <math.h>
#include <string.h>

#include "codegen/base/gm_pipe.h"
#include "codegen/orch/orch.h"
#include "ir/visit.h"
#include "target/runtime.h"

/* ---- one tensor ---- */

static void initial_value(Orch *o, const Expr *call, Name x, double v) {
  DType t = call->type->dtype;
  if (!isfinite(v)) {
    orch_error(o, call->span, "tensor.create: the initial value must be finite");
  } else if (v == 0.0) {
    orch_line(o, "%s_ci.set_initial_value(0);", x);
  } else if (dtype_is_float(t)) {
    if (dtype_bits(t) < 32)
      orch_error(o, call->span, "tensor.create: only 0 can be the initial value of a %s tensor",
                 dtype_name(t));
    orch_line(o, "%s_ci.set_initial_value(static_cast<%s>(%.17g));", x, dtype_c(t), v);
  } else if (v != floor(v) || fabs(v) > 9007199254740992.0) {
    orch_error(o, call->span,
               "tensor.create: the initial value %g is no whole number that a %s tensor can be "
               "filled with",
               v, dtype_name(t));
  } else {
    orch_line(o, "%s_ci.set_initial_value(static_cast<%s>(%lld));", x, dtype_c(t), (long long)v);
  }
}

void orch_create_info(Orch *o, const Expr *call, Name x) {
  const Type *t = call->type;
  Buf b = {0};
  const char *size = t->rank == 1 ? map_get(&o->create_sizes, x) : NULL;
  for (int i = 0; i < t->rank; i++) {
    const char *extent = size ? orch_extent_text(o, size, t->dtype, i, t->rank)
                              : orch_extent(o, t->shape[i], t->dtype, i, t->rank);
    buf_printf(&b, "%s%s", i ? ", " : "", extent);
  }
  orch_line(o, "uint32_t %s_ci_shapes[%d] = {%s};", x, t->rank, buf_str(&b));
  buf_free(&b);
  bool manual = key_bool(call->u.call.kwargs, KEY_MANUAL_DEP, false);
  orch_line(o, "TensorCreateInfo %s_ci(%s_ci_shapes, %d, %s%s);", x, x, t->rank,
            orch_dtype(t->dtype), manual ? ", /*manual_dep=*/true" : "");
  const AttrValue *init = key_get(call->u.call.kwargs, KEY_INIT_VALUE);
  if (init && init->kind == ATTR_FLOAT) initial_value(o, call, x, init->u.f);
  if (init && init->kind == ATTR_INT) initial_value(o, call, x, (double)init->u.i);
}

void orch_alloc(Orch *o, const Name *names, int n) {
  int k = o->allocs++;
  Buf b = {0};
  for (int i = 0; i < n; i++) buf_printf(&b, "%s%s_ci", i ? ", " : "", names[i]);
  orch_line(o, "TaskOutputTensors alloc_%d = alloc_tensors(%s);", k, buf_str(&b));
  buf_free(&b);
  for (int i = 0; i < n; i++)
    orch_line(o, "const ChipTensor& %s = alloc_%d.get_ref(%d);", names[i], k, i);
}

static bool is_declared(Orch *o, const Expr *var) {
  return map_has(&o->created, var) || map_has(&o->param_names, orch_name(o, var));
}

void orch_create(Orch *o, const Expr *call, const Expr *var) {
  if (!var || is_declared(o, var)) return;
  map_set(&o->created, var, o);
  Name x = orch_define(o, var);
  orch_create_info(o, call, x);
  orch_alloc(o, &x, 1);
}

/* ---- all of a block ---- */

typedef struct Uses {
  const Map *defined;
  bool found;
} Uses;

static bool find_use(Visitor *v, Expr *e) {
  Uses *u = v->ctx;
  if (expr_is_var(e) && map_has(u->defined, e)) u->found = true;
  return !u->found;
}

static bool uses_any(const Map *defined, Expr *e) {
  Uses u = {defined, false};
  Visitor v = {.ctx = &u, .expr = find_use};
  if (e) visit_expr(&v, e);
  return u.found;
}

static bool shape_uses_any(const Map *defined, const Type *t) {
  for (int i = 0; i < t->rank; i++)
    if (uses_any(defined, t->shape[i])) return true;
  return false;
}

/* The first call after statement `at` that a variable is passed to, before it is assigned again. */
static Expr *consumer(Block b, int at, const Expr *var) {
  for (int i = at + 1; i < b.len; i++) {
    Stmt *s = b.items[i];
    if (s->kind == STMT_ASSIGN && s->u.assign.var == var) return NULL;
    Expr *call = stmt_call(s);
    for (int k = 0; call && k < call->u.call.nargs; k++)
      if (call->u.call.args[k] == var) return call;
  }
  return NULL;
}

static bool is_pipe_buffer(const Expr *var) {
  return strncmp(var->u.var.name, "gm_pipe_buffer_", 15) == 0;
}

/* Sizes a pipe buffer by the kernel it goes to; false if its block count is computed in this block.
 */
static bool size_pipe_buffer(Orch *o, Block b, int at, Expr *var, Name x, const Map *defined) {
  Expr *call = consumer(b, at, var);
  const Function *callee = call ? call_target(o->program, call) : NULL;
  if (!callee) {
    orch_error(o, b.items[at]->span, "the pipe buffer '%s' is not passed to a kernel",
               var->u.var.name);
    return true;
  }
  int64_t n = gm_pipe_elements(o->ir, o->program, callee, &o->pipe_elements);
  if (n <= 0)
    orch_error(o, b.items[at]->span, "the kernel '%s' has a pipe buffer but no pipe", callee->name);
  Expr *blocks = orch_block_count(o, call, callee, NULL);
  const char *size = orch_text(o, "%lld", (long long)n);
  if (blocks)
    size =
        orch_text(o, "static_cast<uint32_t>((%s) * (%s))", size, orch_block_count_text(o, blocks));
  map_set(&o->create_sizes, x, (void *)size);
  return !uses_any(defined, blocks);
}

typedef VEC(Stmt *) Creates;

/* Can the create at `at` be done before all of the block?  `late` are the variables that the block
 * computes before it. */
static bool can_come_first(Orch *o, Block b, int at, const Map *late) {
  const Stmt *s = b.items[at];
  Expr *var = s->u.assign.var;
  if (shape_uses_any(late, s->u.assign.value->type)) return false;
  Name x = orch_define(o, var);
  return !is_pipe_buffer(var) || size_pipe_buffer(o, b, at, var, x, late);
}

static void note_definition(Visitor *v, Expr *var) { map_set(v->ctx, var, var); }

/* What branches, loops and scopes define is known behind them only. */
static void note_definitions(Map *late, Stmt *s) {
  Visitor v = {.ctx = late, .expr = visit_no_expr, .def = note_definition};
  visit_stmt(&v, s);
}

static void take_out_creates(Orch *o, Block b, Creates *creates) {
  Map late = {0};
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    if (s->kind != STMT_ASSIGN) {
      note_definitions(&late, s);
      continue;
    }
    bool is_create = expr_is_op(s->u.assign.value, OP_TENSOR_CREATE);
    if (is_create && is_declared(o, s->u.assign.var)) continue;
    if (is_create && can_come_first(o, b, i, &late)) {
      map_set(&o->created, s->u.assign.var, o);
      map_set(&o->batched, s, o);
      vec_push(creates, s);
    } else {
      map_set(&late, s->u.assign.var, o);
    }
  }
  map_free(&late);
}

static void allocate(Orch *o, const Creates *creates) {
  Name batch[RUNTIME_ALLOC_BATCH];
  int n = 0;
  for (size_t i = 0; i < creates->len; i++) {
    const Stmt *s = creates->data[i];
    batch[n] = orch_name(o, s->u.assign.var);
    orch_create_info(o, s->u.assign.value, batch[n++]);
    if (n < RUNTIME_ALLOC_BATCH && i + 1 < creates->len) continue;
    orch_alloc(o, batch, n);
    n = 0;
  }
}

/* The same, before the manual scope whose body this is: tasks after it may read what it creates. */
static void allocate_outside(Orch *o, const Creates *creates) {
  OrchPlace inside = orch_write_at(o, (OrchPlace){&o->manual->hoisted, o->manual->indent});
  allocate(o, creates);
  orch_write_at(o, inside);
  for (size_t i = 0; i < creates->len; i++)
    orch_belongs_outside(o, orch_name(o, creates->data[i]->u.assign.var));
}

void orch_alloc_batches(Orch *o, Block b) {
  Creates creates = {0};
  take_out_creates(o, b, &creates);
  if (creates.len > 0) (orch_at_manual_body(o) ? allocate_outside : allocate)(o, &creates);
  vec_free(&creates);
}
