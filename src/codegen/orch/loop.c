/* Loops of an orchestration, what they carry, and what a yield assigns. */
#include "codegen/orch/orch.h"
#include "ir/visit.h"

/* ---- carries ---- */

static void copy_loop(Orch *o, int64_t n, Name to, const char *from, const char *i) {
  orch_line(o, "for (int64_t %s = 0; %s < %lld; ++%s) %s[%s] = %s[%s];", i, i, (long long)n, i, to,
            i, from, i);
}

typedef struct Carry {
  Expr *arg, *result, *init;
  const char *value; /* the initial value in C++ */
  bool rebind;
  int64_t size; /* of an array of ids, or 0 */
  bool derived; /* a derived dependency waits for the tasks of all iterations */
  bool list;    /* ... and how many there are is not known */
} Carry;

static Carry carry_of(Orch *o, const Stmt *s, int i) {
  Carry c = {.arg = s->u.loop.iter_args[i], .result = s->u.loop.results[i]};
  c.init = c.arg->u.var.init;
  bool tensor = expr_is_var(c.init) && type_is_tensor(c.init->type);
  c.value = tensor ? orch_tensor_name(o, orch_name(o, c.init)) : orch_expr(o, c.init);
  c.rebind = s->kind == STMT_WHILE ||
             attr_bool(s->u.loop.attrs, name_printf(&o->ir->names, "iter_arg_rebind_%d", i), false);
  c.size = attr_int(s->u.loop.attrs, name_printf(&o->ir->names, "iter_arg_array_size_%d", i), 0);
  c.derived = orch_id_wanted(o, c.result);
  if (!c.derived) return c;
  c.rebind = true;
  if (s->kind == STMT_WHILE || !loop_trip_count(s, &c.size) || c.size < 0) c.size = 0;
  c.list = c.size == 0 && s->kind == STMT_FOR && s->u.loop.kind == FOR_PARALLEL;
  return c;
}

static void rename_both(Orch *o, const Carry *c, Name name) {
  orch_rename(o, c->arg, name);
  orch_rename(o, c->result, name);
}

/* Task ids of a loop, one slot per iteration. */
static void carry_ids(Orch *o, const Stmt *s, const Carry *c) {
  Name x = orch_fresh(o, c->result->u.var.name);
  const IdArray *from = expr_is_var(c->init) ? orch_array_of(o, c->init) : NULL;
  if (from && from->size != c->size) from = NULL;
  orch_line(o, "PTO2TaskId %s[%lld];", x, (long long)c->size);
  if (from)
    copy_loop(o, c->size, x, from->name, "__init_i");
  else
    orch_line(o, "for (int64_t __init_i = 0; __init_i < %lld; ++__init_i) %s[__init_i] = %s;",
              (long long)c->size, x, c->derived ? "PTO2TaskId::invalid()" : c->value);
  orch_bind_array(o, c->result, x, c->size);
  if (type_is_tensor(c->result->type)) rename_both(o, c, ir_name(o->ir, c->value));
  if (c->derived && s->u.loop.kind == FOR_PARALLEL) return; /* iterations wait for none of it */
  if (s->u.loop.kind != FOR_PARALLEL) {
    orch_bind_array(o, c->arg, x, c->size);
  } else if (from) {
    orch_bind_array(o, c->arg, from->name, c->size);
  } else {
    Name value = ir_name(o->ir, c->value);
    orch_bind_id(o, c->arg, value);
    orch_rename(o, c->arg, value);
  }
}

/* An array is updated in place, so all its versions can share one storage. */
static void carry_array(Orch *o, const Carry *c) {
  int64_t n;
  if (!expr_const_int(c->arg->type->shape[0], &n)) {
    orch_error(o, c->arg->span, "an array carried by a loop needs a constant extent");
    return;
  }
  const IdArray *from = expr_is_var(c->init) ? orch_array_of(o, c->init) : NULL;
  Name x = from && from->size == n ? from->name : NULL;
  if (!x) {
    x = orch_fresh(o, c->result->u.var.name);
    orch_line(o, "%s %s[%lld];", dtype_c(c->arg->type->dtype), x, (long long)n);
    copy_loop(o, n, x, c->value, "__init_i");
  }
  rename_both(o, c, x);
  orch_bind_array(o, c->arg, x, n);
  orch_bind_array(o, c->result, x, n);
}

