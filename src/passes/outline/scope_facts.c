#include "passes/outline/scope_facts.h"

#include "ir/calls.h"
#include "ir/op.h"
#include "ir/visit.h"

Expr *store_target(const Expr *call) {
  if (!expr_is_op(call, OP_TILE_STORE) || call->u.call.nargs < 3) return NULL;
  Expr *target = call->u.call.args[2];
  return target->kind == EXPR_VAR && !target->u.var.is_iter_arg ? target : NULL;
}

static void add_once(VarList *list, Map *set, Expr *var) {
  if (map_set(set, var, map_int(1))) vec_push(list, var);
}

/* ---- inputs and definitions ---- */

typedef struct Walk {
  ScopeFacts *f;
  Map defined;     /* what is defined where we are */
  VarList journal; /* entries of it, to be taken back behind a branch */
} Walk;

static void walk_block(Walk *w, Block b);

static bool walk_expr(Visitor *v, Expr *e) {
  Walk *w = v->ctx;
  if (e->kind == EXPR_VAR) {
    map_set(&w->f->names, e->u.var.name, map_int(1));
    if (!map_has(&w->defined, e)) add_once(&w->f->inputs, &w->f->input_set, e);
  } else if (e->kind == EXPR_CALL) {
    Expr *target = store_target(e);
    if (target) add_once(&w->f->stored, &w->f->stored_set, target);
    if (expr_is_op(e, OP_PLD_SYSTEM_DEFER_WAIT)) w->f->waits = true;
  }
  return true;
}

static void use(Walk *w, Expr *e) {
  Visitor v = {.ctx = w, .expr = walk_expr};
  if (e) visit_expr(&v, e);
}

static void use_attrs(Walk *w, AttrList attrs) {
  for (int i = 0; i < attrs.len; i++) {
    const AttrValue *a = &attrs.items[i].value;
    if (a->kind == ATTR_EXPR) use(w, a->u.expr);
    for (int k = 0; a->kind == ATTR_LIST && k < a->u.list.len; k++)
      if (a->u.list.items[k].kind == ATTR_EXPR) use(w, a->u.list.items[k].u.expr);
  }
}

static void define(Walk *w, Expr *var) {
  map_set(&w->f->names, var->u.var.name, map_int(1));
  add_once(&w->f->defs, &w->f->def_set, var);
  if (map_set(&w->defined, var, map_int(1))) vec_push(&w->journal, var);
}

static void define_all(Walk *w, Expr **vars, int n) {
  for (int i = 0; i < n; i++) define(w, vars[i]);
}

/* What the branch defined; none of it holds behind it. */
static VarList walk_branch(Walk *w, Block b) {
  size_t mark = w->journal.len;
  VarList introduced = {0};
  walk_block(w, b);
  while (w->journal.len > mark) {
    Expr *var = vec_pop(&w->journal);
    map_remove(&w->defined, var);
    vec_push(&introduced, var);
  }
  return introduced;
}

static void walk_if(Walk *w, const Stmt *s) {
  use(w, s->u.if_.cond);
  define_all(w, s->u.if_.results, s->u.if_.nresults);
  VarList in_then = walk_branch(w, s->u.if_.then_body),
          in_else = walk_branch(w, s->u.if_.else_body);
  Map both = {0};
  for (size_t i = 0; i < in_then.len; i++) map_set(&both, in_then.data[i], map_int(1));
  for (size_t i = 0; i < in_else.len; i++)
    if (map_has(&both, in_else.data[i]) && map_set(&w->defined, in_else.data[i], map_int(1)))
      vec_push(&w->journal, in_else.data[i]);
  map_free(&both);
  vec_free(&in_then);
  vec_free(&in_else);
}

static void walk_loop(Walk *w, const Stmt *s) {
  for (int i = 0; i < s->u.loop.ncarried; i++) use(w, s->u.loop.iter_args[i]->u.var.init);
  if (s->u.loop.var) define(w, s->u.loop.var);
  define_all(w, s->u.loop.results, s->u.loop.nresults);
  define_all(w, s->u.loop.iter_args, s->u.loop.ncarried);
  use(w, s->u.loop.start);
  use(w, s->u.loop.stop);
  use(w, s->u.loop.step);
  use(w, s->u.loop.cond);
  walk_block(w, s->u.loop.body);
}

