/* Statements of an orchestration: scopes, loops with their carries, branches, assignments. */
#include "codegen/orch/orch.h"

/* ---- C++ blocks and what may be assigned again in them ---- */

void orch_enter_block(Orch *o) { vec_push(&o->blocks, ++o->next_block); }
void orch_leave_block(Orch *o) { o->blocks.len--; }

void orch_mark_mutable(Orch *o, Name name) {
  map_set(&o->mutable_in, name, map_int(vec_last(&o->blocks)));
}

bool orch_is_mutable(const Orch *o, Name name) {
  return map_get_int(&o->mutable_in, name) == vec_last(&o->blocks);
}

bool orch_at_manual_body(const Orch *o) { return o->manual && o->indent == o->manual->indent + 4; }

/* A tensor variable that a loop or branch assigns.  Directly inside a manual scope it is declared
 * before the scope, since tasks after the scope may read it. */
void orch_declare_mutable(Orch *o, Name name, const char *init) {
  ManualScope *m = o->manual;
  if (!orch_at_manual_body(o) || !orch_known_outside(o, ir_name(o->ir, init))) {
    orch_line(o, "ChipTensor %s = %s;", name, init);
    orch_mark_mutable(o, name);
    return;
  }
  buf_indent(&m->hoisted, m->indent);
  buf_printf(&m->hoisted, "ChipTensor %s = %s;\n", name, init);
  map_set(&o->mutable_in, name, map_int(o->blocks.data[o->blocks.len - 2]));
  map_set(&o->hoisted_carries, name, o);
  orch_belongs_outside(o, name);
}

/* ---- scopes ---- */

/* Arrays of ids that a manual scope filled but whose storage lies outside live on after it. */
static void keep_outer_arrays(Orch *o, const ManualScope *m, size_t mark) {
  typedef struct Kept {
    const Expr *var;
    IdArray *array;
    TaskId *id;
  } Kept;
  VEC(Kept) kept = {0};
  for (size_t i = mark; i < o->undo.len; i++) {
    Undo u = o->undo.data[i];
    if (u.map != &o->id_arrays || u.before) continue;
    IdArray *a = map_get(&o->id_arrays, u.key);
    if (a && !map_has(&m->local, a->name))
      vec_push(&kept, (Kept){u.key, a, map_get(&o->ids, u.key)});
  }
  orch_forget(o, mark);
  for (size_t i = 0; i < kept.len; i++) {
    orch_set(o, &o->id_arrays, kept.data[i].var, kept.data[i].array);
    if (kept.data[i].id) orch_set(o, &o->ids, kept.data[i].var, kept.data[i].id);
  }
  vec_free(&kept);
}

static void manual_scope(Orch *o, Block body) {
  ManualScope m = {.outer = o->manual, .indent = o->indent};
  Buf lines = {0}, *saved = o->out;
  size_t mark = o->undo.len;
  o->manual = &m;
  o->out = &lines;
  o->indent += 4;
  orch_enter_block(o);
  orch_block(o, body);
  orch_leave_block(o);
  o->indent -= 4;
  o->out = saved;
  o->manual = m.outer;
  buf_write(o->out, buf_str(&m.hoisted), m.hoisted.len);
  orch_line(o, "PTO2_SCOPE(PTO2ScopeMode::MANUAL) {");
  buf_write(o->out, buf_str(&lines), lines.len);
  orch_line(o, "}");
  keep_outer_arrays(o, &m, mark);
  buf_free(&lines);
  buf_free(&m.hoisted);
  map_free(&m.local);
}

static void scope_stmt(Orch *o, const Stmt *s) {
  if (s->u.scope.kind != SCOPE_RUNTIME) {
    orch_error(o, s->span, "this scope should have become a function before code is generated");
    return;
  }
  orch_declare_wanted(o);
  if (s->u.scope.manual) {
    manual_scope(o, s->u.scope.body);
    return;
  }
  size_t mark = o->undo.len;
  orch_line(o, "PTO2_SCOPE() {");
  o->indent += 4;
  orch_enter_block(o);
  orch_block(o, s->u.scope.body);
  orch_leave_block(o);
  o->indent -= 4;
  orch_line(o, "}");
  orch_forget(o, mark);
}

/* ---- branches ---- */

static const char *yielded_tensor(Orch *o, Block b) {
  Stmt *y = block_yield(unwrap_auto_scope(o->ir, b));
  for (int i = 0; y && i < y->u.ret.len; i++) {
    const Expr *v = y->u.ret.values[i];
    Name name = expr_is_var(v) && type_is_tensor(v->type) ? map_get(&o->names, v) : NULL;
    if (name) return orch_tensor_name(o, name);
  }
  return NULL;
}

