#include "passes/memory/lives.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "ir/visit.h"
#include "passes/memory/loop_spans.h"
#include "passes/memory/memref.h"

/* The tiles that hold the value of an `if` result, because a branch defines and yields them. */
typedef struct Sources {
  int *tiles;
  int len;
} Sources;

typedef struct FamilyOf {
  int tile, family;
} FamilyOf;

typedef struct Walk {
  Ir *ir;
  Lives *l;
  bool params, whole;
  Name membership; /* the attribute with a call's pipeline stages */
  int point;
  int next_family;
  LoopSpans loops;
  VEC(FamilyOf) families;
  Map sources;  /* if result -> Sources */
  Map initial;  /* loop result -> tile number + 1 of its initial value */
  Map through;  /* with `whole`: result -> Passed, the variables that its value may be */
  Map assigned; /* allocation that an assigned tile lies in -> itself */
} Walk;

typedef struct Passed {
  Expr *vars[2];
} Passed;

/* ---------------------------------------------------------------- uses */

static void use_tile(Walk *w, int tile, int point) {
  Tile *t = &w->l->tiles.data[tile];
  if (point > t->last) t->last = point;
}

static void use_var(Walk *w, const Expr *var, int point) {
  const Sources *s = map_get(&w->sources, var);
  for (int i = 0; s && i < s->len; i++) use_tile(w, s->tiles[i], point);
  int tile = s ? -1 : (int)map_get_int(&w->initial, var) - 1;
  if (tile < 0) tile = lives_tile(w->l, var);
  if (tile >= 0) use_tile(w, tile, point);
}

/* Counts a use for all that a result's value may be. */
static void use_through(Walk *w, const Expr *var, int point) {
  if (!var->u.var.is_iter_arg && !map_has(&w->through, var)) {
    use_var(w, var, point);
    return;
  }
  VEC(const Expr *) list = {0};
  Map seen = {0};
  vec_push(&list, var);
  while (list.len) {
    const Expr *e = vec_pop(&list);
    if (!map_set(&seen, e, w)) continue;
    use_var(w, e, point);
    if (e->u.var.is_iter_arg && expr_is_var(e->u.var.init)) vec_push(&list, e->u.var.init);
    const Passed *p = map_get(&w->through, e);
    for (int i = 0; p && i < 2; i++)
      if (p->vars[i]) vec_push(&list, p->vars[i]);
  }
  vec_free(&list);
  map_free(&seen);
}

static void pass_through(Walk *w, const Expr *result, Expr *a, Expr *b) {
  if (!w->whole || !tile_base(result->type)) return;
  Passed *p = NEW(w->ir->arena, Passed);
  *p = (Passed){{a && expr_is_var(a) ? a : NULL, b && expr_is_var(b) ? b : NULL}};
  map_set(&w->through, result, p);
}

static bool use_expr(Visitor *v, Expr *e) {
  Walk *w = v->ctx;
  if (!expr_is_var(e)) return true;
  if (w->whole)
    use_through(w, e, w->point);
  else if (e->u.var.is_iter_arg)
    visit_expr(v, e->u.var.init); /* the carried tile lies where the initial one lies */
  else
    use_var(w, e, w->point);
  return true;
}

/* Uses of an expression at the point the walk has reached. */
static void uses(Walk *w, Expr *e) {
  Visitor v = {.ctx = w, .expr = use_expr};
  visit_expr(&v, e);
}

/* ---------------------------------------------------------------- definitions */

static const char *stages_of(const Walk *w, const Stmt *s) {
  const Expr *call = s ? s->u.assign.value : NULL;
  const AttrValue *a =
      call && call->kind == EXPR_CALL ? attr_get(call->u.call.attrs, w->membership) : NULL;
  return a && a->kind == ATTR_STR && *a->u.str ? a->u.str : NULL;
}

static void define_tile(Walk *w, Expr *var, Stmt *stmt, int point) {
  if (!tile_base(var->type)) return;
  Tile t = {.var = var,
            .stmt = stmt,
            .def = point,
            .last = point,
            .interval = -1,
            .stages = stages_of(w, stmt)};
  vec_push(&w->l->tiles, t);
  map_set(&w->l->tile_of, var, map_int((intptr_t)w->l->tiles.len));
}

