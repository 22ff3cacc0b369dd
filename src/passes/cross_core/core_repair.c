/* core_repair.c -- what pruning a body leaves dangling or useless;
 * docs/passes/expand-mixed-kernel.md. */
#include "ir/visit.h"
#include "passes/cross_core/core_body.h"
#include "passes/util/dead_code.h"

typedef struct Repair {
  Ir *ir;
  Map whole;   /* variable -> what assigns it (NULL: a loop or branch) in the body that was split */
  Map defined; /* variables that this core computes, or that a popped tile stands for */
} Repair;

/* ---------------------------------------------------------------- sets of variables */

static void add_uses(Map *used, Block b) {
  Visitor v = {.ctx = used, .expr = visit_collect_vars};
  visit_block(&v, b);
}

static void add_def(Visitor *v, Expr *var) { map_at(v->ctx, var); }

static bool add_assign(Visitor *v, Stmt *s) {
  if (s->kind == STMT_ASSIGN) map_set(v->ctx, s->u.assign.var, s);
  return true;
}

static void add_defs(Map *defs, Block b) {
  Visitor v = {.ctx = defs, .expr = visit_no_expr, .stmt = add_assign, .def = add_def};
  visit_block(&v, b);
}

/* ---------------------------------------------------------------- places in yields */

typedef struct Places {
  bool *keep;
  int n, kept;
} Places;

static int keep_places(Ir *ir, const Places *p, Expr ***list, int n) {
  Expr **kept = NEW_ARRAY(ir->arena, Expr *, n);
  int len = 0;
  for (int i = 0; i < n; i++)
    if (i >= p->n || p->keep[i]) kept[len++] = (*list)[i];
  *list = kept;
  return len;
}

/* The yield at the end keeps these places only; it goes if none is left. */
static Block trim_yield(Ir *ir, const Places *p, Block b) {
  Stmt *y = block_yield(b);
  if (!y || p->kept == p->n) return b;
  Block out = block_of(ir, b.items, b.len);
  Stmt *n = stmt_copy(ir, y);
  n->u.ret.len = keep_places(ir, p, &n->u.ret.values, y->u.ret.len);
  out.items[b.len - 1] = n;
  if (n->u.ret.len == 0) out.len--;
  return out;
}

/* ---------------------------------------------------------------- a copy, statement by statement
 */

/* Puts what stands for `s`, whose blocks are done, into `out`. */
typedef void (*Step)(Repair *r, Stmt *s, StmtList *out);

static Block each(Repair *r, Block b, Step step) {
  StmtList out = {0};
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    if (s->kind == STMT_IF || stmt_is_loop(s)) s = stmt_copy(r->ir, s);
    if (s->kind == STMT_IF) {
      s->u.if_.then_body = each(r, s->u.if_.then_body, step);
      s->u.if_.else_body = each(r, s->u.if_.else_body, step);
    } else if (stmt_is_loop(s)) {
      s->u.loop.body = each(r, s->u.loop.body, step);
    }
    step(r, s, &out);
  }
  return block_take(r->ir, &out);
}

/* ---------------------------------------------------------------- carried values */

typedef struct Strip {
  Repair repair;
  Map used; /* in the whole body, before anything was stripped */
} Strip;

static void strip_loop(Repair *r, Stmt *s, StmtList *out) {
  const Map *used = &((Strip *)r)->used;
  vec_push(out, s);
  if (!stmt_is_loop(s) || s->u.loop.ncarried == 0) return;
  Map inside = {0};
  Block rest = s->u.loop.body;
  if (block_yield(rest)) rest.len--;
  add_uses(&inside, rest);
  Visitor v = {.ctx = &inside, .expr = visit_collect_vars};
  if (s->u.loop.cond) visit_expr(&v, s->u.loop.cond);
  Places p = {.keep = NEW_ARRAY(r->ir->arena, bool, s->u.loop.ncarried), .n = s->u.loop.ncarried};
  for (int i = 0; i < p.n; i++) {
    p.keep[i] = map_has(&inside, s->u.loop.iter_args[i]) ||
                (i < s->u.loop.nresults && map_has(used, s->u.loop.results[i]));
    p.kept += p.keep[i];
  }
  map_free(&inside);
  if (p.kept == p.n) return;
  s->u.loop.body = trim_yield(r->ir, &p, s->u.loop.body);
  s->u.loop.ncarried = keep_places(r->ir, &p, &s->u.loop.iter_args, s->u.loop.ncarried);
  s->u.loop.nresults = keep_places(r->ir, &p, &s->u.loop.results, s->u.loop.nresults);
}

