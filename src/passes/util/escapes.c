#include "passes/util/escapes.h"

#include "ir/visit.h"

/* What is known of a stretch of code: its variables, whether they are live where it starts, and whether it
 * assigns them. */
typedef struct Facts {
  Map live;     /* variable -> 1 if the stretch reads it before assigning it, else 0 */
  Map assigned; /* set of variables */
} Facts;

static void facts_free(Facts *f) {
  map_free(&f->live);
  map_free(&f->assigned);
}

/* ---- reads ---- */

static bool read_expr(Visitor *v, Expr *e) {
  if (e->kind != EXPR_VAR) return true;
  map_set(v->ctx, e, map_int(1));
  /* A tensor's symbolic dimensions come with it. */
  if (e->type->kind == TYPE_TENSOR)
    for (int i = 0; i < e->type->rank; i++) visit_expr(v, e->type->shape[i]);
  return true;
}

static void reads(Map *live, Expr *e) {
  if (!e) return;
  Visitor v = {.ctx = live, .expr = read_expr};
  visit_expr(&v, e);
}

/* ---- statements, from the last to the first ---- */

static void analyse_block(Escapes *e, Block b, Facts *out);

static void merge(Facts *into, const Facts *from) {
  for (MapEntry *m = NULL; (m = map_next(&from->assigned, m));)
    map_set(&into->assigned, m->key, map_int(1));
  for (MapEntry *m = NULL; (m = map_next(&from->live, m));)
    if (m->value) map_set(&into->live, m->key, map_int(1));
}

static void analyse_bodies(Escapes *e, const Stmt *s, Facts *inner) {
  Facts body = {0};
  switch (s->kind) {
    case STMT_FOR:
    case STMT_WHILE:
      analyse_block(e, s->u.loop.body, &body);
      if (s->u.loop.var) map_set(&body.live, s->u.loop.var, NULL);
      for (int i = 0; i < s->u.loop.ncarried; i++)
        map_set(&body.live, s->u.loop.iter_args[i], NULL);
      merge(inner, &body);
      reads(&inner->live, s->u.loop.start);
      reads(&inner->live, s->u.loop.stop);
      reads(&inner->live, s->u.loop.step);
      reads(&inner->live, s->u.loop.cond);
      for (int i = 0; i < s->u.loop.ncarried; i++)
        reads(&inner->live, s->u.loop.iter_args[i]->u.var.init);
      break;
    case STMT_IF:
      analyse_block(e, s->u.if_.then_body, &body);
      merge(inner, &body);
      facts_free(&body);
      if (s->u.if_.has_else) analyse_block(e, s->u.if_.else_body, &body);
      merge(inner, &body);
      reads(&inner->live, s->u.if_.cond);
      break;
    case STMT_SCOPE:
      analyse_block(e, s->u.scope.body, &body);
      if (s->u.scope.index) {
        map_set(&body.live, s->u.scope.index, NULL);
        map_set(&body.assigned, s->u.scope.index, map_int(1));
      }
      merge(inner, &body);
      reads(&inner->live, s->u.scope.core_num);
      break;
    default: break;
  }
  facts_free(&body);
}

static void record(Escapes *e, const Stmt *s, const Facts *inner, const Facts *behind, bool last) {
  EscapeInfo *info = NEW(e->arena, EscapeInfo);
  info->assigned = NEW_ARRAY(e->arena, Expr *, inner->assigned.count);
  info->needed = NEW_ARRAY(e->arena, Expr *, inner->assigned.count);
  info->last = last;
  for (MapEntry *m = NULL; (m = map_next(&inner->assigned, m));) {
    Expr *var = (Expr *)m->key;
    info->assigned[info->nassigned++] = var;
    if (map_get(&behind->live, var)) info->needed[info->nneeded++] = var;
  }
  map_set(&e->info, s, info);
}

static void analyse_stmt(Escapes *e, const Stmt *s, bool last, Facts *f) {
  switch (s->kind) {
    case STMT_ASSIGN:
      map_set(&f->live, s->u.assign.var, NULL);
      map_set(&f->assigned, s->u.assign.var, map_int(1));
      reads(&f->live, s->u.assign.value);
      return;
    case STMT_EVAL: reads(&f->live, s->u.eval); return;
    case STMT_RETURN:
    case STMT_YIELD:
      for (int i = 0; i < s->u.ret.len; i++) reads(&f->live, s->u.ret.values[i]);
      return;
    case STMT_IF:
    case STMT_FOR:
    case STMT_WHILE:
    case STMT_SCOPE: break;
    default: return;
  }
  Facts inner = {0};
  analyse_bodies(e, s, &inner);
  record(e, s, &inner, f, last);
  for (MapEntry *m = NULL; (m = map_next(&inner.assigned, m));) map_set(&f->live, m->key, NULL);
  merge(f, &inner);
  facts_free(&inner);
}

static void analyse_block(Escapes *e, Block b, Facts *out) {
  for (int i = b.len; i-- > 0;) analyse_stmt(e, b.items[i], b.len == 1, out);
}

void escapes_init(Escapes *e, Arena *arena, Block body) {
  *e = (Escapes){.arena = arena};
  Facts f = {0};
  analyse_block(e, body, &f);
  facts_free(&f);
}

void escapes_free(Escapes *e) { map_free(&e->info); }

const EscapeInfo *escapes_of(const Escapes *e, const Stmt *s) { return map_get(&e->info, s); }
