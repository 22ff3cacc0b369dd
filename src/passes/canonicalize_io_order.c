/* CanonicalizeIOOrder: inside software pipelines, loads run ahead;
 * docs/passes/canonicalize-io-order.md. */
#include <stdlib.h>
#include <string.h>

#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/memory/lives.h"
#include "passes/pass.h"

typedef enum { CLASS_SCALAR, CLASS_LOAD, CLASS_COMPUTE, CLASS_STORE } IoClass;

/* What decides when a statement comes, most important first. */
typedef struct Rank {
  int tier;
  const char *stage; /* "": none */
  int chunk;         /* with double-buffered accumulators: stage / 2 */
  int store;
  int number; /* ... and the stage */
} Rank;

typedef struct Sort {
  Ir *ir;
  Name membership;
  bool
      direct; /* the other core writes popped tiles where they are read, as soon as they are given back */
  int depth;       /* pipelines around */
  bool overlap;    /* of the nearest: stores may move away from what they store */
  bool double_acc; /* ... and two accumulators are alive at a time */
} Sort;

/* One statement list at work. */
typedef struct List {
  Sort *sort;
  Stmt *const *stmts;
  int n;
  Rank *rank;
  Map by_def;     /* variable -> position of the statement that binds it + 1 */
  Map stage_of;   /* variable -> its membership */
  VEC(int) edges; /* successor lists: edges.data[first[i] .. first[i + 1]) */
  int *first, *waiting;
  int *heap, nheap;
} List;

/* ---------------------------------------------------------------- classes */

static bool is_store(const Op *op) { return op->id == OP_TILE_STORE || op->id == OP_TILE_WRITE; }

/* Operands brought from Mat to the matrix unit count as loads. */
static bool is_operand_extract(Ir *ir, const Expr *call) {
  if (!expr_is_op(call, OP_TILE_EXTRACT) || call->u.call.nargs == 0) return false;
  const Type *from = call->u.call.args[0]->type;
  int64_t to = attr_int(call->u.call.kwargs, ir_name(ir, "target_memory"), MEM_NONE);
  return type_is_tile(from) && from->space == MEM_MAT && (to == MEM_LEFT || to == MEM_RIGHT);
}

static IoClass class_of(const Sort *s, const Stmt *stmt) {
  bool assigns = stmt->kind == STMT_ASSIGN;
  const Expr *value = assigns                   ? stmt->u.assign.value
                      : stmt->kind == STMT_EVAL ? stmt->u.eval
                                                : NULL;
  const Op *op = value ? expr_op(value) : NULL;
  IoClass store = s->overlap || s->double_acc ? CLASS_STORE : CLASS_COMPUTE;
  if (op && is_store(op)) return store;
  if (!assigns) return CLASS_COMPUTE;
  if (op && (op->id == OP_TILE_LOAD || op->id == OP_TILE_READ)) return CLASS_LOAD;
  if (op && s->double_acc && op->id == OP_TILE_ASSEMBLE) return CLASS_STORE;
  if (op && is_operand_extract(s->ir, value)) return CLASS_LOAD;
  return type_is_scalar(stmt->u.assign.var->type) ? CLASS_SCALAR : CLASS_COMPUTE;
}

/* ---------------------------------------------------------------- stages */

static const char *membership(const Sort *s, const Expr *value) {
  if (value->kind != EXPR_CALL) return NULL;
  const AttrValue *a = attr_get(value->u.call.attrs, s->membership);
  return a && a->kind == ATTR_STR && *a->u.str ? a->u.str : NULL;
}

/* Which copy of the loop's body a statement works for.  The tile it makes says so, if that carries a
 * mark; a statement without a marked result goes with the leftmost operand that this list marked; "":
 * with none. */
static const char *stage_of(const List *l, const Stmt *s) {
  const Expr *value = s->kind == STMT_ASSIGN ? s->u.assign.value
                      : s->kind == STMT_EVAL ? s->u.eval
                                             : NULL;
  const char *own = s->kind == STMT_ASSIGN ? map_get(&l->stage_of, s->u.assign.var) : NULL;
  if (own || !value || value->kind != EXPR_CALL) return own ? own : "";
  for (int i = 0; i < value->u.call.nargs; i++) {
    const char *arg = map_get(&l->stage_of, value->u.call.args[i]);
    if (arg) return arg;
  }
  return "";
}