typedef VEC(int) Ints;

static void add_source(Walk *w, Ints *out, int tile, int from, int to) {
  int def = w->l->tiles.data[tile].def;
  if (def < from || def > to) return;
  vec_push(out, tile);
  vec_push(&w->families, (FamilyOf){tile, w->next_family});
}

/* What result `i` takes from a branch with the points from..to. */
static void add_yielded(Walk *w, Ints *out, Stmt *yield, int i, int from, int to) {
  if (!yield || i >= yield->u.ret.len || !expr_is_var(yield->u.ret.values[i])) return;
  const Expr *var = yield->u.ret.values[i];
  const Sources *s = map_get(&w->sources, var);
  int tile = lives_tile(w->l, var);
  if (s)
    for (int k = 0; k < s->len; k++) add_source(w, out, s->tiles[k], from, to);
  else if (tile >= 0)
    add_source(w, out, tile, from, to);
}

static void walk_block(Walk *w, Block b);

static Expr *yielded(const Stmt *yield, int i) {
  return yield && i < yield->u.ret.len ? yield->u.ret.values[i] : NULL;
}

/* Results that are all that lies in their allocation; with `whole`, all. */
static void define_results(Walk *w, const Stmt *s) {
  for (int i = 0; (w->params || w->whole) && i < s->u.if_.nresults; i++) {
    Expr *result = s->u.if_.results[i];
    if (tile_base(result->type) && (w->whole || !map_has(&w->assigned, tile_base(result->type))))
      define_tile(w, result, NULL, w->point);
  }
}

static bool note_assigned(Visitor *v, Stmt *s) {
  Expr *base = s->kind == STMT_ASSIGN ? tile_base(s->u.assign.var->type) : NULL;
  if (base) map_set(v->ctx, base, base);
  return true;
}

static void walk_if(Walk *w, Stmt *s) {
  uses(w, s->u.if_.cond);
  define_results(w, s);
  int start = w->point;
  walk_block(w, s->u.if_.then_body);
  int middle = w->point;
  if (s->u.if_.has_else) walk_block(w, s->u.if_.else_body);
  int end = w->point;
  Stmt *then_yield = block_yield(s->u.if_.then_body);
  Stmt *else_yield = s->u.if_.has_else ? block_yield(s->u.if_.else_body) : NULL;
  for (int i = 0; i < s->u.if_.nresults; i++) {
    if (!tile_base(s->u.if_.results[i]->type)) continue;
    pass_through(w, s->u.if_.results[i], yielded(then_yield, i), yielded(else_yield, i));
    Ints found = {0};
    add_yielded(w, &found, then_yield, i, start, middle - 1);
    add_yielded(w, &found, else_yield, i, middle, end - 1);
    w->next_family++;
    if (found.len == 0) continue;
    Sources *src = NEW(w->ir->arena, Sources);
    src->len = (int)found.len;
    src->tiles = vec_to_arena(&found, w->ir->arena);
    map_set(&w->sources, s->u.if_.results[i], src);
  }
}

static void walk_loop(Walk *w, Stmt *s) {
  for (int i = 0; i < s->u.loop.ncarried; i++) uses(w, s->u.loop.iter_args[i]->u.var.init);
  size_t index = w->loops.list.len;
  vec_push(&w->loops.list, (LoopSpan){w->point, 0});
  walk_block(w, s->u.loop.body);
  w->loops.list.data[index].end = w->point - 1;
  for (int i = 0; i < s->u.loop.nresults && i < s->u.loop.ncarried; i++) {
    Expr *init = s->u.loop.iter_args[i]->u.var.init;
    pass_through(w, s->u.loop.results[i], init, yielded(block_yield(s->u.loop.body), i));
    if (!type_is_tile(s->u.loop.results[i]->type) || !expr_is_var(init)) continue;
    int tile = lives_tile(w->l, init);
    if (tile >= 0) map_set(&w->initial, s->u.loop.results[i], map_int(tile + 1));
  }
}

