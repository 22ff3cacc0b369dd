#include "passes/memory/keep.h"

#include "ir/op.h"
#include "ir/visit.h"
#include "passes/memory/memref.h"

enum { MAX_STEPS = 10000 };

int call_changed_arg(const Expr *call) {
  const Op *op = expr_op(call);
  if (!op || call->u.call.nargs == 0) return -1;
  int arg = op_written_arg(op);
  if (arg < 0 && op_is_view(op) && op->access != ACCESS_NONE) arg = 0;
  return arg < call->u.call.nargs ? arg : -1;
}

static bool changes_tile(const Stmt *s) {
  if (s->kind != STMT_ASSIGN || !type_is_tile(s->u.assign.var->type)) return false;
  const Expr *value = s->u.assign.value;
  return value->kind == EXPR_CALL && call_changed_arg(value) >= 0;
}

static bool note_change(Visitor *v, Stmt *s) {
  bool *found = v->ctx;
  *found |= changes_tile(s);
  return !*found;
}

bool func_shares_memory(const Function *f) {
  bool found = false;
  Visitor v = {.ctx = &found, .stmt = note_change, .expr = visit_no_expr};
  if (func_joins_tiles(f)) return true;
  visit_block(&v, f->body);
  return found;
}

/* ---------------------------------------------------------------- where variables are bound */

typedef struct Place {
  Stmt *stmt;       /* that binds it */
  const Stmt *loop; /* the innermost that stands around `stmt` */
} Place;

typedef struct Places {
  Arena *arena;
  Map of;           /* variable -> Place */
  Map outer;        /* loop -> the loop around it */
  const Stmt *loop; /* of the walk */
} Places;

static bool enter_stmt(Visitor *v, Stmt *s) {
  Places *p = v->ctx;
  if (s->kind != STMT_FOR && s->kind != STMT_WHILE) return true;
  map_set(&p->outer, s, (void *)p->loop);
  p->loop = s;
  return true;
}

static void bind(Places *p, Expr *const *vars, int n, Stmt *s) {
  for (int i = 0; i < n; i++) {
    Place *at = NEW(p->arena, Place);
    *at = (Place){s, p->loop};
    map_set(&p->of, vars[i], at);
  }
}

static void leave_stmt(Visitor *v, Stmt *s) {
  Places *p = v->ctx;
  if (s->kind == STMT_ASSIGN) bind(p, &s->u.assign.var, 1, s);
  if (s->kind == STMT_IF) bind(p, s->u.if_.results, s->u.if_.nresults, s);
  if (s->kind != STMT_FOR && s->kind != STMT_WHILE) return;
  bind(p, s->u.loop.iter_args, s->u.loop.ncarried, s); /* they live in the loop */
  p->loop = map_get(&p->outer, s);
  bind(p, s->u.loop.results, s->u.loop.nresults, s);
}

static bool is_within(const Places *p, const Expr *var, const Stmt *loop) {
  const Place *at = map_get(&p->of, var);
  for (const Stmt *l = at ? at->loop : NULL; l; l = map_get(&p->outer, l))
    if (l == loop) return true;
  return false;
}

/* ---------------------------------------------------------------- what has to begin with a copy */

/* The variable whose memory `var` takes over: a view's, a copy's, a changed operand's; NULL: none. */
static Expr *taken_over(const Places *p, const Expr *var) {
  const Place *at = map_get(&p->of, var);
  if (var->u.var.is_iter_arg || !at || at->stmt->kind != STMT_ASSIGN) return NULL;
  Expr *value = at->stmt->u.assign.value;
  if (expr_is_var(value)) return value;
  const Op *op = value->kind == EXPR_CALL ? expr_op(value) : NULL;
  if (!op) return NULL;
  int arg = call_changed_arg(value);
  if (arg < 0 && op_is_view(op)) arg = 0;
  if (arg < 0 || arg >= value->u.call.nargs) return NULL;
  return expr_is_var(value->u.call.args[arg]) ? value->u.call.args[arg] : NULL;
}

/* What takes over memory once for all rounds is better copied before the loop: the outermost one whose carried
 * name `by` came from, and that `tile` was made before. */
static const Expr *begins(const Places *p, const Expr *by, const Expr *tile) {
  const Expr *found = by;
  int steps = 0; /* a pass may be run alone on a program that is not in SSA form */
  for (const Expr *e = by; e && steps < MAX_STEPS; e = taken_over(p, e), steps++) {
    while (e->u.var.is_iter_arg) {
      const Place *at = map_get(&p->of, e);
      if (!at || is_within(p, tile, at->stmt) || !expr_is_var(e->u.var.init)) return found;
      found = e;
      e = e->u.var.init;
    }
  }
  return found;
}

static bool can_begin_with_copy(const Places *p, const Expr *by) {
  const Place *at = map_get(&p->of, by);
  return by->u.var.is_iter_arg || (at && (changes_tile(at->stmt) || at->stmt->kind == STMT_IF));
}

bool keep_lost(Keeps *k, const Function *f, const LostTiles *lost) {
  Arena arena;
  arena_init(&arena);
  Places p = {.arena = &arena};
  Visitor v = {.ctx = &p, .stmt = enter_stmt, .stmt_end = leave_stmt, .expr = visit_no_expr};
  visit_block(&v, f->body);
  bool more = false;
  for (size_t i = 0; i < lost->len; i++) {
    const Expr *by = begins(&p, lost->data[i].by, lost->data[i].tile);
    if (can_begin_with_copy(&p, by)) more |= map_set(&k->begin, by, (void *)by);
  }
  map_free(&p.of);
  map_free(&p.outer);
  arena_free(&arena);
  return more;
}