static Rank rank_of(const List *l, const Stmt *s) {
  IoClass c = class_of(l->sort, s);
  Rank r = {.tier = c == CLASS_SCALAR ? 0
                    : c == CLASS_LOAD ? 1
                                      : 2,
            .stage = "",
            .store = c == CLASS_STORE};
  if (l->sort->double_acc) r.chunk = r.number = -1;
  if (r.tier < 2) return r;
  const char *stage = stage_of(l, s);
  if (!l->sort->double_acc) {
    r.stage = stage;
    return r;
  }
  PipeStage innermost;
  if (parse_stages(stage, &innermost, 1)) {
    r.number = innermost.stage;
    r.chunk = innermost.stage / 2;
  }
  return r;
}

static int compare(const List *l, int a, int b) {
  const Rank *x = &l->rank[a], *y = &l->rank[b];
  if (x->tier != y->tier) return x->tier - y->tier;
  int stage = strcmp(x->stage, y->stage);
  if (stage) return stage;
  if (x->chunk != y->chunk) return x->chunk < y->chunk ? -1 : 1;
  if (x->store != y->store) return x->store - y->store;
  if (x->number != y->number) return x->number < y->number ? -1 : 1;
  return a - b;
}

/* ---------------------------------------------------------------- the ready statements, a heap */

static void heap_swap(List *l, int i, int k) {
  int t = l->heap[i];
  l->heap[i] = l->heap[k];
  l->heap[k] = t;
}

static void heap_push(List *l, int stmt) {
  int i = l->nheap++;
  l->heap[i] = stmt;
  for (; i > 0 && compare(l, l->heap[i], l->heap[(i - 1) / 2]) < 0; i = (i - 1) / 2)
    heap_swap(l, i, (i - 1) / 2);
}

static int heap_pop(List *l) {
  int top = l->heap[0];
  l->heap[0] = l->heap[--l->nheap];
  for (int i = 0;;) {
    int least = i;
    for (int k = 2 * i + 1; k <= 2 * i + 2 && k < l->nheap; k++)
      if (compare(l, l->heap[k], l->heap[least]) < 0) least = k;
    if (least == i) return top;
    heap_swap(l, i, least);
    i = least;
  }
}

/* ---------------------------------------------------------------- dependences */

typedef struct Edge {
  int from, to;
} Edge;

/* The statements that use a popped tile, or show it. */
typedef struct Users {
  int stmt;
  struct Users *before;
} Users;

typedef struct Uses {
  List *l;
  int stmt;
  VEC(Edge) edges;
  Map users; /* popped tile -> Users, the last one first */
  Map shown; /* variable -> popped tile that it is, or shows */
} Uses;

static bool note_use(Visitor *v, Expr *e) {
  Uses *u = v->ctx;
  if (!expr_is_var(e)) return true;
  int from = (int)map_get_int(&u->l->by_def, e) - 1;
  if (from >= 0 && from != u->stmt) vec_push(&u->edges, (Edge){from, u->stmt});
  const Expr *tile = map_get(&u->shown, e);
  if (!tile) return true;
  Users *last = NEW(u->l->sort->ir->arena, Users);
  *last = (Users){u->stmt, map_get(&u->users, tile)};
  map_set(&u->users, tile, last);
  return true;
}

/* A popped tile is given back when all are done with it. */
static void note_pipe(Uses *u, const Stmt *s) {
  const Expr *value = s->kind == STMT_ASSIGN ? s->u.assign.value
                      : s->kind == STMT_EVAL ? s->u.eval
                                             : NULL;
  const Op *op = value ? expr_op(value) : NULL;
  Expr *arg = value && expr_is_call(value) && value->u.call.nargs ? value->u.call.args[0] : NULL;
  if (s->kind == STMT_ASSIGN) {
    if (op && op->cross_role == CROSS_POP) map_set(&u->shown, s->u.assign.var, s->u.assign.var);
    const Expr *source = op && op_is_view(op) ? arg : value;
    Expr *tile = source ? map_get(&u->shown, source) : NULL;
    if (tile) map_set(&u->shown, s->u.assign.var, tile);
  } else if (op && op->cross_role == CROSS_FREE && arg) {
    const Expr *tile = map_get(&u->shown, arg);
    for (const Users *k = tile ? map_get(&u->users, tile) : NULL; k; k = k->before)
      if (k->stmt != u->stmt) vec_push(&u->edges, (Edge){k->stmt, u->stmt});
  }
}