static void walk_scope(Walk *w, const Stmt *s) {
  use(w, s->u.scope.core_num);
  use_attrs(w, s->u.scope.attrs);
  if (s->u.scope.index) define(w, s->u.scope.index);
  walk_block(w, s->u.scope.body);
}

static void walk_block(Walk *w, Block b) {
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    Expr *target = NULL;
    switch (s->kind) {
      case STMT_ASSIGN:
        use(w, s->u.assign.value);
        define(w, s->u.assign.var);
        target = store_target(s->u.assign.value);
        if (target && !map_has(&w->f->stored_as, s->u.assign.var))
          map_set(&w->f->stored_as, s->u.assign.var, target);
        break;
      case STMT_EVAL: use(w, s->u.eval); break;
      case STMT_RETURN:
      case STMT_YIELD:
        for (int k = 0; k < s->u.ret.len; k++) use(w, s->u.ret.values[k]);
        break;
      case STMT_IF: walk_if(w, s); break;
      case STMT_FOR:
      case STMT_WHILE: walk_loop(w, s); break;
      case STMT_SCOPE: walk_scope(w, s); break;
      default: break;
    }
  }
}

void scope_facts_init(ScopeFacts *f, Block body) {
  *f = (ScopeFacts){0};
  Walk w = {.f = f};
  walk_block(&w, body);
  map_free(&w.defined);
  vec_free(&w.journal);
}

void scope_facts_free(ScopeFacts *f) {
  vec_free(&f->inputs);
  vec_free(&f->defs);
  vec_free(&f->stored);
  map_free(&f->input_set);
  map_free(&f->def_set);
  map_free(&f->stored_set);
  map_free(&f->stored_as);
  map_free(&f->names);
}

/* ---- directions ---- */

enum { READS = 1, WRITES = 2 };

typedef struct Access {
  const Program *program;
  Map index;   /* variable, or another name of its buffer -> 1 + input */
  int *access; /* per input: READS, WRITES */
  ParamDir *dirs;
} Access;

/* The argument that the operator overwrites without reading it, or -1.  An atomic write adds to what is
 * there. */
static int overwritten(const Expr *call) {
  int at = expr_is_op(call, OP_TENSOR_ASSEMBLE) && call->u.call.nargs > 0 ? 0
           : expr_is_op(call, OP_TILE_STORE) && call->u.call.nargs > 2    ? 2
                                                                          : -1;
  for (int i = 0; at >= 0 && i < call->u.call.kwargs.len; i++) {
    const AttrValue *v = &call->u.call.kwargs.items[i].value;
    bool is_atomic = v->kind == ATTR_ENUM && v->enum_id == ENUM_ATOMIC && v->u.i != ATOMIC_NONE;
    if (is_atomic) return -1;
  }
  return at;
}

static int input_of(const Access *a, const Expr *e) {
  return e->kind == EXPR_VAR ? (int)map_get_int(&a->index, e) - 1 : -1;
}

static bool read_expr(Visitor *v, Expr *e);

/* Attributes that only name a tensor do not read it. */
static bool is_bookkeeping(const Attr *a) {
  return strcmp(a->key, "dump_vars") == 0 || strcmp(a->key, "arg_direction_overrides_vars") == 0;
}

static void read_attrs(Visitor *v, AttrList attrs) {
  for (int i = 0; i < attrs.len; i++) {
    const AttrValue *a = &attrs.items[i].value;
    if (is_bookkeeping(&attrs.items[i])) continue;
    if (a->kind == ATTR_EXPR) visit_expr(v, a->u.expr);
    for (int k = 0; a->kind == ATTR_LIST && k < a->u.list.len; k++)
      if (a->u.list.items[k].kind == ATTR_EXPR) visit_expr(v, a->u.list.items[k].u.expr);
  }
}

