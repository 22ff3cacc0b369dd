/* AutoDeriveTaskDependencies: explicit edges instead of tracking.
 * docs/passes/auto-derive-task-dependencies.md */
#include <string.h>

#include "base/map.h"
#include "ir/buffer_roots.h"
#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"

/* A task's use of a buffer. */
typedef struct Access {
  Expr *id; /* names the task in an edge; NULL if nothing does */
  bool writes;
  int block; /* where; edges can name it only from inside */
} Access;

typedef VEC(Access) Accesses;
typedef VEC(Expr *) Edges;

typedef struct Derive {
  Ir *ir;
  const Program *program;
  BufferRoots roots;
  Map views;         /* view -> the tensor it shows */
  Map tails;         /* submit's tuple -> variable with its id */
  Map accesses;      /* root -> Accesses* */
  Map edges;         /* call -> Edges* */
  Map made_in;       /* created tensor -> block */
  Map calls;         /* id -> the call whose task it names */
  Map makers;        /* result of a plain call -> block of the call */
  Map waited;        /* ids in the edges of the task at work */
  VEC(int) open;     /* blocks around this place */
  VEC(int) excluded; /* pairs: blocks of the other branch, first and one past the last */
  int blocks, tasks;
  bool failed; /* something cannot be said with edges: leave it to the runtime */
} Derive;

static Accesses *accesses_of(Derive *d, const Expr *root) {
  Accesses *l = map_get(&d->accesses, root);
  if (!l) {
    l = NEW(d->ir->arena, Accesses);
    map_set(&d->accesses, root, l);
  }
  return l;
}

static Edges *edges_of(Derive *d, const Expr *call) {
  Edges *l = map_get(&d->edges, call);
  if (!l) {
    l = NEW(d->ir->arena, Edges);
    map_set(&d->edges, call, l);
  }
  return l;
}

static void fail(Derive *d) {
  d->failed = true;
}

static Expr *root_of(const Derive *d, const Expr *e) {
  for (Expr *shown; (shown = map_get(&d->views, e));) e = shown;
  Expr *root = buffer_root(&d->roots, e);
  return root && root != e && map_has(&d->views, root) ? root_of(d, root) : root;
}

/* ---- blocks ---- */

static int enter(Derive *d) {
  vec_push(&d->open, ++d->blocks);
  return d->blocks;
}

static void leave(Derive *d) {
  d->open.len--;
}

static bool is_open(const Derive *d, int block) {
  for (size_t i = 0; i < d->open.len; i++)
    if (d->open.data[i] == block) return true;
  return false;
}

static bool is_excluded(const Derive *d, int block) {
  for (size_t i = 0; i + 1 < d->excluded.len; i += 2)
    if (block >= d->excluded.data[i] && block < d->excluded.data[i + 1]) return true;
  return false;
}

/* ---- tasks ---- */

static void add_edge(Derive *d, const Expr *call, Expr *id) {
  if (map_set(&d->waited, id, NULL)) vec_push(edges_of(d, call), id);
}

/* A task waits for every earlier one that wrote what it uses or used what it writes. */
static void wait_for(Derive *d, const Expr *call, const Expr *root, bool writes) {
  const Accesses *l = accesses_of(d, root);
  for (size_t i = 0; i < l->len; i++) {
    Access a = l->data[i];
    if ((!writes && !a.writes) || is_excluded(d, a.block)) continue;
    if (!a.id || !is_open(d, a.block))
      fail(d);
    else
      add_edge(d, call, a.id);
  }
}

static Expr *id_of(const Derive *d, const Expr *call, Expr *var) {
  return var && call_is_submit(call) ? map_get(&d->tails, var) : var;
}

