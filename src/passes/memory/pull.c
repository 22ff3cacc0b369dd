/* pull.c -- moves the producers of a value into the allocation where the value must end up. */
#include <stdlib.h>

#include "ir/op.h"
#include "ir/visit.h"
#include "passes/memory/apart.h"
#include "passes/memory/memref.h"
#include "passes/memory/placing.h"

enum {
  MAX_DEPTH = 4000
}; /* of results that come from results; beyond, a value stays where it is */

typedef enum { DEF_ASSIGN, DEF_IF, DEF_FOR, DEF_ITER } DefKind;

/* Where a tile variable is bound. */
typedef struct Def {
  DefKind kind;
  Stmt *stmt;
  int index;     /* among the results or iter args */
  int body, pos; /* DEF_ASSIGN: the statement list it stands in, and its position */
} Def;

/* A statement list: a body or branch.  Positions are numbers in program order. */
typedef struct Body {
  int parent;  /* the list that holds `owner`; -1 for the function's body */
  Stmt *owner; /* NULL for the function's body */
  int end;     /* last position in the list */
  int behind;  /* last position of the owner */
} Body;

typedef VEC(int) Positions;

typedef struct Pull {
  Placing *p;
  Map defs;    /* variable -> Def */
  Map touched; /* allocation -> Positions where it is read or written, ascending */
  Map source;  /* plain copy of what a loop carries -> that; it will follow it */
  VEC(Body) bodies;
  int body, pos; /* of the walk */
  Map plan;      /* variable -> const Type *, to be applied */
  Map visiting;
  VEC(Positions *) owned;
} Pull;

/* ---------------------------------------------------------------- the index */

static void touch(Pull *u, const Expr *var) {
  Expr *base = tile_base(placing_type(u->p, var));
  if (!base) return;
  Positions *at = map_get(&u->touched, base);
  if (!at) {
    at = NEW(u->p->ir->arena, Positions);
    map_set(&u->touched, base, at);
    vec_push(&u->owned, at);
  }
  if (at->len == 0 || vec_last(at) != u->pos) vec_push(at, u->pos);
}

static bool touch_expr(Visitor *v, Expr *e) {
  Pull *u = v->ctx;
  if (!expr_is_var(e)) return true;
  Expr *source = map_get(&u->source, e);
  if (source) visit_expr(v, source);
  if (e->u.var.is_iter_arg)
    visit_expr(v, e->u.var.init);
  else
    touch(u, e);
  return true;
}

static void reads(Pull *u, Expr *e) {
  Visitor v = {.ctx = u, .expr = touch_expr};
  visit_expr(&v, e);
}

static void add_def(Pull *u, Expr *var, DefKind kind, Stmt *stmt, int index) {
  if (!type_is_tile(var->type)) return;
  Def *d = NEW(u->p->ir->arena, Def);
  *d = (Def){kind, stmt, index, u->body, u->pos};
  map_set(&u->defs, var, d);
}

static void index_block(Pull *u, Block b);

static int index_body(Pull *u, Stmt *owner, Block b) {
  int id = (int)u->bodies.len, parent = u->body;
  vec_push(&u->bodies, (Body){parent, owner, 0, 0});
  u->body = id;
  index_block(u, b);
  u->bodies.data[id].end = u->pos;
  u->body = parent;
  return id;
}

static void index_loop(Pull *u, Stmt *s) {
  bool counted = s->kind == STMT_FOR; /* `while` carries nothing that could be pulled */
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    if (counted) add_def(u, s->u.loop.iter_args[i], DEF_ITER, s, i);
    reads(u, s->u.loop.iter_args[i]->u.var.init);
  }
  for (int i = 0; i < s->u.loop.nresults && counted; i++)
    add_def(u, s->u.loop.results[i], DEF_FOR, s, i);
  int body = index_body(u, s, s->u.loop.body);
  u->pos++;
  for (int i = 0; i < s->u.loop.nresults; i++) touch(u, s->u.loop.results[i]);
  u->bodies.data[body].behind = u->pos;
}