static void carry_variable(Orch *o, const Carry *c) {
  Name x = orch_fresh(o, c->result->u.var.name);
  if (type_is_tensor(c->result->type))
    orch_declare_mutable(o, x, c->value);
  else
    orch_line(o, "%s %s = %s;", orch_type(c->result->type), x, c->value);
  rename_both(o, c, x);
  if (o->manual && type_is_scalar(c->arg->type) && c->arg->type->dtype == DT_TASK_ID) {
    orch_bind_id(o, c->arg, x);
    orch_bind_id(o, c->result, x);
  }
}

static void declare_carry(Orch *o, const Stmt *s, const Carry *c) {
  if (c->size > 0)
    carry_ids(o, s, c);
  else if (c->rebind && c->arg->type->kind == TYPE_ARRAY)
    carry_array(o, c);
  else if (c->rebind)
    carry_variable(o, c);
  else
    rename_both(o, c, ir_name(o->ir, c->value));
}

typedef struct Carries {
  Carry *items;
  int n;
  Name list; /* of ids, or NULL, and the results it is for */
  const Expr **listed;
  int nlisted;
} Carries;

static void declare_carries(Orch *o, const Stmt *s, const LoopText *text, Carries *c) {
  c->items = NEW_ARRAY(o->ir->arena, Carry, s->u.loop.ncarried);
  c->listed = NEW_ARRAY(o->ir->arena, const Expr *, c->n);
  for (int i = 0; i < c->n; i++) {
    c->items[i] = carry_of(o, s, i);
    if (c->items[i].list) c->listed[c->nlisted++] = c->items[i].result;
  }
  for (int i = 0; i < c->n; i++) {
    declare_carry(o, s, &c->items[i]);
    if (!c->items[i].list) continue;
    if (!c->list) c->list = orch_declare_list(o, text, c->nlisted);
    map_set(&o->lists, c->items[i].result, (void *)c->list);
  }
}

static const char *loop_condition(Orch *o, const Stmt *s, Name i, const char *stop,
                                  const char *step) {
  int64_t v;
  if (!expr_known_int(s->u.loop.step, &v))
    return orch_text(o, "(((%s) > 0 && %s < %s) || ((%s) < 0 && %s > %s))", step, i, stop, step, i,
                     stop);
  return v == 0 ? "false" : orch_text(o, "%s %c %s", i, v > 0 ? '<' : '>', stop);
}

static void loop_body(Orch *o, const Stmt *s, const Carry *carries, const char *slot) {
  ExprList saved = o->results;
  const char *outer_slot = o->slot;
  o->results = (ExprList){0};
  for (int k = 0; k < s->u.loop.ncarried; k++)
    vec_push(&o->results, carries[k].rebind ? carries[k].result : NULL);
  o->slot = slot;
  o->indent += 4;
  orch_enter_block(o);
  orch_block(o, s->u.loop.body);
  orch_leave_block(o);
  o->indent -= 4;
  o->slot = outer_slot;
  vec_free(&o->results);
  o->results = saved;
}

void orch_for(Orch *o, const Stmt *s) {
  if (s->u.loop.kind == FOR_UNROLL || s->u.loop.kind == FOR_PIPELINE) {
    orch_error(o, s->span, "this loop should have been resolved by an earlier pass");
    return;
  }
  Name i = orch_name(o, s->u.loop.var);
  if (!*i || orch_is_reserved(i)) {
    i = orch_fresh(o, *i ? i : ir_name(o->ir, "i"));
    orch_rename(o, s->u.loop.var, i);
  }
  const char *start = orch_expr(o, s->u.loop.start), *stop = orch_expr(o, s->u.loop.stop);
  const char *step = orch_expr(o, s->u.loop.step);
  Carries c = {.n = s->u.loop.nresults < s->u.loop.ncarried ? s->u.loop.nresults
                                                            : s->u.loop.ncarried};
  declare_carries(o, s, &(LoopText){start, stop, step}, &c);
  orch_loop_barriers(o, s);
  orch_line(o, "for (int64_t %s = %s; %s; %s += %s) {", i, start,
            loop_condition(o, s, i, stop, step), i, step);
  int64_t from, by;
  bool plain = expr_const_int(s->u.loop.start, &from) && expr_const_int(s->u.loop.step, &by) &&
               from == 0 && by == 1;
  loop_body(o, s, c.items, plain ? i : orch_text(o, "((%s - %s) / %s)", i, start, step));
  orch_line(o, "}");
  if (c.list) orch_list_barrier(o, c.list, c.listed, c.nlisted);
}

