/* build_loop.c -- for and while. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ir/print.h"
#include "parser/build.h"

/* What stands between the parentheses of pl.range and its like. */
typedef struct Range {
  Expr *start, *stop, *step;
  bool has_start, has_step; /* written, not the default */
  const SynExpr *inits;     /* the list behind init_values=, or NULL */
  Expr **init;
  int ninit;
  const SynKeyword *stage;
  LoopPolicy policy;
  AttrList attrs;
} Range;

static const char *const loop_words[] = {"range", "parallel", "unroll", "pipeline", "while_"};

/* ---------------------------------------------------------------- shape of the text */

/* The first pl.yield_() in the block that assigns nothing; inner loops have their own, and in a `branch` one of no
 * values ends the branch of an `if` without results. */
static const SynStmt *bare_yield(Builder *b, const SynBlock *body, bool branch) {
  for (size_t i = 0; i < body->len; i++) {
    const SynStmt *s = body->stmts[i], *found = NULL;
    const SynExpr *e = s->kind == SYN_EXPR_STMT ? s->value : NULL;
    if (e && e->kind == SYN_CALL && (e->lhs->kind == SYN_ATTR || e->lhs->kind == SYN_NAME) &&
        e->lhs->name == b->n.yield_ && (e->nitems || !branch))
      return s;
    if (s->kind == SYN_IF || s->kind == SYN_WITH)
      found = bare_yield(b, &s->body, branch || s->kind == SYN_IF);
    if (!found && s->kind == SYN_IF) found = bare_yield(b, &s->orelse, true);
    if (found) return found;
  }
  return NULL;
}

static bool check_yields(Builder *b, const SynStmt *s) {
  const SynStmt *bare = bare_yield(b, &s->body, false);
  if (!bare) return true;
  build_error(b, bare->at, "a loop with init_values names what it yields: 'x_next = pl.yield_(x)'");
  build_note(b, "the name on the left is what the value is called after the loop");
  return false;
}

/* The names of the carried values; NULL after an error. */
static Name *carried_names(Builder *b, const SynExpr *tuple, int ninit) {
  if (tuple->kind != SYN_TUPLE)
    return build_error(b, tuple->at, "carried values are written as a tuple: 'for i, (x,) in ...'");
  if ((int)tuple->nitems != ninit)
    return build_error(b, tuple->at, "%u carried values for %d init_values", tuple->nitems, ninit);
  Name *names = NEW_ARRAY(b->ir->arena, Name, tuple->nitems + 1);
  for (size_t i = 0; i < tuple->nitems; i++) {
    if (tuple->items[i]->kind != SYN_NAME)
      return build_error(b, tuple->items[i]->at, "a carried value is a plain name");
    names[i] = tuple->items[i]->name;
  }
  return names;
}

static bool build_inits(Builder *b, const SynExpr *e, Expr ***out, int *n) {
  if (e->kind != SYN_LIST && e->kind != SYN_TUPLE) {
    build_error(b, e->at, "init_values must be written as a tuple or list: init_values=(x, y)");
    return false;
  }
  *n = (int)e->nitems;
  *out = NEW_ARRAY(b->ir->arena, Expr *, e->nitems);
  for (size_t i = 0; i < e->nitems; i++)
    if (!((*out)[i] = build_expr(b, e->items[i]))) return false;
  return true;
}

/* ---------------------------------------------------------------- pl.range and its like */

static bool is_integer_scalar(const Expr *e) {
  return e->type->kind == TYPE_SCALAR && dtype_is_int(e->type->dtype);
}