static void declare_result(Orch *o, const Stmt *s, const Expr *result, const char *tensor) {
  Name x = orch_define(o, result);
  if (!type_is_tensor(result->type)) {
    orch_line(o, "%s %s;", orch_type(result->type), x);
  } else if (tensor) {
    orch_declare_mutable(o, x, tensor);
  } else {
    /* A tensor cannot be declared without a value, and there is none to begin with. */
    orch_error(o, s->span, "the branches yield a tensor, but no tensor is known before them");
  }
}

static void branch(Orch *o, Block b) {
  o->indent += 4;
  orch_enter_block(o);
  orch_block(o, b);
  orch_leave_block(o);
  o->indent -= 4;
}

static void if_stmt(Orch *o, const Stmt *s) {
  const char *cond = orch_expr(o, s->u.if_.cond);
  const char *tensor = o->first_tensor;
  if (!tensor) tensor = yielded_tensor(o, s->u.if_.then_body);
  if (!tensor && s->u.if_.has_else) tensor = yielded_tensor(o, s->u.if_.else_body);
  for (int i = 0; i < s->u.if_.nresults; i++) declare_result(o, s, s->u.if_.results[i], tensor);
  ExprList saved = o->results;
  o->results = (ExprList){0};
  for (int i = 0; i < s->u.if_.nresults; i++) vec_push(&o->results, s->u.if_.results[i]);
  orch_line(o, "if (%s) {", cond);
  branch(o, s->u.if_.then_body);
  if (s->u.if_.has_else) {
    orch_line(o, "} else {");
    branch(o, s->u.if_.else_body);
  }
  orch_line(o, "}");
  vec_free(&o->results);
  o->results = saved;
}

/* ---- assignments ---- */

static void share_ids(Orch *o, const Expr *var, const Expr *from) {
  TaskId *id = map_get(&o->ids, from);
  IdArray *array = map_get(&o->id_arrays, from);
  if (id) orch_set(o, &o->ids, var, id);
  if (array) orch_set(o, &o->id_arrays, var, array);
}

static void assign_tuple(Orch *o, const Expr *var, const Expr *tuple) {
  const TupleItems *items = map_get(&o->tuples, var);
  for (size_t i = 0; items && i < items->len; i++) {
    TupleItem it = items->data[i];
    if (it.index < 0 || it.index >= tuple->u.tuple.len) continue;
    const Expr *from = tuple->u.tuple.elems[it.index];
    if (!expr_is_var(from)) continue;
    Name name = map_get(&o->names, from);
    if (name) orch_rename(o, it.var, name);
    share_ids(o, it.var, from);
  }
}

static void assign_value(Orch *o, const Stmt *s, Name x) {
  const Expr *var = s->u.assign.var, *value = s->u.assign.value;
  const char *text = orch_expr(o, value);
  bool tensor = type_is_tensor(var->type);
  if (expr_is_var(value)) {
    TaskId *id = map_get(&o->ids, value);
    Name from = orch_name(o, value);
    if (id) orch_set(o, &o->ids, var, id);
    if (from == x) return;
    bool stable = !map_has(&o->hoisted_carries, from) || orch_at_manual_body(o);
    if (tensor && orch_known_outside(o, from) && stable && !orch_is_mutable(o, from) &&
        !orch_is_mutable(o, x)) {
      orch_rename(o, var, from);
      return;
    }
    if (tensor) text = orch_tensor_name(o, from);
  }
  if (var->type->kind == TYPE_ARRAY) {
    orch_error(o, s->span, "an array cannot be copied in an orchestration");
    return;
  }
  orch_line(o, "%s %s = %s;", orch_type(var->type), x, text);
  if (tensor) orch_mark_mutable(o, x);
}

static void assign_context(Orch *o, const Expr *call, Name x) {
  const Expr *t = call->u.call.args[0];
  Name context = expr_is_var(t) ? map_get(&o->context_of, orch_name(o, t)) : NULL;
  if (context)
    orch_line(o, "uint64_t %s = %s;", x, context);
  else
    orch_error(o, call->span,
               "the communication context of this tensor is not a parameter of the orchestration");
}

/* The result of an update is the array itself. */
static void assign_update(Orch *o, const Expr *call, const Expr *var) {
  const Expr *array = call->u.call.args[0];
  orch_rename(o, var, ir_name(o->ir, orch_expr(o, array)));
  if (expr_is_var(array)) share_ids(o, var, array);
}