static Block strip_carried(Ir *ir, Block b) {
  Strip s = {.repair = {.ir = ir}};
  add_uses(&s.used, b);
  b = each(&s.repair, b, strip_loop);
  map_free(&s.used);
  return b;
}

/* ---------------------------------------------------------------- initial values */

typedef struct Fetch {
  Repair *r;
  StmtList *out;
  VEC(Expr *) fetched; /* seen until the end of the block */
} Fetch;

static void fetch(Fetch *f, Expr *e);

static bool fetch_use(Visitor *v, Expr *e) {
  if (expr_is_var(e)) fetch(v->ctx, e);
  return true;
}

/* Puts copies of the assignments that `e` needs and this core lacks into f->out. */
static void fetch(Fetch *f, Expr *e) {
  if (expr_is_var(e)) {
    Stmt *assign = map_get(&f->r->whole, e);
    if (!assign || map_has(&f->r->defined, e)) return;
    map_set(&f->r->defined, e, e);
    vec_push(&f->fetched, e);
    Visitor v = {.ctx = f, .expr = fetch_use};
    visit_expr(&v, assign->u.assign.value);
    vec_push(f->out, assign);
  } else {
    Visitor v = {.ctx = f, .expr = fetch_use};
    visit_expr(&v, e);
  }
}

static Block fetch_initial(Repair *r, Block b) {
  StmtList out = {0};
  Fetch f = {.r = r, .out = &out};
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    if (s->kind == STMT_IF || stmt_is_loop(s)) s = stmt_copy(r->ir, s);
    if (s->kind == STMT_IF) {
      s->u.if_.then_body = fetch_initial(r, s->u.if_.then_body);
      s->u.if_.else_body = fetch_initial(r, s->u.if_.else_body);
    } else if (stmt_is_loop(s)) {
      for (int k = 0; k < s->u.loop.ncarried; k++) fetch(&f, s->u.loop.iter_args[k]->u.var.init);
      s->u.loop.body = fetch_initial(r, s->u.loop.body);
    }
    vec_push(&out, s);
  }
  for (size_t i = 0; i < f.fetched.len; i++) map_remove(&r->defined, f.fetched.data[i]);
  vec_free(&f.fetched);
  return block_take(r->ir, &out);
}

/* ---------------------------------------------------------------- yields in loops */

typedef struct Missing {
  const Repair *r;
  bool strict; /* parameters are missing, too */
  bool found;
} Missing;

static bool find_missing(Visitor *v, Expr *e) {
  Missing *m = v->ctx;
  if (expr_is_var(e) && !map_has(&m->r->defined, e) && (m->strict || map_has(&m->r->whole, e)))
    m->found = true;
  return true;
}

static bool is_missing(const Repair *r, Expr *e, bool strict) {
  Missing m = {.r = r, .strict = strict};
  Visitor v = {.ctx = &m, .expr = find_missing};
  visit_expr(&v, e);
  return m.found;
}

/* The iter arg that the branches yield at place `i`, if they don't name two. */
static Expr *branch_carrier(const Stmt *s, int i) {
  Expr *carrier = NULL;
  const Stmt *yields[] = {block_yield(s->u.if_.then_body), block_yield(s->u.if_.else_body)};
  for (int k = 0; k < 2; k++) {
    if (!yields[k] || i >= yields[k]->u.ret.len) continue;
    Expr *v = yields[k]->u.ret.values[i];
    if (!expr_is_var(v) || !v->u.var.is_iter_arg) continue;
    if (carrier && carrier != v) return NULL;
    carrier = v;
  }
  return carrier;
}

static Block carry_instead(Repair *r, Block b, Expr *const *carriers, int n);