static void task(Derive *d, const Expr *call, Expr *var) {
  const AttrValue *dirs = call_directions(d->ir, call);
  const Launch *l = call->u.call.launch;
  d->tasks++;
  map_clear(&d->waited);
  if (!dirs || !call_target(d->program, call) || (l && l->predicate)) fail(d);
  for (int pass = 0; pass < 2 && !d->failed; pass++) {
    for (int i = 0; i < call->u.call.nargs; i++) {
      ArgDir dir = direction_at(dirs, i);
      if (dir == ADIR_SCALAR || dir == ADIR_NO_DEP) continue;
      Expr *root = root_of(d, call->u.call.args[i]);
      if (!root) {
        fail(d);
        return;
      }
      Access a = {id_of(d, call, var), dir != ADIR_INPUT, vec_last(&d->open)};
      if (pass == 0)
        wait_for(d, call, root, a.writes);
      else
        vec_push(accesses_of(d, root), a);
    }
  }
  Expr *id = id_of(d, call, var);
  if (id) map_set(&d->calls, id, (void *)call);
  if (var && type_is_tensor(var->type)) map_set(&d->makers, var, map_int(vec_last(&d->open)));
}

/* ---- loops ---- */

/* The last access to `root`, if it is a write of the task whose result is `value`. */
static bool ends_with(const Derive *d, const Expr *root, const Expr *value) {
  const Accesses *l = map_get(&d->accesses, root);
  return l && l->len && l->data[l->len - 1].writes && l->data[l->len - 1].id == value;
}

/* Versions of one name: the generator finds the ids of a carried value by it. */
static bool same_base(const Expr *a, const Expr *b) {
  const char *x = a->u.var.name, *y = b->u.var.name, *end = strstr(x, "__");
  size_t n = end ? (size_t)(end - x) : strlen(x);
  return strncmp(x, y, n) == 0 && (y[n] == '\0' || strncmp(y + n, "__", 2) == 0);
}

/* A carried tensor that stays one buffer, written last by a plain call of the body itself. */
static bool carry_fits(Derive *d, const Stmt *s, int k, const Expr *value, int block) {
  int64_t trips;
  const Expr *arg = s->u.loop.iter_args[k], *root = root_of(d, arg->u.var.init);
  bool counted = s->u.loop.kind == FOR_PARALLEL || (loop_trip_count(s, &trips) && trips > 0);
  if (!expr_is_var(value) || !same_base(arg, value) || !same_base(arg, s->u.loop.results[k]))
    return false;
  return counted && root && root == root_of(d, value) && map_get_int(&d->makers, value) == block &&
         ends_with(d, root, value);
}

/* What the body did to `root` is known from outside as what its last task did, in all iterations.
 */
static void close_carry(Derive *d, Expr *root, Expr *result, int block) {
  Accesses *l = map_get(&d->accesses, root);
  size_t n = 0;
  for (size_t i = 0; i < l->len; i++)
    if (l->data[i].block < block) l->data[n++] = l->data[i];
  l->len = n;
  vec_push(l, (Access){result, true, vec_last(&d->open)});
}

enum { MAX_CHAIN = 8 };

/* The tasks that the task of `id` waits for, itself included, perhaps through others, at most MAX_CHAIN:
 * in the order of their distance, each looked at once. */
static void waited_for(const Derive *d, const Expr *id, Map *reached) {
  map_set(reached, id, map_int(0));
  for (MapEntry *e = NULL; (e = map_next(reached, e));) {
    intptr_t chain = (intptr_t)e->value;
    const Edges *l = map_get(&d->edges, map_get(&d->calls, e->key));
    size_t at = (size_t)(e - reached->entries);
    for (size_t i = 0; l && chain < MAX_CHAIN && i < l->len; i++)
      if (!map_has(reached, l->data[i])) map_set(reached, l->data[i], map_int(chain + 1));
    e = &reached->entries[at]; /* they may have moved */
  }
}

/* Other buffers' uses in the body are over when the task that ends a carry is, if it waits for
 * them. */
static void close_others(Derive *d, const Expr *value, Expr *result, int block) {
  Map reached = {0};
  waited_for(d, value, &reached);
  for (MapEntry *e = NULL; (e = map_next(&d->accesses, e));) {
    Accesses *l = e->value;
    for (size_t i = 0; i < l->len; i++) {
      Access *a = &l->data[i];
      if (a->block < block || !a->id || !map_has(&reached, a->id)) continue;
      a->id = result;
      a->block = vec_last(&d->open);
    }
  }
  map_free(&reached);
}