static bool read_bounds(Builder *b, const SynExpr *call, Range *r, const char *word) {
  Expr *v[3];
  if (call->nitems < 1 || call->nitems > 3) {
    build_error(b, call->at, "pl.%s() takes stop, or start, stop and step", word);
    return false;
  }
  for (size_t i = 0; i < call->nitems; i++) {
    if (!(v[i] = build_expr(b, call->items[i]))) return false;
    if (is_integer_scalar(v[i])) continue;
    build_error(b, call->items[i]->at, "a bound of pl.%s() must be an integer, not %s", word,
                type_str(b->ir, v[i]->type));
    return false;
  }
  r->has_start = call->nitems > 1;
  r->has_step = call->nitems > 2;
  r->start = r->has_start ? v[0] : expr_index(b->ir, 0);
  r->stop = r->has_start ? v[1] : v[0];
  r->step = r->has_step ? v[2] : expr_index(b->ir, 1);
  return true;
}

/* What a loop carries for the passes is plain data: no variable, no list. */
static bool read_attrs(Builder *b, const SynExpr *e, Range *r, const char *word) {
  if (!build_attrs(b, e, word, &r->attrs)) return false;
  for (int i = 0; i < r->attrs.len; i++) {
    const Attr *a = &r->attrs.items[i];
    if (a->value.kind != ATTR_EXPR && a->value.kind != ATTR_LIST) continue;
    build_error(b, a->span, "attribute '%s' of pl.%s() must be a number, a string, True or False",
                a->key, word);
    return false;
  }
  return true;
}

