/* FuseCreateAssembleToSlice: kernels write into their place directly.
 * docs/passes/fuse-create-assemble-to-slice.md */
#include "ir/buffer_roots.h"
#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"

/* A created buffer and where it is copied to. */
typedef struct Staging {
  Expr *create; /* the buffer */
  Expr *target;
  Expr *offsets; /* a tuple */
  Expr *final;   /* the target without the assembles that disappear; settle finds it */
  bool ruled_out;
  bool assembled;
} Staging;

typedef struct Fuse {
  Ir *ir;
  const Program *program;
  BufferRoots roots;
  Map creates; /* create variable -> Staging* */
  Map tuples;  /* variable -> tuple expression */
  Map order;   /* variable -> 1 + number of its definition in text order */
  Map gone;    /* result of an assemble that may disappear -> Staging* that it copies */
  intptr_t defs;
  Name key_atomic;
} Fuse;

/* ---- finding ---- */

static Expr *tuple_of(const Fuse *f, Expr *e) {
  return e->kind == EXPR_TUPLE ? e : map_get(&f->tuples, e);
}

static void find_assemble(Fuse *f, Expr *var, Expr *call) {
  Expr *root = buffer_root(&f->roots, call->u.call.args[1]);
  Expr *offsets = tuple_of(f, call->u.call.args[2]);
  Staging *s = root ? map_get(&f->creates, root) : NULL;
  if (!s || !offsets) return;
  bool atomic = attr_int(call->u.call.kwargs, f->key_atomic, ATOMIC_NONE) != ATOMIC_NONE;
  if (atomic || s->assembled) s->ruled_out = true;
  s->assembled = true;
  s->target = call->u.call.args[0];
  s->offsets = offsets;
  map_set(&f->gone, var, s);
}

static void find_create(Fuse *f, Expr *var) {
  if (buffer_root(&f->roots, var) != var) return;
  Staging *s = NEW(f->ir->arena, Staging);
  s->create = var;
  map_set(&f->creates, var, s);
}

static bool find_stmt(Visitor *v, Stmt *s) {
  Fuse *f = v->ctx;
  if (s->kind != STMT_ASSIGN) return true;
  Expr *var = s->u.assign.var, *value = s->u.assign.value;
  if (value->kind == EXPR_TUPLE) {
    map_set(&f->tuples, var, value);
  } else if (expr_is_op(value, OP_TENSOR_CREATE)) {
    find_create(f, var);
  } else if (expr_is_op(value, OP_TENSOR_ASSEMBLE) && value->u.call.nargs == 3) {
    find_assemble(f, var, value);
  } else if (expr_is_var(value) && map_has(&f->tuples, value)) {
    map_set(&f->tuples, var, map_get(&f->tuples, value));
  }
  return true;
}

static void number_def(Visitor *v, Expr *var) {
  Fuse *f = v->ctx;
  map_set(&f->order, var, map_int(++f->defs));
}

/* ---- is everything that the view needs there when the buffer is created? ---- */

typedef struct Before {
  const Map *order;
  intptr_t limit;
  bool ok;
} Before;

static bool check_before(Visitor *v, Expr *e) {
  Before *b = v->ctx;
  if (expr_is_var(e) && map_get_int(b->order, e) >= b->limit) b->ok = false;
  return true;
}

static bool defined_before(const Fuse *f, Expr *e, const Expr *create) {
  Before b = {&f->order, map_get_int(&f->order, create), true};
  Visitor v = {.ctx = &b, .expr = check_before};
  visit_expr(&v, e);
  return b.ok;
}

/* The assemble that disappears and gave `target`, or NULL. */
static Staging *vanishing(const Fuse *f, const Expr *target) {
  Staging *s = expr_is_var(target) ? map_get(&f->gone, target) : NULL;
  return s && !s->ruled_out ? s : NULL;
}

/* Before SSA form an assemble may give its own target again: following such targets would not end. */
static void rule_out_circles(Fuse *f) {
  for (MapEntry *e = NULL; (e = map_next(&f->gone, e));) {
    Staging *s = e->value;
    if (!s->ruled_out && map_get_int(&f->order, s->target) >= map_get_int(&f->order, e->key))
      s->ruled_out = true;
  }
}

/* Finds the final target of `s`, and of those before it in its chain of targets: what is decided of them decides
 * where it ends.  Without circles the chain ends. */
static void settle_chain(Fuse *f, Staging *s) {
  VEC(Staging *) chain = {0};
  for (; s && !s->final; s = vanishing(f, s->target)) vec_push(&chain, s);
  while (chain.len) {
    s = vec_pop(&chain);
    const Staging *before = vanishing(f, s->target);
    s->final = before ? before->final : s->target;
    s->ruled_out =
        !defined_before(f, s->final, s->create) || !defined_before(f, s->offsets, s->create);
  }
  vec_free(&chain);
}

/* Rules out what cannot be fused; true if anything is left. */
static bool settle(Fuse *f) {
  bool any = false;
  rule_out_circles(f);
  for (MapEntry *e = NULL; (e = map_next(&f->creates, e));) {
    Staging *s = e->value;
    if (!s->assembled || s->ruled_out) continue;
    settle_chain(f, s);
    any = any || !s->ruled_out;
  }
  return any;
}

/* ---- rewriting ---- */

static const Staging *fused(const Fuse *f, const Expr *e) {
  Expr *root = buffer_root(&f->roots, e);
  const Staging *s = root ? map_get(&f->creates, root) : NULL;
  return s && s->assembled && !s->ruled_out ? s : NULL;
}