/* A `while` carries all its values in variables; its condition reads them anew for each iteration. */
void orch_while(Orch *o, const Stmt *s) {
  Carries c = {.n = s->u.loop.nresults < s->u.loop.ncarried ? s->u.loop.nresults
                                                            : s->u.loop.ncarried};
  declare_carries(o, s, &(LoopText){0}, &c);
  orch_loop_barriers(o, s);
  orch_line(o, "while (%s) {", orch_expr(o, s->u.loop.cond));
  loop_body(o, s, c.items, NULL);
  orch_line(o, "}");
}

/* ---- yields ---- */

static void yield_to_array(Orch *o, const Stmt *s, const IdArray *to, const Expr *value) {
  const IdArray *from = expr_is_var(value) ? orch_array_of(o, value) : NULL;
  if (from) {
    if (from->name != to->name) copy_loop(o, to->size, to->name, from->name, "__yield_i");
    return;
  }
  const TaskId *id = expr_is_var(value) ? orch_id_of(o, value) : NULL;
  if (!id || id->n != 1 || !o->slot) {
    orch_error(o, s->span, "the value carried into an array of task ids must be the id of a task");
    return;
  }
  orch_line(o, "%s[%s] = %s;", to->name, o->slot, id->slots[0]);
}

/* Is the id of yielded value `i` that of an earlier one in the same list? */
static bool listed_before(Orch *o, const Stmt *s, int i) {
  const TaskId *id = orch_id_of(o, s->u.ret.values[i]);
  for (int k = 0; k < i && id; k++) {
    const Expr *to = o->results.data[k];
    const TaskId *other = to && map_has(&o->lists, to) ? orch_id_of(o, s->u.ret.values[k]) : NULL;
    if (other && other->slots[0] == id->slots[0]) return true;
  }
  return false;
}

typedef struct NameUse {
  Orch *o;
  Name name;
  bool found;
} NameUse;

static bool see_name(Visitor *v, Expr *e) {
  NameUse *u = v->ctx;
  if (e->kind == EXPR_VAR && orch_name(u->o, e) == u->name) u->found = true;
  return true;
}

static bool reads_name(Orch *o, Expr *value, Name name) {
  NameUse use = {o, name, false};
  Visitor v = {.ctx = &use, .expr = see_name};
  visit_expr(&v, value);
  return use.found;
}

/* What a yielded value is in C++. */
static const char *yielded(Orch *o, Expr *value) {
  const char *text = orch_expr(o, value);
  if (expr_is_var(value) && type_is_tensor(value->type))
    text = orch_tensor_name(o, orch_name(o, value));
  return text;
}

/* All values are yielded at once, C++ assigns them one by one: value `i` is read into a variable of its own
 * first if an earlier assignment writes over what it is made of. */
static const char *settle(Orch *o, const Stmt *s, int i) {
  Expr *value = s->u.ret.values[i];
  const char *text = yielded(o, value);
  if (value->type->kind == TYPE_ARRAY) return text;
  for (int k = 0; k < i; k++) {
    const Expr *to = o->results.data[k];
    if (!to || to == s->u.ret.values[k] || !reads_name(o, value, orch_name(o, to))) continue;
    Name held = orch_fresh(o, ir_name(o->ir, "held"));
    orch_line(o, "const %s %s = %s;", orch_type(value->type), held, text);
    return held;
  }
  return text;
}

void orch_yield(Orch *o, const Stmt *s) {
  int n = s->u.ret.len < (int)o->results.len ? s->u.ret.len : (int)o->results.len;
  const char **texts = NEW_ARRAY(o->ir->arena, const char *, n);
  for (int i = 0; i < n; i++) {
    const Expr *to = o->results.data[i], *value = s->u.ret.values[i];
    if (to && to != value && !orch_array_of(o, to)) texts[i] = settle(o, s, i);
  }
  for (int i = 0; i < n; i++) {
    const Expr *to = o->results.data[i], *value = s->u.ret.values[i];
    if (!to || to == value) continue;
    if (map_has(&o->lists, to) && !listed_before(o, s, i)) orch_yield_to_list(o, s, i);
    const IdArray *array = orch_array_of(o, to);
    if (array) {
      yield_to_array(o, s, array, value);
      continue;
    }
    Name name = orch_name(o, to);
    int64_t extent;
    if (name == ir_name(o->ir, texts[i])) continue;
    if (to->type->kind == TYPE_ARRAY && expr_const_int(to->type->shape[0], &extent))
      copy_loop(o, extent, name, texts[i], "__yield_i");
    else
      orch_line(o, "%s = %s;", name, texts[i]);
  }
}