static void index_if(Pull *u, Stmt *s) {
  reads(u, s->u.if_.cond);
  for (int i = 0; i < s->u.if_.nresults; i++) add_def(u, s->u.if_.results[i], DEF_IF, s, i);
  int then_body = index_body(u, s, s->u.if_.then_body);
  int else_body = s->u.if_.has_else ? index_body(u, s, s->u.if_.else_body) : then_body;
  u->pos++;
  for (int i = 0; i < s->u.if_.nresults; i++) touch(u, s->u.if_.results[i]);
  u->bodies.data[then_body].behind = u->bodies.data[else_body].behind = u->pos;
}

static void index_stmt(Pull *u, Stmt *s) {
  u->pos++;
  switch (s->kind) {
    case STMT_ASSIGN:
      add_def(u, s->u.assign.var, DEF_ASSIGN, s, 0);
      reads(u, s->u.assign.value);
      touch(u, s->u.assign.var);
      if (expr_is_var(s->u.assign.value) && type_is_tile(s->u.assign.var->type))
        map_set(&u->source, s->u.assign.var, s->u.assign.value);
      break;
    case STMT_EVAL: reads(u, s->u.eval); break;
    case STMT_RETURN:
    case STMT_YIELD:
      for (int i = 0; i < s->u.ret.len; i++) reads(u, s->u.ret.values[i]);
      break;
    case STMT_IF: index_if(u, s); break;
    case STMT_FOR:
    case STMT_WHILE: index_loop(u, s); break;
    case STMT_SCOPE: {
      int body = index_body(u, s, s->u.scope.body);
      u->bodies.data[body].behind = u->pos;
      break;
    }
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE: break;
  }
}

static void index_block(Pull *u, Block b) {
  for (int i = 0; i < b.len; i++) index_stmt(u, b.items[i]);
}

static void pull_init(Pull *u, Placing *p, const Function *f) {
  *u = (Pull){.p = p, .body = -1};
  index_body(u, NULL, f->body);
}

static void pull_free(Pull *u) {
  for (size_t i = 0; i < u->owned.len; i++) vec_free(u->owned.data[i]);
  vec_free(&u->owned);
  vec_free(&u->bodies);
  map_free(&u->defs);
  map_free(&u->touched);
  map_free(&u->source);
  map_free(&u->plan);
  map_free(&u->visiting);
}

static bool touched_within(const Pull *u, const Expr *base, int after, int end) {
  const Positions *at = map_get(&u->touched, base);
  size_t lo = 0, hi = at ? at->len : 0;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (at->data[mid] <= after)
      lo = mid + 1;
    else
      hi = mid;
  }
  return at && lo < at->len && at->data[lo] <= end;
}

/* Is the allocation left alone behind an assignment, up to the end of the enclosing loop's body (or of
 * `stop`)?  The list that holds a `while` is not searched behind it. */
static bool left_alone(const Pull *u, const Def *d, const Expr *base, const Stmt *stop) {
  int after = d->pos;
  bool search = true;
  for (int i = d->body; i >= 0; i = u->bodies.data[i].parent) {
    const Body *l = &u->bodies.data[i];
    if (search && touched_within(u, base, after, l->end)) return false;
    if (!l->owner || l->owner == stop || l->owner->kind == STMT_FOR) return true;
    search = l->owner->kind != STMT_WHILE;
    after = l->behind;
  }
  return true;
}

/* ---------------------------------------------------------------- pulling */

static const Type *type_now(const Pull *u, const Expr *var) {
  const Type *t = map_get(&u->plan, var);
  return t ? t : placing_type(u->p, var);
}

static void plan(Pull *u, Expr *var, const MemRef *to, MemSpace space) {
  map_set(&u->plan, var, (void *)type_placed(u->p->ir, placing_type(u->p, var), to, space));
}