static bool read_keywords(Builder *b, const SynExpr *call, Range *r, const char *word) {
  for (size_t i = 0; i < call->nkwargs; i++) {
    const SynKeyword *k = &call->kwargs[i];
    if (k->name == b->n.init_values) {
      r->inits = k->value;
      if (!build_inits(b, k->value, &r->init, &r->ninit)) return false;
    } else if (k->name == b->n.stage) {
      r->stage = k;
    } else if (k->name == b->n.attrs) {
      if (!read_attrs(b, k->value, r, word)) return false;
    } else if (k->name == b->n.hardware_loop_policy) {
      int policy = eval_enum(b, k->value, ENUM_HW_LOOP);
      if (policy < 0) return false;
      r->policy = (LoopPolicy)policy;
    } else {
      static const char *const known[] = {"init_values", "attrs", "stage", "hardware_loop_policy"};
      const char *near = k->name ? diag_suggest(k->name, known, 4) : NULL;
      build_error(b, k->at, "pl.%s() has no argument '%s'%s%s%s", word, k->name ? k->name : "**",
                  near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
      return false;
    }
  }
  return true;
}

/* The stage count of pl.pipeline; other loops have none. */
static bool read_stage(Builder *b, const SynExpr *call, Range *r, ForKind kind) {
  if (kind != FOR_PIPELINE) {
    if (!r->stage) return true;
    build_error(b, r->stage->at, "only pl.pipeline() has stages, not pl.%s()", loop_words[kind]);
    return false;
  }
  if (!r->stage) {
    build_error(b, call->at, "pl.pipeline() needs the number of its stages: stage=2");
    return false;
  }
  Expr *v = build_expr(b, r->stage->value);
  int64_t stages;
  if (!v) return false;
  if (!expr_const_int(v, &stages) || stages < 1) {
    build_error(b, r->stage->value->at, "stage must be a constant integer of at least 1");
    return false;
  }
  attrs_set(b, &r->attrs, b->n.pipeline_stages, attr_of_int(stages), r->stage->at);
  return true;
}

static bool check_unroll(Builder *b, const SynExpr *call, const Range *r) {
  const Expr *bounds[3] = {r->start, r->stop, r->step};
  if (r->ninit) {
    build_error(b, call->at, "pl.unroll() carries no values: use pl.range()");
    return false;
  }
  for (int i = 0; i < 3; i++) {
    if (bounds[i]->kind == EXPR_INT ||
        (bounds[i]->kind == EXPR_NEG && bounds[i]->u.operand->kind == EXPR_INT))
      continue;
    build_error(b, call->at, "the bounds of pl.unroll() must be constant integers");
    return false;
  }
  int64_t step;
  if (!expr_const_int(r->step, &step) || step != 0) return true;
  build_error(b, call->at, "the step of pl.unroll() is zero");
  return false;
}

/* A loop over typed constants has a variable of their type. */
static DType loop_var_dtype(const Range *r) {
  const Expr *bounds[3] = {r->has_start ? r->start : NULL, r->stop, r->has_step ? r->step : NULL};
  bool index = false, int64 = false;
  for (int i = 0; i < 3; i++) {
    if (!bounds[i] || bounds[i]->kind != EXPR_INT) continue;
    DType t = bounds[i]->type->dtype;
    if (t == DT_INDEX)
      index = true;
    else if (t == DT_INT64)
      int64 = true;
    else
      return t;
  }
  return int64 && !index ? DT_INT64 : DT_INDEX;
}

/* ---------------------------------------------------------------- carried values */

static void define_iter_args(Builder *b, Stmt *loop, const Name *names, Expr *const *init, int n,
                             Span at) {
  loop->u.loop.ncarried = n;
  loop->u.loop.iter_args = NEW_ARRAY(b->ir->arena, Expr *, n);
  for (int i = 0; i < n; i++) {
    loop->u.loop.iter_args[i] = expr_iter_arg(b->ir, names[i], init[i]->type, init[i], at);
    scope_define(b, names[i], loop->u.loop.iter_args[i]);
  }
}

/* What a value carried as `arg` is called after a loop whose yields, in a split_aiv region, name nothing: NAME_out, or
 * in the names that ConvertToSSA makes, the version after x__iter_v1: x__rv_v2. */
static Name unnamed_result(Builder *b, Name arg) {
  const char *version = strstr(arg, "__iter_v");
  int n = version && is_printed(b) ? atoi(version + strlen("__iter_v")) : 0;
  if (n <= 0 || n == INT_MAX) return name_printf(&b->ir->names, "%s_out", arg);
  return name_printf(&b->ir->names, "%.*s__rv_v%d", (int)(version - arg), arg, n + 1);
}

/* The type of a carried value after the loop: its own, where nothing else is printed. */
static const Type *result_type(Builder *b, const Yields *y, Name name, const Type *carried) {
  const Type *t = map_get(&y->annotated, name);
  if (!t || t->kind != carried->kind || !type_is_shaped(t)) return carried;
  Type printed = *t;
  if (!printed.memref) printed.memref = carried->memref;
  printed.window = carried->window;
  if (printed.space == MEM_NONE) printed.space = carried->space;
  return type_intern(b->ir, &printed);
}

/* Variables for the carried values after the loop. */
static bool define_results(Builder *b, Stmt *loop, const Yields *y, Span at) {
  int n = loop->u.loop.ncarried;
  if (y->names.len && (int)y->names.len != n) {
    build_error(b, at, "the loop carries %d value%s but yields %zu", n, n == 1 ? "" : "s",
                y->names.len);
    return false;
  }
  loop->u.loop.nresults = n;
  loop->u.loop.results = NEW_ARRAY(b->ir->arena, Expr *, n);
  for (int i = 0; i < n; i++) {
    const Expr *arg = loop->u.loop.iter_args[i];
    Name name = y->names.len ? y->names.data[i] : unnamed_result(b, arg->u.var.name);
    loop->u.loop.results[i] = expr_var(b->ir, name, result_type(b, y, name, arg->type), at);
  }
  return true;
}

/* Reads the body between scope_enter and here; *yields says what it assigned by yields. */
static bool loop_body(Builder *b, const SynBlock *body, const SynStmt *s, LoopKind kind, Stmt *loop,
                      Yields *yields) {
  yields->outer = b->f->yields;
  b->f->yields = yields;
  vec_push(&b->f->loops, kind);
  bool ok = build_nested(b, body, s->end_line, &loop->u.loop.body);
  (void)vec_pop(&b->f->loops);
  b->f->yields = yields->outer;
  return ok;
}

static void publish_results(Builder *b, const Stmt *loop, const Yields *y) {
  for (int i = 0; i < loop->u.loop.nresults; i++)
    if (y->names.len || is_printed(b))
      scope_define(b, loop->u.loop.results[i]->u.var.name, loop->u.loop.results[i]);
}

static bool finish_loop(Builder *b, Stmt *loop, Yields *y, bool ok, bool publish) {
  if (ok) {
    emit(b, loop);
    if (publish) publish_results(b, loop, y);
  }
  vec_free(&y->names);
  map_free(&y->types);
  map_free(&y->annotated);
  return ok;
}

/* ---------------------------------------------------------------- for */

/* Copies of a loop that a pass has made share their variable. */
static Expr *loop_variable(Builder *b, const SynExpr *target, const Type *type) {
  Expr *known = b->verbatim ? map_get(&b->f->loop_vars, target->name) : NULL;
  if (known && known->type == type) return known;
  Expr *var = expr_var(b->ir, target->name, type, target->at);
  map_set(&b->f->loop_vars, target->name, var);
  return var;
}

static bool build_range_loop(Builder *b, const SynStmt *s, ForKind kind) {
  static const LoopKind kinds[] = {LOOP_RANGE, LOOP_PARALLEL, LOOP_UNROLL, LOOP_PIPELINE};
  const SynExpr *target = s->targets[0], *call = s->value, *carried = NULL;
  if (target->kind == SYN_TUPLE && target->nitems == 2) {
    carried = target->items[1];
    target = target->items[0];
  }
  if (target->kind != SYN_NAME) {
    build_error(b, target->at, "a loop is written 'for i in ...' or 'for i, (x, y) in ...'");
    return false;
  }
  Range r = {0};
  if (!read_bounds(b, call, &r, loop_words[kind]) ||
      !read_keywords(b, call, &r, loop_words[kind]) || !read_stage(b, call, &r, kind) ||
      (kind == FOR_UNROLL && !check_unroll(b, call, &r)))
    return false;
  if (!carried && r.ninit) {
    build_error(b, target->at, "init_values need names in the loop: 'for %s, (x,) in ...'",
                target->name);
    return false;
  }
  if (r.ninit && !check_yields(b, s)) return false;
  Name *names = carried ? carried_names(b, carried, r.ninit) : NULL;
  if (carried && !names) return false;

  Stmt *loop = stmt_new(b->ir, STMT_FOR, s->at);
  loop->u.loop.kind = kind;
  loop->u.loop.policy = r.policy;
  loop->u.loop.start = r.start;
  loop->u.loop.stop = r.stop;
  loop->u.loop.step = r.step;
  loop->u.loop.attrs = r.attrs;
  loop->u.loop.var = loop_variable(b, target, type_scalar(b->ir, loop_var_dtype(&r)));
  scope_enter(b);
  scope_define(b, target->name, loop->u.loop.var);
  define_iter_args(b, loop, names, r.init, r.ninit, carried ? carried->at : s->at);
  Yields yields = {0};
  bool ok = loop_body(b, &s->body, s, kinds[kind], loop, &yields);
  scope_exit(b, !carried && !yields.names.len);
  if (ok && r.ninit) ok = define_results(b, loop, &yields, s->at);
  return finish_loop(b, loop, &yields, ok, carried != NULL);
}

/* ---------------------------------------------------------------- while */

static const SynExpr *cond_call(Builder *b, const SynStmt *s) {
  const SynExpr *e = s->kind == SYN_EXPR_STMT ? s->value : NULL;
  bool named = e && e->kind == SYN_CALL && (e->lhs->kind == SYN_ATTR || e->lhs->kind == SYN_NAME);
  return named && e->lhs->name == b->n.cond ? e : NULL;
}

/* The condition of `for ... in pl.while_(...)`: the first statement and no other. */
static const SynExpr *while_condition(Builder *b, const SynStmt *s) {
  const SynExpr *cond = s->body.len ? cond_call(b, s->body.stmts[0]) : NULL;
  if (!cond)
    return build_error(b, s->body.len ? s->body.stmts[0]->at : s->at,
                       "the first statement of a pl.while_() loop must be pl.cond(condition)");
  if (cond->nitems != 1 || cond->nkwargs)
    return build_error(b, cond->at, "pl.cond() takes one condition");
  for (size_t i = 1; i < s->body.len; i++)
    if (cond_call(b, s->body.stmts[i]))
      return build_error(b, s->body.stmts[i]->at,
                         "pl.cond() stands only first in a pl.while_() loop");
  return cond->items[0];
}

static bool build_while_for(Builder *b, const SynStmt *s) {
  const SynExpr *call = s->value;
  Expr **init = NULL;
  int ninit = 0;
  for (size_t i = 0; i < call->nkwargs; i++) {
    if (call->kwargs[i].name != b->n.init_values) {
      build_error(b, call->kwargs[i].at, "pl.while_() takes nothing but init_values");
      return false;
    }
    if (!build_inits(b, call->kwargs[i].value, &init, &ninit)) return false;
  }
  if (call->nitems || !ninit) {
    build_error(b, call->at,
                "pl.while_() takes init_values and nothing else: pl.while_(init_values=(x,))");
    return false;
  }
  const SynExpr *condition = while_condition(b, s);
  Name *names = condition ? carried_names(b, s->targets[0], ninit) : NULL;
  if (!names || !check_yields(b, s)) return false;

  Stmt *loop = stmt_new(b->ir, STMT_WHILE, s->at);
  scope_enter(b);
  define_iter_args(b, loop, names, init, ninit, s->targets[0]->at);
  loop->u.loop.cond = build_expr(b, condition);
  Yields yields = {0};
  SynBlock body = {s->body.stmts + 1, s->body.len - 1};
  bool ok = loop->u.loop.cond && check_condition(b, loop->u.loop.cond, "while", condition->at) &&
            loop_body(b, &body, s, LOOP_WHILE, loop, &yields);
  scope_exit(b, false);
  ok = ok && define_results(b, loop, &yields, s->at);
  return finish_loop(b, loop, &yields, ok, true);
}

bool build_while(Builder *b, const SynStmt *s) {
  Expr *cond = build_expr(b, s->value);
  if (!cond || !check_condition(b, cond, "while", s->value->at)) return false;
  Stmt *loop = stmt_new(b->ir, STMT_WHILE, s->at);
  loop->u.loop.cond = cond;
  scope_enter(b);
  vec_push(&b->f->loops, LOOP_WHILE);
  bool ok = build_nested(b, &s->body, s->end_line, &loop->u.loop.body);
  (void)vec_pop(&b->f->loops);
  scope_exit(b, true);
  if (ok) emit(b, loop);
  return ok;
}

bool build_for(Builder *b, const SynStmt *s) {
  static const char *const known[] = {"range",  "parallel", "unroll",   "pipeline",
                                      "while_", "spmd",     "split_aiv"};
  const SynExpr *e = s->value;
  Name word = e->kind == SYN_CALL && e->lhs->kind == SYN_ATTR ? e->lhs->name : NULL;
  if (word == b->n.range) return build_range_loop(b, s, FOR_RANGE);
  if (word == b->n.parallel) return build_range_loop(b, s, FOR_PARALLEL);
  if (word == b->n.unroll) return build_range_loop(b, s, FOR_UNROLL);
  if (word == b->n.pipeline) return build_range_loop(b, s, FOR_PIPELINE);
  if (word == b->n.while_) return build_while_for(b, s);
  if (word == b->n.spmd) return build_spmd_for(b, s);
  if (word == b->n.split_aiv) return build_split_aiv(b, s);
  const char *near = word ? diag_suggest(word, known, 7) : NULL;
  if (near)
    build_error(b, e->at, "'%s' is nothing to loop over: did you mean 'pl.%s'?",
                syn_text(b->ir->arena, e), near);
  else
    build_error(b, e->at,
                "a kernel loops over pl.range(), pl.parallel(), pl.unroll(), pl.pipeline(), "
                "pl.while_(), pl.spmd() or pl.split_aiv()");
  return false;
}