static Stmt *slice_for(Rewriter *r, Stmt *s, const Staging *st) {
  Fuse *f = r->ctx;
  Ir *ir = f->ir;
  Expr *var = s->u.assign.var;
  const Type *t = s->u.assign.value->type;
  int rank = st->offsets->u.tuple.len > t->rank ? st->offsets->u.tuple.len : t->rank,
      pad = rank - t->rank;
  Expr **shape = NEW_ARRAY(ir->arena, Expr *, rank);
  for (int i = 0; i < rank; i++) shape[i] = i < pad ? expr_index(ir, 1) : t->shape[i - pad];
  Expr *args[] = {rewrite_expr(r, st->final), expr_tuple(ir, shape, rank, s->span),
                  rewrite_expr(r, st->offsets)};
  Expr *slice = op_call_id(ir, OP_TENSOR_SLICE, args, 3, (AttrList){0}, s->span);
  if (!slice) return NULL;
  if (pad > 0) {
    Expr *wider = expr_var(ir, var->u.var.name, slice->type, var->span);
    map_set(&r->subst, var, wider);
    var = wider;
  }
  Stmt *out = stmt_copy(ir, s);
  out->u.assign.var = var;
  out->u.assign.value = slice;
  return out;
}

static Block replace_in_block(Ir *ir, Block b, const Map *subst) {
  Rewriter r;
  rewriter_init(&r, ir, NULL);
  for (MapEntry *e = NULL; (e = map_next(subst, e));) map_set(&r.subst, e->key, e->value);
  b = rewrite_block(&r, b);
  rewriter_free(&r);
  return b;
}

static Block replace_yield(Ir *ir, Block b, Expr **values, int n) {
  Stmt **items = COPY_ARRAY(ir->arena, Stmt *, b.items, b.len);
  Stmt *yield = stmt_copy(ir, items[b.len - 1]);
  yield->u.ret.values = values;
  yield->u.ret.len = n;
  items[b.len - 1] = yield;
  return (Block){items, n ? b.len : b.len - 1};
}

/* Takes carries out of a loop that come back as they went in. */
static Stmt *strip_idle_carries(Rewriter *r, Stmt *s) {
  Fuse *f = r->ctx;
  Stmt *yield = block_yield(s->u.loop.body);
  int n = s->u.loop.ncarried, kept = 0;
  if (!yield || n == 0 || yield->u.ret.len != n || s->u.loop.nresults != n) return s;
  Expr **args = NEW_ARRAY(f->ir->arena, Expr *, n), **results = NEW_ARRAY(f->ir->arena, Expr *, n);
  Expr **values = NEW_ARRAY(f->ir->arena, Expr *, n);
  Map subst = {0};
  for (int i = 0; i < n; i++) {
    Expr *arg = s->u.loop.iter_args[i];
    if (yield->u.ret.values[i] == arg) {
      map_set(&subst, arg, arg->u.var.init);
      map_set(&r->subst, s->u.loop.results[i], arg->u.var.init);
      continue;
    }
    args[kept] = arg;
    results[kept] = s->u.loop.results[i];
    values[kept++] = yield->u.ret.values[i];
  }
  if (kept < n) {
    s = stmt_copy(f->ir, s);
    s->u.loop.body =
        replace_in_block(f->ir, replace_yield(f->ir, s->u.loop.body, values, kept), &subst);
    if (s->u.loop.cond) {
      Rewriter c;
      rewriter_init(&c, f->ir, NULL);
      for (MapEntry *e = NULL; (e = map_next(&subst, e));) map_set(&c.subst, e->key, e->value);
      s->u.loop.cond = rewrite_expr(&c, s->u.loop.cond);
      rewriter_free(&c);
    }
    s->u.loop.iter_args = args;
    s->u.loop.results = results;
    s->u.loop.ncarried = s->u.loop.nresults = kept;
  }
  map_free(&subst);
  return s;
}

static void fuse_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Fuse *f = r->ctx;
  if (s->kind == STMT_ASSIGN) {
    Expr *var = s->u.assign.var, *value = s->u.assign.value;
    const Staging *st = NULL;
    if (expr_is_op(value, OP_TENSOR_CREATE) && (st = fused(f, var))) {
      Stmt *slice = slice_for(r, s, st);
      if (slice) vec_push(out, slice);
      return;
    }
    if (expr_is_op(value, OP_TENSOR_ASSEMBLE) && value->u.call.nargs == 3 &&
        fused(f, value->u.call.args[1])) {
      map_set(&r->subst, var, rewrite_expr(r, value->u.call.args[0]));
      return;
    }
  }
  Stmt *done = rewrite_stmt_children(r, s);
  if (stmt_is_loop(done)) done = strip_idle_carries(r, done);
  vec_push(out, done);
}

static Function *fuse_function(void *ctx, Function *func) {
  Fuse *f = ctx;
  if (func->type != FUNC_ORCHESTRATION) return func;
  buffer_roots_init(&f->roots, f->ir, f->program, func, ROOTS_SURE);
  Visitor v = {.ctx = f, .stmt = find_stmt, .def = number_def};
  visit_block(&v, func->body);
  Function *out = func;
  if (settle(f)) {
    out = rewrite_func_stmts(f->ir, func, fuse_stmt, f);
  }
  buffer_roots_free(&f->roots);
  map_clear(&f->creates);
  map_clear(&f->tuples);
  map_clear(&f->order);
  map_clear(&f->gone);
  return f->ir->diag->errors ? NULL : out;
}

Program *fuse_create_assemble_to_slice(PassCtx *ctx, Program *p) {
  Fuse f = {.ir = ctx->ir, .program = p, .key_atomic = key_name(KEY_ATOMIC)};
  Program *out = rewrite_program(ctx->ir, p, fuse_function, &f);
  map_free(&f.creates);
  map_free(&f.tuples);
  map_free(&f.order);
  map_free(&f.gone);
  return out;
}