static bool reads_allocation(const Pull *u, const Expr *call, const Expr *result,
                             const Expr *base) {
  for (int i = 0; i < call->u.call.nargs; i++) {
    const Expr *arg = call->u.call.args[i];
    if (may_alias_arg(u->p->target, call, result->type, i)) continue;
    while (expr_is_var(arg) && arg->u.var.is_iter_arg) arg = arg->u.var.init;
    if (expr_is_var(arg) && tile_base(placing_type(u->p, arg)) == base) return true;
  }
  return false;
}

typedef enum { REFUSE, FOLLOW, MOVE } Step;

/* What to do about a tile that a call gives: leave it, see to argument *next first, or move it. */
static Step step_of(Pull *u, const Def *d, const MemRef *to, MemSpace space, Expr **next) {
  const Expr *call = d->stmt->u.assign.value, *var = d->stmt->u.assign.var;
  const Op *op = expr_op(call);
  if (!op) return REFUSE;
  int arg = op_written_arg(op);
  if (arg < 0 && op_inherits(op)) {
    /* of the views only this one begins where its argument begins, with its whole size */
    if (op->id != OP_TILE_SET_VALIDSHAPE || call->u.call.nargs == 0) return REFUSE;
    const Expr *in = call->u.call.args[0];
    Expr *base = expr_is_var(in) ? tile_base(placing_type(u->p, in)) : NULL;
    if (!base || base != tile_base(placing_type(u->p, var))) return REFUSE;
    arg = 0;
  }
  if (arg >= 0) {
    if (arg >= call->u.call.nargs || !expr_is_var(call->u.call.args[arg])) return REFUSE;
    *next = call->u.call.args[arg];
    return FOLLOW;
  }
  const AttrValue *asked = key_get(call->u.call.kwargs, KEY_TARGET_MEMORY);
  if (asked && (space == MEM_NONE || asked->u.i != (int64_t)space)) return REFUSE;
  MemSpace fixed = call_fixed_space(call);
  if (fixed != MEM_NONE && space != MEM_NONE && fixed != space) return REFUSE;
  if ((op->flags & OPF_NOT_INPLACE) && reads_allocation(u, call, var, to->base)) return REFUSE;
  return MOVE;
}

static bool pull(Pull *u, Expr *var, const MemRef *to, MemSpace space, int depth);

static bool pull_yielded(Pull *u, Block b, int i, const MemRef *to, MemSpace space, int depth) {
  Stmt *yield = block_yield(b);
  if (!yield || i >= yield->u.ret.len || !expr_is_var(yield->u.ret.values[i])) return false;
  return pull(u, yield->u.ret.values[i], to, space, depth + 1);
}

static bool pull_if(Pull *u, const Def *d, const MemRef *to, MemSpace space, int depth) {
  const Stmt *s = d->stmt;
  bool a = pull_yielded(u, s->u.if_.then_body, d->index, to, space, depth);
  bool b = !s->u.if_.has_else || pull_yielded(u, s->u.if_.else_body, d->index, to, space, depth);
  return a && b;
}

static bool pull_for(Pull *u, const Def *d, const MemRef *to, MemSpace space, int depth) {
  const Stmt *s = d->stmt;
  if (!pull_yielded(u, s->u.loop.body, d->index, to, space, depth)) return false;
  if (d->index >= s->u.loop.ncarried) return true;
  Expr *arg = s->u.loop.iter_args[d->index], *init = arg->u.var.init;
  if (expr_is_var(init) && !pull(u, init, to, space, depth + 1)) return false;
  plan(u, arg, to, space);
  return true;
}

/* Plans to move `var` to `to`, with what it needs moved for that.  False if it must stay; what has been
 * planned on the way stays planned. */