static void assign_assemble(Orch *o, const Expr *call, const Expr *var) {
  if (key_int(call->u.call.kwargs, KEY_ATOMIC, ATOMIC_NONE) != ATOMIC_NONE)
    orch_error(o, call->span,
               "an atomic tensor.assemble must lie inside a kernel: an orchestration cannot "
               "combine values");
  Name target = orch_tensor(o, call->u.call.args[0]);
  if (target) orch_rename(o, var, target);
}

static void assign_array_op(Orch *o, const Expr *call, Name x, const Expr *var) {
  int64_t n;
  if (expr_is_op(call, OP_ARRAY_UPDATE_ELEMENT)) assign_update(o, call, var);
  orch_op(o, call, x, var);
  if (expr_is_op(call, OP_ARRAY_CREATE) && expr_const_int(var->type->shape[0], &n))
    orch_bind_array(o, var, x, n);
  if (expr_is_op(call, OP_ARRAY_GET_ELEMENT) && var->type->dtype == DT_TASK_ID)
    orch_bind_id(o, var, x);
}

static void assign_op(Orch *o, const Expr *call, Name x, const Expr *var) {
  const Op *op = expr_op(call);
  switch (op->id) {
    case OP_SYSTEM_TASK_DUMMY: orch_dummy_task(o, call, var, x); return;
    case OP_SYSTEM_TASK_INVALID:
      orch_line(o, "PTO2TaskId %s = PTO2TaskId::invalid();", x);
      orch_bind_id(o, var, x);
      return;
    case OP_SYSTEM_TASK_IS_VALID: {
      const Expr *id = call->u.call.args[0];
      bool slot = expr_is_op(id, OP_ARRAY_GET_ELEMENT);
      const char *text = slot ? orch_text(o, "%s[%s]", orch_expr(o, id->u.call.args[0]),
                                          orch_expr(o, id->u.call.args[1]))
                              : orch_expr(o, id);
      orch_line(o, "bool %s = %s.is_valid();", x, text);
      return;
    }
    case OP_SYSTEM_AVAILABLE_AIV_COUNT:
    case OP_SYSTEM_AVAILABLE_CLUSTER_COUNT:
      orch_line(o, "int32_t %s = %s;", x, orch_block_count_text(o, call));
      return;
    case OP_PLD_SYSTEM_GET_COMM_CTX: assign_context(o, call, x); return;
    case OP_TENSOR_ASSEMBLE: assign_assemble(o, call, var); return;
    default: break;
  }
  if (op->family == FAMILY_ARRAY)
    assign_array_op(o, call, x, var);
  else
    orch_op(o, call, x, var);
}

static void assign_stmt(Orch *o, const Stmt *s) {
  const Expr *var = s->u.assign.var, *value = s->u.assign.value;
  Name x = orch_define(o, var);
  if (expr_is_call(value) && value->u.call.op) {
    assign_op(o, value, x, var);
  } else if (expr_is_call(value)) {
    int task = o->tasks;
    orch_submit_wanted(o, value, var, x);
    if (o->tasks > task) orch_bind_results(o, value, var, x, task);
  } else if (value->kind == EXPR_TUPLE) {
    assign_tuple(o, var, value);
  } else if (value->kind != EXPR_TUPLE_GET) {
    assign_value(o, s, x);
  }
}

static void eval_stmt(Orch *o, const Stmt *s) {
  const Expr *call = s->u.eval;
  if (!expr_is_call(call)) return;
  if (call->u.call.op)
    orch_op(o, call, "", NULL);
  else
    orch_submit_wanted(o, call, NULL, NULL);
}

static void statement(Orch *o, const Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN: assign_stmt(o, s); return;
    case STMT_EVAL: eval_stmt(o, s); return;
    case STMT_RETURN: return; /* outputs are parameters */
    case STMT_YIELD: orch_yield(o, s); return;
    case STMT_IF: if_stmt(o, s); return;
    case STMT_FOR: orch_for(o, s); return;
    case STMT_SCOPE: scope_stmt(o, s); return;
    case STMT_WHILE: orch_while(o, s); return;
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE:
      orch_error(o, s->span, "this statement has no form in an orchestration");
      return;
  }
}

void orch_block(Orch *o, Block b) {
  orch_alloc_batches(o, b);
  /* What a wrong statement would have bound is missing after it: more errors would only follow from
   * it. */
  for (int i = 0; i < b.len && !o->failed; i++)
    if (!map_has(&o->batched, b.items[i])) statement(o, b.items[i]);
}