static void walk_stmt(Walk *w, Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN:
      define_tile(w, s->u.assign.var, s, w->point);
      uses(w, s->u.assign.value);
      w->point++;
      break;
    case STMT_EVAL:
      uses(w, s->u.eval);
      w->point++;
      break;
    case STMT_RETURN:
    case STMT_YIELD:
      for (int i = 0; i < s->u.ret.len; i++) uses(w, s->u.ret.values[i]);
      w->point++;
      break;
    case STMT_IF: walk_if(w, s); break;
    case STMT_FOR:
    case STMT_WHILE: walk_loop(w, s); break;
    case STMT_SCOPE: walk_block(w, s->u.scope.body); break;
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE: break;
  }
}

static void walk_block(Walk *w, Block b) {
  for (int i = 0; i < b.len; i++) walk_stmt(w, b.items[i]);
}

static void extend_over_loops(Walk *w) {
  loop_spans_seal(&w->loops);
  for (size_t i = 0; i < w->l->tiles.len; i++) {
    Tile *t = &w->l->tiles.data[i];
    t->last = loop_spans_reach(&w->loops, t->def, t->last);
  }
}

/* ---------------------------------------------------------------- intervals */

int parse_stages(const char *text, PipeStage *out, int max) {
  int n = 0;
  while (*text && n < max) {
    char *end;
    errno = 0;
    long group = strtol(text, &end, 10);
    bool ok = end != text && *end == ':' && errno == 0;
    if (ok) {
      const char *second = end + 1;
      long stage = strtol(second, &end, 10);
      ok = end != second && (*end == ';' || !*end) && errno == 0;
      if (ok) out[n++] = (PipeStage){(int)group, (int)stage};
    }
    while (*text && *text != ';') text++;
    if (*text) text++;
  }
  return n;
}

static int count_parts(const char *text) {
  int n = 1;
  for (; *text; text++) n += *text == ';';
  return n;
}

/* The stages of an interval are those of its first tile that has some. */
static void read_stages(Walk *w, Interval *iv) {
  iv->first_stage = (int)w->l->stages.len;
  for (int i = 0; i < iv->nmembers; i++) {
    const Tile *t = &w->l->tiles.data[w->l->members.data[iv->first_member + i]];
    if (!t->stages) continue;
    const Expr *call = t->stmt->u.assign.value;
    PipeStage *room = NEW_ARRAY(w->ir->arena, PipeStage, count_parts(t->stages));
    iv->nstages = parse_stages(t->stages, room, count_parts(t->stages));
    for (int k = 0; k < iv->nstages; k++) vec_push(&w->l->stages, room[k]);
    iv->loads = expr_is_op(call, OP_TILE_LOAD) || expr_is_op(call, OP_TILE_READ);
    return;
  }
}

static void group_by_allocation(Walk *w) {
  Lives *l = w->l;
  for (size_t i = 0; i < l->tiles.len; i++) {
    Tile *t = &l->tiles.data[i];
    Expr *base = tile_base(t->var->type);
    t->interval = lives_interval(l, base);
    if (t->interval < 0) {
      Interval iv = {.base = base,
                     .var = t->var,
                     .space = t->var->type->space,
                     .size = t->var->type->memref->size,
                     .def = t->def,
                     .last = t->last};
      vec_push(&l->intervals, iv);
      t->interval = (int)l->intervals.len - 1;
      map_set(&l->interval_of, base, map_int(t->interval + 1));
    }
    Interval *iv = &l->intervals.data[t->interval];
    iv->nmembers++;
    if (t->def < iv->def) iv->def = t->def;
    if (t->last > iv->last) iv->last = t->last;
  }
  int at = 0;
  for (size_t i = 0; i < l->intervals.len; i++) {
    l->intervals.data[i].first_member = at;
    at += l->intervals.data[i].nmembers;
    l->intervals.data[i].nmembers = 0;
  }
  for (size_t i = 0; i < l->tiles.len; i++) vec_push(&l->members, 0);
  for (size_t i = 0; i < l->tiles.len; i++) {
    Interval *iv = &l->intervals.data[l->tiles.data[i].interval];
    l->members.data[iv->first_member + iv->nmembers++] = (int)i;
  }
  for (size_t i = 0; i < l->intervals.len; i++) read_stages(w, &l->intervals.data[i]);
}