static bool pull(Pull *u, Expr *var, const MemRef *to, MemSpace space, int depth) {
  VEC(Expr *) trail = {0}; /* variables that follow each other's argument */
  bool ok = false;
  while (depth < MAX_DEPTH) {
    if (tile_base(type_now(u, var)) == to->base) {
      ok = true;
      break;
    }
    const Def *d = map_get(&u->defs, var);
    if (!map_set(&u->visiting, var, var)) break;
    vec_push(&trail, var);
    if (!d) break;
    Expr *next = NULL;
    if (d->kind == DEF_ITER) {
      next = var->u.var.init;
      if (!expr_is_var(next)) break;
    } else if (d->kind == DEF_ASSIGN) {
      Step step = step_of(u, d, to, space, &next);
      ok = step == MOVE && left_alone(u, d, to->base, NULL);
      if (step != FOLLOW) break;
    } else {
      ok = d->kind == DEF_IF ? pull_if(u, d, to, space, depth) : pull_for(u, d, to, space, depth);
      break;
    }
    var = next;
  }
  for (size_t i = 0; i < trail.len; i++) {
    map_remove(&u->visiting, trail.data[i]);
    if (ok) plan(u, trail.data[i], to, space);
  }
  vec_free(&trail);
  return ok;
}

/* ---------------------------------------------------------------- applying the plan */

typedef struct Apply {
  Pull *u;
  Map before; /* variable moved -> its type before */
} Apply;

static void apply_move(Apply *a, Expr *var, const Type *to) {
  map_set(&a->before, var, (void *)placing_type(a->u->p, var));
  placing_set(a->u->p, var, to);
}

static void apply_planned(Apply *a, Expr *const *vars, int n) {
  for (int i = 0; i < n; i++) {
    const Type *to = map_get(&a->u->plan, vars[i]);
    if (to) apply_move(a, vars[i], to);
  }
}

/* A view whose argument moved away goes with it. */
static void apply_view(Apply *a, Expr *var, const Expr *call) {
  Placing *p = a->u->p;
  const Op *op = expr_op(call);
  if (!op || !op_inherits(op) || call->u.call.nargs == 0) return;
  const Expr *arg = call->u.call.args[0];
  const Type *old = map_get(&a->before, arg), *own = placing_type(p, var);
  if (!old || !old->memref || !type_is_shaped(own) || !own->memref) return;
  const Type *now = placing_type(p, arg);
  if (!now->memref || own->memref->base != old->memref->base ||
      now->memref->base == old->memref->base)
    return;
  Expr *by = view_offset(p->ir, call, arg->type);
  if (!by) return;
  MemRef m = {.base = now->memref->base,
              .offset = offset_add(p->ir, now->memref->offset, by),
              .size = own->memref->size,
              .slots = 1};
  int64_t n;
  bool whole = expr_const_int(by, &n) && n == 0 && m.size == now->memref->size;
  apply_move(a, var,
             type_placed(p->ir, own, whole ? now->memref : memref_intern(p->ir, &m),
                         type_is_tile(now) ? now->space : MEM_NONE));
}

static bool apply_stmt(Visitor *v, Stmt *s) {
  Apply *a = v->ctx;
  if (s->kind == STMT_ASSIGN) {
    if (map_has(&a->u->plan, s->u.assign.var))
      apply_planned(a, &s->u.assign.var, 1);
    else
      apply_view(a, s->u.assign.var, s->u.assign.value);
  } else if (s->kind == STMT_IF) {
    apply_planned(a, s->u.if_.results, s->u.if_.nresults);
  } else if (s->kind == STMT_FOR) {
    apply_planned(a, s->u.loop.iter_args, s->u.loop.ncarried);
    apply_planned(a, s->u.loop.results, s->u.loop.nresults);
  }
  return true;
}

static void apply_plan(Pull *u, const Function *f) {
  if (u->plan.count == 0) return;
  Apply a = {.u = u};
  Visitor v = {.ctx = &a, .stmt = apply_stmt, .expr = visit_no_expr};
  visit_block(&v, f->body);
  map_free(&a.before);
}

/* ---------------------------------------------------------------- loops */