static bool carries(const Derive *d, const Stmt *s, const Expr *root) {
  for (int i = 0; i < s->u.loop.ncarried; i++)
    if (root_of(d, s->u.loop.iter_args[i]->u.var.init) == root) return true;
  return false;
}

/* May iterations touch a buffer that they do not carry?  One made inside is another each time. */
static void check_uncarried(Derive *d, const Stmt *s, int block) {
  for (MapEntry *e = NULL; (e = map_next(&d->accesses, e));) {
    if (map_get_int(&d->made_in, e->key) >= block || carries(d, s, e->key)) continue;
    const Accesses *l = e->value;
    for (size_t i = 0; i < l->len; i++)
      if (l->data[i].block >= block && l->data[i].writes) fail(d);
  }
}

static void close_loop(Derive *d, const Stmt *s, int block) {
  Stmt *y = block_yield(s->u.loop.body);
  int n = s->u.loop.ncarried;
  for (int i = 0; i < n && !d->failed; i++) {
    if (!type_is_tensor(s->u.loop.iter_args[i]->type)) continue;
    if (!y || i >= y->u.ret.len || !carry_fits(d, s, i, y->u.ret.values[i], block)) fail(d);
  }
  if (!d->failed && s->u.loop.kind != FOR_PARALLEL) check_uncarried(d, s, block);
  for (int i = 0; i < n && !d->failed; i++) {
    Expr *arg = s->u.loop.iter_args[i];
    if (!type_is_tensor(arg->type)) continue;
    close_carry(d, root_of(d, arg->u.var.init), s->u.loop.results[i], block);
    close_others(d, y->u.ret.values[i], s->u.loop.results[i], block);
  }
}

static void walk(Derive *d, Block b);

static void for_stmt(Derive *d, const Stmt *s) {
  bool parallel = s->u.loop.kind == FOR_PARALLEL;
  int n = s->u.loop.ncarried, block = enter(d);
  if (!parallel && s->u.loop.kind != FOR_RANGE) fail(d);
  for (int i = 0; i < n && !d->failed; i++) {
    Expr *arg = s->u.loop.iter_args[i], *root = root_of(d, arg->u.var.init);
    bool tensor = type_is_tensor(arg->type);
    if (tensor ? !root : arg->type->kind == TYPE_ARRAY || arg->type->dtype == DT_TASK_ID) fail(d);
    if (tensor && root && !parallel) vec_push(accesses_of(d, root), (Access){arg, true, block});
  }
  walk(d, s->u.loop.body);
  leave(d);
  close_loop(d, s, block);
}

/* ---- statements ---- */

static bool is_view(const Expr *call) {
  switch (expr_op(call)->id) {
    case OP_TENSOR_SLICE:
    case OP_TENSOR_RESHAPE:
    case OP_TENSOR_VIEW:
    case OP_TENSOR_TRANSPOSE:
    case OP_TENSOR_ASSEMBLE:
      return true;
    default:
      return false;
  }
}

static void assign(Derive *d, const Stmt *s) {
  Expr *var = s->u.assign.var, *value = s->u.assign.value;
  if (!expr_is_call(value)) return;
  if (!value->u.call.op)
    task(d, value, var);
  else if (is_view(value))
    map_set(&d->views, var, value->u.call.args[0]);
  else if (expr_is_op(value, OP_TENSOR_CREATE))
    map_set(&d->made_in, var, map_int(vec_last(&d->open)));
  else if (!expr_is_op(value, OP_TENSOR_DIM))
    fail(d);
}

static void if_stmt(Derive *d, const Stmt *s) {
  int first = enter(d);
  walk(d, s->u.if_.then_body);
  leave(d);
  vec_push(&d->excluded, first);
  vec_push(&d->excluded, d->blocks + 1);
  enter(d);
  walk(d, s->u.if_.else_body);
  leave(d);
  d->excluded.len -= 2;
}