static bool read_expr(Visitor *v, Expr *e) {
  Access *a = v->ctx;
  if (e->kind == EXPR_VAR) {
    int at = input_of(a, e);
    if (at >= 0) a->access[at] |= READS;
    return true;
  }
  if (e->kind != EXPR_CALL) return true;
  int skip = overwritten(e);
  for (int i = 0; i < e->u.call.nargs; i++)
    if (i != skip) visit_expr(v, e->u.call.args[i]);
  read_attrs(v, e->u.call.kwargs);
  read_attrs(v, e->u.call.attrs);
  return false;
}

static bool read_stmt(Visitor *v, Stmt *s) {
  Access *a = v->ctx;
  if (s->kind == STMT_ASSIGN && s->u.assign.value->kind == EXPR_CALL) {
    /* The result is another name of the tensor written. */
    int at = overwritten(s->u.assign.value);
    int input = at >= 0 ? input_of(a, s->u.assign.value->u.call.args[at]) : -1;
    if (input >= 0 && !map_has(&a->index, s->u.assign.var))
      map_set(&a->index, s->u.assign.var, map_int(input + 1));
  }
  if (s->kind != STMT_SCOPE) return true;
  if (s->u.scope.core_num) visit_expr(v, s->u.scope.core_num);
  read_attrs(v, s->u.scope.attrs);
  visit_block(v, s->u.scope.body);
  return false;
}

static ParamDir join(ParamDir a, ParamDir b) {
  if (a == PARAM_IN) return b;
  return b == PARAM_IN || a == b ? a : PARAM_INOUT;
}

static ParamDir written(const Access *a, int input) {
  return a->access[input] & READS ? PARAM_INOUT : PARAM_OUT;
}

static bool find_assembles(Visitor *v, Expr *e) {
  Access *a = v->ctx;
  if (!expr_is_op(e, OP_TENSOR_ASSEMBLE) || e->u.call.nargs == 0) return true;
  const Expr *target = e->u.call.args[0];
  int input = target->kind == EXPR_VAR && !target->u.var.is_iter_arg ? input_of(a, target) : -1;
  if (input >= 0 && a->dirs[input] == PARAM_IN) a->dirs[input] = written(a, input);
  return true;
}

static bool find_calls(Visitor *v, Expr *e) {
  Access *a = v->ctx;
  const Function *callee = e->kind == EXPR_CALL ? call_target(a->program, e) : NULL;
  for (int i = 0; callee && i < e->u.call.nargs && i < callee->nparams; i++) {
    const Expr *arg = e->u.call.args[i];
    int input = arg->kind == EXPR_VAR && !arg->u.var.is_iter_arg ? input_of(a, arg) : -1;
    if (input >= 0) a->dirs[input] = join(a->dirs[input], callee->dirs[i]);
  }
  return true;
}

static void name_inputs(Access *a, const VarList *inputs) {
  map_clear(&a->index);
  for (size_t i = 0; i < inputs->len; i++)
    map_set(&a->index, inputs->data[i], map_int((intptr_t)i + 1));
}

void infer_directions(const Program *program, Block body, const VarList *inputs,
                      const Map *exported, ParamDir *dirs) {
  Access a = {.program = program, .dirs = dirs};
  a.access = xmalloc(sizeof(int) * (inputs->len + 1));
  for (size_t i = 0; i < inputs->len; i++) a.access[i] = 0;
  name_inputs(&a, inputs);
  Visitor reads = {.ctx = &a, .expr = read_expr, .stmt = read_stmt};
  visit_block(&reads, body);
  for (size_t i = 0; i < inputs->len; i++)
    dirs[i] = map_has(exported, inputs->data[i]) ? written(&a, (int)i) : PARAM_IN;
  /* From here on only the variables themselves count, not what they are called later. */
  name_inputs(&a, inputs);
  Visitor assembles = {.ctx = &a, .expr = find_assembles};
  visit_block(&assembles, body);
  if (program) {
    Visitor calls = {.ctx = &a, .expr = find_calls};
    visit_block(&calls, body);
  }
  map_free(&a.index);
  free(a.access);
}