static void note_def(Visitor *v, Expr *var) {
  Uses *u = v->ctx;
  map_set(&u->l->by_def, var, map_int(u->stmt + 1));
}

static int by_edge(const void *x, const void *y) {
  const Edge *a = x, *b = y;
  if (a->from != b->from) return a->from - b->from;
  return a->to - b->to;
}

/* Fills in the successors of each statement and how many it waits for. */
static void find_edges(List *l) {
  Uses u = {.l = l};
  for (u.stmt = 0; u.stmt < l->n; u.stmt++) {
    Visitor uses = {.ctx = &u, .expr = note_use}, defs = {.ctx = &u, .def = note_def};
    visit_stmt(&uses, l->stmts[u.stmt]);
    visit_stmt(&defs, l->stmts[u.stmt]);
    if (l->sort->direct) note_pipe(&u, l->stmts[u.stmt]);
  }
  if (u.edges.len) qsort(u.edges.data, u.edges.len, sizeof *u.edges.data, by_edge);
  int at = 0;
  for (size_t i = 0; i < u.edges.len; i++) {
    if (i && by_edge(&u.edges.data[i - 1], &u.edges.data[i]) == 0) continue;
    Edge e = u.edges.data[i];
    while (at <= e.from) l->first[at++] = (int)l->edges.len;
    vec_push(&l->edges, e.to);
    l->waiting[e.to]++;
  }
  while (at <= l->n) l->first[at++] = (int)l->edges.len;
  vec_free(&u.edges);
  map_free(&u.users);
  map_free(&u.shown);
}

/* ---------------------------------------------------------------- sorting */

static bool ends_list(const Stmt *s) {
  return s->kind == STMT_YIELD || s->kind == STMT_RETURN || s->kind == STMT_BREAK ||
         s->kind == STMT_CONTINUE;
}

static void list_init(List *l, Sort *s, Stmt *const *stmts, int n) {
  *l = (List){.sort = s, .stmts = stmts, .n = n};
  size_t room = (size_t)n + 1;
  l->rank = xmalloc(room * sizeof *l->rank);
  l->first = xmalloc(room * sizeof *l->first);
  l->waiting = xmalloc(room * sizeof *l->waiting);
  l->heap = xmalloc(room * sizeof *l->heap);
  memset(l->waiting, 0, room * sizeof *l->waiting);
  for (int i = 0; i < n; i++) {
    if (stmts[i]->kind != STMT_ASSIGN) continue;
    const char *m = membership(s, stmts[i]->u.assign.value);
    if (m) map_set(&l->stage_of, stmts[i]->u.assign.var, (void *)m);
  }
  for (int i = 0; i < n; i++) l->rank[i] = rank_of(l, stmts[i]);
  find_edges(l);
}

static void list_free(List *l) {
  free(l->rank);
  free(l->first);
  free(l->waiting);
  free(l->heap);
  vec_free(&l->edges);
  map_free(&l->by_def);
  map_free(&l->stage_of);
}

/* Two accumulators take turns, however many stages there are. */
static Stmt *halve_stage(Sort *s, Stmt *stmt) {
  if (stmt->kind != STMT_ASSIGN) return stmt;
  const Expr *call = stmt->u.assign.value;
  const Type *t = stmt->u.assign.var->type;
  const char *m = membership(s, call);
  if (!m || !type_is_tile(t) || t->space != MEM_ACC) return stmt;
  const Op *op = expr_op(call);
  if (!op || !op_is_matmul(op)) return stmt;
  PipeStage first;
  if (!parse_stages(m, &first, 1) || first.stage < 2) return stmt;
  const char *rest = strchr(m, ';');
  Expr *copy = expr_copy(s->ir, call);
  Name to = name_printf(&s->ir->names, "%d:%d%s", first.group, first.stage % 2, rest ? rest : "");
  copy->u.call.attrs = attr_with(s->ir, attr_without(s->ir, call->u.call.attrs, s->membership),
                                 s->membership, attr_of_str(to));
  Stmt *n = stmt_copy(s->ir, stmt);
  n->u.assign.value = copy;
  return n;
}