static void statement(Derive *d, const Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN:
      assign(d, s);
      return;
    case STMT_EVAL:
      if (expr_is_call(s->u.eval) && !s->u.eval->u.call.op)
        task(d, s->u.eval, NULL);
      else
        fail(d);
      return;
    case STMT_FOR:
      for_stmt(d, s);
      return;
    case STMT_IF:
      if_stmt(d, s);
      return;
    case STMT_YIELD:
    case STMT_RETURN:
      return;
    default:
      fail(d); /* scopes of the user's own, too */
  }
}

static void walk(Derive *d, Block b) {
  for (int i = 0; i < b.len && !d->failed; i++) statement(d, b.items[i]);
}

/* ---- a function ---- */

static bool note_tail(Visitor *v, Stmt *s) {
  Derive *d = v->ctx;
  if (s->kind != STMT_ASSIGN || s->u.assign.value->kind != EXPR_TUPLE_GET) return true;
  const Expr *get = s->u.assign.value;
  if (get->u.get.index == get->u.get.tuple->type->nelems - 1)
    map_set(&d->tails, get->u.get.tuple, s->u.assign.var);
  return true;
}

/* The orchestrator itself looks into tensors only where the runtime tracks who writes them. */
static bool note_read(Visitor *v, Expr *e) {
  if (expr_is_op(e, OP_TENSOR_READ) || expr_is_op(e, OP_TENSOR_WRITE)) fail(v->ctx);
  return true;
}

static Expr *with_edges(Rewriter *r, Expr *e) {
  Derive *d = r->ctx;
  const Edges *l = map_get(&d->edges, e);
  Expr *out = rewrite_expr_children(r, e);
  if (!l || !l->len) return out;
  AttrValue *items = NEW_ARRAY(d->ir->arena, AttrValue, l->len);
  for (size_t i = 0; i < l->len; i++) items[i] = attr_of_expr(l->data[i]);
  if (out == e) out = expr_copy(d->ir, e);
  Name key = ir_name(d->ir, "compiler_manual_dep_edges");
  out->u.call.attrs = attr_with(d->ir, out->u.call.attrs, key, attr_of_list(items, (int)l->len));
  return out;
}

static Function *rewrite(Derive *d, Function *f) {
  Rewriter r;
  rewriter_init(&r, d->ir, d);
  r.expr = with_edges;
  Function *out = func_copy(d->ir, f);
  out->body = rewrite_block(&r, f->body);
  Name mark = ir_name(d->ir, "__compiler_auto_manual_layer_candidate");
  out->attrs = attr_with(d->ir, out->attrs, mark, attr_of_bool(true));
  rewriter_free(&r);
  return out;
}

static void derive_free(Derive *d) {
  for (MapEntry *e = NULL; (e = map_next(&d->accesses, e));) vec_free((Accesses *)e->value);
  for (MapEntry *e = NULL; (e = map_next(&d->edges, e));) vec_free((Edges *)e->value);
  Map *maps[] = {&d->views, &d->tails, &d->accesses, &d->edges, &d->made_in, &d->calls, &d->makers, &d->waited};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) map_free(maps[i]);
  vec_free(&d->open);
  vec_free(&d->excluded);
  buffer_roots_free(&d->roots);
}

typedef struct Derivation {
  Ir *ir;
  const Program *program;
} Derivation;

static Function *derive_function(void *ctx, Function *f) {
  Derivation *c = ctx;
  bool automatic = attr_bool(f->attrs, ir_name(c->ir, "auto_scope"), true);
  if (f->type != FUNC_ORCHESTRATION || func_is_host_orch(f) || !automatic) return f;
  Derive d = {.ir = c->ir, .program = c->program};
  buffer_roots_init(&d.roots, c->ir, c->program, f, ROOTS_SURE);
  Visitor v = {.ctx = &d, .stmt = note_tail, .expr = note_read};
  visit_block(&v, f->body);
  enter(&d);
  walk(&d, f->body);
  leave(&d);
  if (!d.failed && d.tasks) f = rewrite(&d, f);
  derive_free(&d);
  return f;
}

Program *auto_derive_task_dependencies(PassCtx *ctx, Program *p) {
  if (!ctx->opts->analyze_auto_scopes) return p;
  Derivation c = {ctx->ir, p};
  return rewrite_program(ctx->ir, p, derive_function, &c);
}
