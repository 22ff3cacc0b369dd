/* ClassifyIterArgCarry: which loop carries need a variable.  docs/passes/classify-iter-arg-carry.md
 */
#include <string.h>

#include "base/vec.h"
#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"

/* Where a loop's result comes from. */
typedef struct ResultOf {
  Stmt *loop;
  int index;
} ResultOf;

/* The arguments that a call writes. */
typedef struct WrittenArgs {
  Expr **args;
  int n;
} WrittenArgs;

typedef struct Classify {
  Ir *ir;
  const Program *program;
  Map returned; /* cache of returned_params */
  Map source;   /* variable -> the variable whose buffer it names, one step back */
  Map value;    /* assigned variable -> its value */
  Map written;  /* call -> WrittenArgs*, as far as its results are asked for */
  Map results;  /* loop result -> ResultOf* */
  Map parent;   /* loop -> the loop around it */
  Stmt *loop;   /* the loop around the place at work */
  int manual;   /* enclosing manual scopes */
  bool failed;
} Classify;

static bool writes(ArgDir d, bool fresh_too) {
  return d == ADIR_OUTPUT_EXISTING || d == ADIR_INOUT || (fresh_too && d == ADIR_OUTPUT);
}

static Expr *var_or_null(Expr *e) { return expr_is_var(e) ? e : NULL; }

/* ---- one step back ---- */

static Expr *call_source(Classify *c, Expr *call) {
  if (expr_is_op(call, OP_TENSOR_ASSEMBLE)) return var_or_null(call->u.call.args[0]);
  const AttrValue *dirs = call_directions(c->ir, call);
  if (!dirs) return NULL;
  const Function *callee = call_target(c->program, call);
  int returned = callee ? returned_param(c->ir, &c->returned, callee, 0) : -1;
  for (int i = 0; i < call->u.call.nargs; i++)
    if (writes(direction_at(dirs, i), false) && (returned < 0 || i == returned))
      return var_or_null(call->u.call.args[i]);
  return NULL;
}

static const WrittenArgs *written_by(Classify *c, Expr *call) {
  WrittenArgs *w = map_get(&c->written, call);
  if (w) return w;
  const AttrValue *dirs = call_directions(c->ir, call);
  w = NEW(c->ir->arena, WrittenArgs);
  w->args = NEW_ARRAY(c->ir->arena, Expr *, call->u.call.nargs);
  for (int i = 0; dirs && i < call->u.call.nargs; i++)
    if (writes(direction_at(dirs, i), true)) w->args[w->n++] = call->u.call.args[i];
  map_set(&c->written, call, w);
  return w;
}

static Expr *item_source(Classify *c, Expr *get) {
  Expr *call = map_get(&c->value, get->u.get.tuple);
  if (!call || !expr_is_call(call)) return NULL;
  const WrittenArgs *w = written_by(c, call);
  int i = get->u.get.index;
  return i >= 0 && i < w->n ? var_or_null(w->args[i]) : NULL;
}

static void add_source(Classify *c, Expr *var, Expr *source) {
  if (source && source != var && !map_has(&c->source, var)) map_set(&c->source, var, source);
}

static void collect_loop(Classify *c, Stmt *s) {
  if (s->kind == STMT_FOR) map_set(&c->parent, s, c->loop);
  for (int i = 0; i < s->u.loop.nresults && s->kind == STMT_FOR; i++) {
    ResultOf *r = NEW(c->ir->arena, ResultOf);
    *r = (ResultOf){s, i};
    map_set(&c->results, s->u.loop.results[i], r);
    Expr *carry = s->u.loop.iter_args[i];
    if (carry->type->kind != TYPE_ARRAY)
      add_source(c, s->u.loop.results[i], var_or_null(carry->u.var.init));
  }
}

static bool collect_stmt(Visitor *v, Stmt *s) {
  Classify *c = v->ctx;
  if (stmt_is_loop(s)) {
    collect_loop(c, s);
    if (s->kind == STMT_FOR) c->loop = s;
  } else if (s->kind == STMT_ASSIGN) {
    Expr *value = s->u.assign.value;
    map_set(&c->value, s->u.assign.var, value);
    if (value->kind == EXPR_TUPLE_GET)
      add_source(c, s->u.assign.var, item_source(c, value));
    else if (expr_is_call(value))
      add_source(c, s->u.assign.var, call_source(c, value));
  }
  return true;
}

static void collect_end(Visitor *v, Stmt *s) {
  Classify *c = v->ctx;
  if (s->kind == STMT_FOR) c->loop = map_get(&c->parent, s);
}

/* The last variable that can be reached backwards from `var`.  Shortens the way for the next time.
 */
static Expr *origin(Classify *c, Expr *var) {
  Expr *end = var;
  for (Expr *next; (next = map_get(&c->source, end));) end = next;
  while (var != end) {
    Expr *next = map_get(&c->source, var);
    map_set(&c->source, var, end);
    var = next;
  }
  return end;
}