static Stmt *carry_in_branches(Repair *r, const Stmt *s) {
  int n = s->u.if_.nresults;
  Expr **carriers = NEW_ARRAY(r->ir->arena, Expr *, n);
  for (int i = 0; i < n; i++) carriers[i] = branch_carrier(s, i);
  Stmt *c = stmt_copy(r->ir, s);
  c->u.if_.then_body = carry_instead(r, s->u.if_.then_body, carriers, n);
  c->u.if_.else_body = carry_instead(r, s->u.if_.else_body, carriers, n);
  return c;
}

static Block carry_instead(Repair *r, Block b, Expr *const *carriers, int n) {
  Block out = block_of(r->ir, b.items, b.len);
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    if (s->kind == STMT_IF) out.items[i] = carry_in_branches(r, s);
    if (s->kind != STMT_YIELD) continue;
    Stmt *y = out.items[i] = stmt_copy(r->ir, s);
    y->u.ret.values = COPY_ARRAY(r->ir->arena, Expr *, s->u.ret.values, s->u.ret.len);
    for (int k = 0; k < y->u.ret.len && k < n; k++)
      if (carriers[k] && is_missing(r, y->u.ret.values[k], false)) y->u.ret.values[k] = carriers[k];
  }
  return out;
}

static void fix_loop_yields(Repair *r, Stmt *s, StmtList *out) {
  if (stmt_is_loop(s) && s->u.loop.ncarried > 0)
    s->u.loop.body = carry_instead(r, s->u.loop.body, s->u.loop.iter_args, s->u.loop.ncarried);
  vec_push(out, s);
}

/* ---------------------------------------------------------------- results of branches */

static void strip_results(Repair *r, Stmt *s, StmtList *out) {
  vec_push(out, s);
  if (s->kind != STMT_IF || s->u.if_.nresults == 0) return;
  Places p = {.keep = NEW_ARRAY(r->ir->arena, bool, s->u.if_.nresults), .n = s->u.if_.nresults};
  const Stmt *yields[] = {block_yield(s->u.if_.then_body), block_yield(s->u.if_.else_body)};
  for (int i = 0; i < p.n; i++) {
    p.keep[i] = true;
    for (int k = 0; k < 2; k++)
      if (yields[k] && i < yields[k]->u.ret.len && is_missing(r, yields[k]->u.ret.values[i], true))
        p.keep[i] = false;
    p.kept += p.keep[i];
    if (!p.keep[i]) map_remove(&r->defined, s->u.if_.results[i]);
  }
  if (p.kept == p.n) return;
  s->u.if_.then_body = trim_yield(r->ir, &p, s->u.if_.then_body);
  s->u.if_.else_body = trim_yield(r->ir, &p, s->u.if_.else_body);
  s->u.if_.nresults = keep_places(r->ir, &p, &s->u.if_.results, s->u.if_.nresults);
}

/* ---------------------------------------------------------------- all of it */

static bool is_removable(const Stmt *s) {
  const Expr *value = s->u.assign.value;
  if (value->kind == EXPR_SUBMIT) return false;
  const Op *op = expr_op(value);
  if (!op) return true;
  switch (op->id) {
    case OP_TILE_STORE:
    case OP_TILE_ASSEMBLE:
    case OP_SYSTEM_RESERVE_BUFFER:
    case OP_SYSTEM_IMPORT_PEER_BUFFER: return false;
    default: return op->cross_role == CROSS_NONE;
  }
}

static void find_defined(Repair *r, Block b, const Map *stands_for) {
  map_clear(&r->defined);
  add_defs(&r->defined, b);
  for (MapEntry *e = NULL; (e = map_next(stands_for, e));) map_set(&r->defined, e->key, e->value);
}

Block core_body_repaired(Ir *ir, Block b, Block whole, const Map *stands_for) {
  Repair r = {.ir = ir};
  add_defs(&r.whole, whole);
  b = strip_carried(ir, b);
  find_defined(&r, b, stands_for);
  b = fetch_initial(&r, b);
  find_defined(&r, b, stands_for);
  b = each(&r, b, fix_loop_yields);
  b = each(&r, b, strip_results);
  b = remove_dead(ir, b, is_removable);
  b = remove_dead(ir, strip_carried(ir, b), is_removable);
  map_free(&r.whole);
  map_free(&r.defined);
  return b;
}