static bool pull_loop(Visitor *v, Stmt *s) {
  Pull *u = v->ctx;
  Stmt *yield = s->kind == STMT_FOR ? block_yield(s->u.loop.body) : NULL;
  if (s->kind == STMT_WHILE) return false; /* loops inside stay as they are */
  for (int i = 0; yield && i < s->u.loop.ncarried && i < yield->u.ret.len; i++) {
    const Type *t = type_now(u, s->u.loop.iter_args[i]);
    if (tile_base(t) && expr_is_var(yield->u.ret.values[i]))
      pull(u, yield->u.ret.values[i], t->memref, t->space, 0);
  }
  return true;
}

void pull_carried(Placing *p, const Function *f) {
  Pull u;
  pull_init(&u, p, f);
  Visitor v = {.ctx = &u, .stmt = pull_loop, .expr = visit_no_expr};
  visit_block(&v, f->body);
  apply_plan(&u, f);
  pull_free(&u);
}

/* ---------------------------------------------------------------- accumulators */

/* Does an operator give `var` in the allocation of the argument it accumulates into? */
static bool accumulates(Pull *u, const Expr *var) {
  const Def *d = map_get(&u->defs, var);
  const Expr *call = d && d->kind == DEF_ASSIGN ? d->stmt->u.assign.value : NULL;
  const Op *op = call ? expr_op(call) : NULL;
  int i = op ? op_written_arg(op) : -1;
  if (i < 0 || i >= call->u.call.nargs || !expr_is_var(call->u.call.args[i])) return false;
  Expr *base = tile_base(placing_type(u->p, var));
  return base && base == tile_base(placing_type(u->p, call->u.call.args[i]));
}

static bool stands_in(const Pull *u, const Def *d, const Stmt *s) {
  for (int i = d->body; i >= 0; i = u->bodies.data[i].parent)
    if (u->bodies.data[i].owner == s) return true;
  return false;
}

/* Plans to build the fresh accumulator `seed`, in a branch of `s`, where `acc` accumulates in the other:
 * only one of them runs. */
static void pull_seed(Pull *u, const Stmt *s, Expr *seed, const Expr *acc) {
  const Type *at = placing_type(u->p, acc);
  Expr *base = tile_base(placing_type(u->p, seed));
  if (at->space != MEM_ACC || !base || base == at->memref->base) return;
  const Def *d = map_get(&u->defs, seed);
  if (!d || d->kind != DEF_ASSIGN || d->stmt->u.assign.value->kind != EXPR_CALL) return;
  if (!stands_in(u, d, s) || !left_alone(u, d, at->memref->base, s)) return;
  Expr *next = NULL;
  Step step = step_of(u, d, at->memref, at->space, &next);
  if (step == MOVE || (step == FOLLOW && pull(u, next, at->memref, at->space, 0)))
    plan(u, seed, at->memref, at->space);
}

static bool pull_phi(Visitor *v, Stmt *s) {
  Pull *u = v->ctx;
  if (s->kind == STMT_WHILE) return false;
  if (s->kind != STMT_IF || !s->u.if_.has_else) return true;
  Stmt *a = block_yield(s->u.if_.then_body), *b = block_yield(s->u.if_.else_body);
  for (int i = 0; a && b && i < s->u.if_.nresults && i < a->u.ret.len && i < b->u.ret.len; i++) {
    Expr *x = a->u.ret.values[i], *y = b->u.ret.values[i];
    if (!expr_is_var(x) || !expr_is_var(y)) continue;
    bool ax = accumulates(u, x), ay = accumulates(u, y);
    if (ax && !ay) pull_seed(u, s, y, x);
    if (ay && !ax) pull_seed(u, s, x, y);
  }
  return true;
}

void pull_accumulators(Placing *p, const Function *f) {
  Pull u;
  pull_init(&u, p, f);
  Visitor v = {.ctx = &u, .stmt = pull_phi, .expr = visit_no_expr};
  visit_block(&v, f->body);
  apply_plan(&u, f);
  pull_free(&u);
}