static Block sort_block(Sort *s, Block b) {
  int n = b.len && ends_list(b.items[b.len - 1]) ? b.len - 1 : b.len;
  if (n < 2) return b;
  List l;
  list_init(&l, s, b.items, n);
  StmtList out = {0};
  for (int i = 0; i < n; i++)
    if (!l.waiting[i]) heap_push(&l, i);
  while (l.nheap) {
    int i = heap_pop(&l);
    vec_push(&out, s->double_acc ? halve_stage(s, b.items[i]) : b.items[i]);
    for (int k = l.first[i]; k < l.first[i + 1]; k++)
      if (--l.waiting[l.edges.data[k]] == 0) heap_push(&l, l.edges.data[k]);
  }
  list_free(&l);
  if (n < b.len) vec_push(&out, b.items[n]);
  bool same = (int)out.len == b.len &&
              (b.len == 0 || memcmp(out.data, b.items, out.len * sizeof *out.data) == 0);
  if ((int)out.len != b.len || same) { /* a list that uses what it defines later stays */
    vec_free(&out);
    return b;
  }
  return block_take(s->ir, &out);
}

static void sort_stmt(Rewriter *r, Stmt *stmt, StmtList *out) {
  Sort *s = r->ctx, outer = *s;
  bool pipeline = stmt->kind == STMT_FOR && stmt->u.loop.kind == FOR_PIPELINE;
  if (pipeline) {
    s->depth++;
    s->overlap = key_bool(stmt->u.loop.attrs, KEY_PIPELINE_OVERLAP_STORES, true);
    s->double_acc = key_bool(stmt->u.loop.attrs, KEY_PIPELINE_DOUBLE_BUFFER_C, false);
  }
  Stmt *t = rewrite_stmt_children(r, stmt);
  if (s->depth && (stmt_is_loop(t) || t->kind == STMT_IF || t->kind == STMT_SCOPE)) {
    t = stmt_copy(s->ir, t);
    if (t->kind == STMT_IF) {
      t->u.if_.then_body = sort_block(s, t->u.if_.then_body);
      t->u.if_.else_body = sort_block(s, t->u.if_.else_body);
    } else if (t->kind == STMT_SCOPE) {
      t->u.scope.body = sort_block(s, t->u.scope.body);
    } else {
      t->u.loop.body = sort_block(s, t->u.loop.body);
    }
  }
  if (pipeline) {
    t->u.loop.kind = FOR_RANGE;
    static const char *const done[] = {"pipeline_stages", "pipeline_overlap_stores",
                                       "pipeline_double_buffer_c"};
    for (size_t i = 0; i < sizeof done / sizeof *done; i++)
      t->u.loop.attrs = attr_without(s->ir, t->u.loop.attrs, ir_name(s->ir, done[i]));
    s->depth = outer.depth;
    s->overlap = outer.overlap;
    s->double_acc = outer.double_acc;
  }
  vec_push(out, t);
}

static Expr *same_expr(Rewriter *r, Expr *e) {
  (void)r;
  return e;
}

static Function *sort_func(void *context, Function *f) {
  PassCtx *ctx = context;
  Sort s = {.ir = ctx->ir,
            .membership = key_name(KEY_PIPELINE_MEMBERSHIP),
            .overlap = true,
            .direct = !ctx->opts->target->gm_pipe_buffer};
  Rewriter r;
  rewriter_init(&r, ctx->ir, &s);
  r.stmt = sort_stmt;
  r.expr = same_expr;
  f = rewrite_func(&r, f);
  rewriter_free(&r);
  return f;
}

Program *canonicalize_io_order(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, sort_func, ctx);
}