/* ---- the plan of a loop ---- */

static bool is_task_id(const Expr *var) {
  return type_is_scalar(var->type) && var->type->dtype == DT_TASK_ID;
}

static bool lies_in(const Classify *c, const Stmt *inner, const Stmt *outer) {
  while (inner && inner != outer) inner = map_get(&c->parent, inner);
  return inner != NULL;
}

static int64_t array_size(Classify *c, Stmt *loop, int i) {
  while (is_task_id(loop->u.loop.iter_args[i])) {
    int64_t trips;
    if (loop->u.loop.kind == FOR_PARALLEL) return loop_trip_count(loop, &trips) ? trips : 0;
    if (loop->u.loop.kind != FOR_RANGE) return 0;
    Stmt *yield = block_yield(unwrap_auto_scope(c->ir, loop->u.loop.body));
    if (!yield || i >= yield->u.ret.len) return 0;
    const ResultOf *r = map_get(&c->results, yield->u.ret.values[i]);
    if (!r || r->loop == loop || !lies_in(c, r->loop, loop)) return 0;
    loop = r->loop;
    i = r->index;
  }
  return 0;
}

static AttrList without_plan(Classify *c, AttrList attrs) {
  for (int i = 0; i < attrs.len;) {
    Name key = attrs.items[i].key;
    if (strncmp(key, "iter_arg_rebind_", 16) == 0 || strncmp(key, "iter_arg_array_size_", 20) == 0)
      attrs = attr_without(c->ir, attrs, key);
    else
      i++;
  }
  return attrs;
}

static AttrList plan_attrs(Classify *c, Stmt *s) {
  AttrList before = without_plan(c, s->u.loop.attrs);
  VEC(Attr) attrs = {0};
  for (int i = 0; i < before.len; i++) vec_push(&attrs, before.items[i]);
  Stmt *yield = block_yield(unwrap_auto_scope(c->ir, s->u.loop.body));
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    Expr *carry = s->u.loop.iter_args[i];
    bool rebind = false;
    if (yield && i < yield->u.ret.len) {
      Expr *value = yield->u.ret.values[i];
      rebind = !expr_is_var(value) || origin(c, value) != carry || is_task_id(carry);
    }
    int64_t size = rebind && c->manual > 0 ? array_size(c, s, i) : 0;
    if (rebind && c->manual > 0 && size <= 0 && s->u.loop.kind == FOR_PARALLEL &&
        is_task_id(carry)) {
      diag_error(
          c->ir->diag, s->span,
          "a parallel loop that carries task ids in a manual scope needs a constant trip count");
      diag_note(c->ir->diag, carry->span, "the ids are carried in '%s'", carry->u.var.name);
      c->failed = true;
    }
    vec_push(&attrs, (Attr){name_printf(&c->ir->names, "iter_arg_rebind_%d", i),
                            attr_of_bool(rebind), NO_SPAN});
    if (size > 0)
      vec_push(&attrs, (Attr){name_printf(&c->ir->names, "iter_arg_array_size_%d", i),
                              attr_of_int(size), NO_SPAN});
  }
  int n = (int)attrs.len;
  return (AttrList){vec_to_arena(&attrs, c->ir->arena), n};
}

static void classify_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Classify *c = r->ctx;
  bool manual = s->kind == STMT_SCOPE && s->u.scope.kind == SCOPE_RUNTIME && s->u.scope.manual;
  bool planned = s->kind == STMT_FOR && s->u.loop.ncarried > 0;
  AttrList plan = {0};
  if (planned) plan = plan_attrs(c, s);
  c->manual += manual;
  Stmt *done = rewrite_stmt_children(r, s);
  c->manual -= manual;
  if (planned) {
    done = stmt_copy(c->ir, done);
    done->u.loop.attrs = plan;
  }
  vec_push(out, done);
}

static Function *classify_function(void *ctx, Function *f) {
  Classify *c = ctx;
  if (f->type != FUNC_ORCHESTRATION) return f;
  Visitor v = {.ctx = c, .stmt = collect_stmt, .stmt_end = collect_end};
  visit_block(&v, f->body);
  Rewriter r;
  rewriter_init(&r, c->ir, c);
  r.stmt = classify_stmt;
  Function *out = rewrite_func(&r, f);
  rewriter_free(&r);
  map_clear(&c->source);
  map_clear(&c->value);
  map_clear(&c->written);
  map_clear(&c->results);
  map_clear(&c->parent);
  return c->failed ? NULL : out;
}

Program *classify_iter_arg_carry(PassCtx *ctx, Program *p) {
  Classify c = {.ir = ctx->ir, .program = p};
  Program *out = rewrite_program(ctx->ir, p, classify_function, &c);
  map_free(&c.returned);
  map_free(&c.source);
  map_free(&c.value);
  map_free(&c.written);
  map_free(&c.results);
  map_free(&c.parent);
  return out;
}