static void group_families(Walk *w) {
  Lives *l = w->l;
  for (size_t i = 0; i < w->families.len; i++) l->tiles.data[w->families.data[i].tile].nfamilies++;
  int at = 0;
  for (size_t i = 0; i < l->tiles.len; i++) {
    Tile *t = &l->tiles.data[i];
    t->first_family = at;
    at += t->nfamilies;
    t->nfamilies = 0;
  }
  for (size_t i = 0; i < w->families.len; i++) vec_push(&l->families, 0);
  for (size_t i = 0; i < w->families.len; i++) { /* their numbers ascend, so each tile's do */
    Tile *t = &l->tiles.data[w->families.data[i].tile];
    l->families.data[t->first_family + t->nfamilies++] = w->families.data[i].family;
  }
}

void lives_init(Lives *l, Ir *ir, const Function *f, bool params, bool whole) {
  *l = (Lives){0};
  Walk w = {.ir = ir,
            .l = l,
            .params = params,
            .whole = whole,
            .membership = key_name(KEY_PIPELINE_MEMBERSHIP)};
  Visitor assigned = {.ctx = &w.assigned, .stmt = note_assigned, .expr = visit_no_expr};
  if (params) {
    visit_block(&assigned, f->body);
    for (int i = 0; i < f->nparams; i++) define_tile(&w, f->params[i], NULL, 0);
  }
  walk_block(&w, f->body);
  extend_over_loops(&w);
  group_by_allocation(&w);
  group_families(&w);
  loop_spans_free(&w.loops);
  vec_free(&w.families);
  map_free(&w.sources);
  map_free(&w.initial);
  map_free(&w.through);
  map_free(&w.assigned);
}

bool lives_differ(const Lives *a, const Lives *b) {
  if (a->tiles.len != b->tiles.len) return true;
  for (size_t i = 0; i < a->tiles.len; i++)
    if (a->tiles.data[i].last != b->tiles.data[i].last ||
        a->tiles.data[i].def != b->tiles.data[i].def)
      return true;
  return false;
}

void lives_free(Lives *l) {
  vec_free(&l->tiles);
  vec_free(&l->intervals);
  vec_free(&l->members);
  vec_free(&l->families);
  vec_free(&l->stages);
  map_free(&l->tile_of);
  map_free(&l->interval_of);
}

/* ---------------------------------------------------------------- exclusive paths */

static bool same_family(const Lives *l, const Tile *a, const Tile *b) {
  int i = 0, k = 0;
  while (i < a->nfamilies && k < b->nfamilies) {
    int x = l->families.data[a->first_family + i], y = l->families.data[b->first_family + k];
    if (x == y) return true;
    if (x < y)
      i++;
    else
      k++;
  }
  return false;
}

bool lives_exclusive(const Lives *l, int a, int b) {
  const Interval *x = &l->intervals.data[a], *y = &l->intervals.data[b];
  bool related = false;
  for (int i = 0; i < x->nmembers; i++) {
    const Tile *s = &l->tiles.data[l->members.data[x->first_member + i]];
    for (int k = 0; k < y->nmembers; k++) {
      const Tile *t = &l->tiles.data[l->members.data[y->first_member + k]];
      if (same_family(l, s, t))
        related = true;
      else if (points_overlap(s->def, s->last, t->def, t->last))
        return false;
    }
  }
  return related;
}

uint64_t lives_bytes(const Lives *l, const Interval *iv) {
  uint64_t most = 0;
  for (int k = 0; k < iv->nmembers; k++) {
    uint64_t size = l->tiles.data[l->members.data[iv->first_member + k]].var->type->memref->size;
    if (size > most) most = size;
  }
  return most;
}
