/* Memory passes on kernels built here: where tiles lie, that plans are safe, that the check finds unsafe
 * ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/op.h"
#include "ir/print.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "op_spec.h"
#include "passes/memory/dsa.h"
#include "passes/memory/lives.h"
#include "passes/memory/pipe.h"
#include "passes/memory/shuffle.h"
#include "passes/pass.h"
#include "passes/verify.h"
#include "unit.h"

bool verify_memory_plan(PassCtx *ctx, const Program *p);

typedef struct Kernel {
  Fixture fx;
  Ir *ir;
  StmtList body;
  Expr *params[4];
  int nparams;
  CompileOptions opts;
  PassCtx ctx;
  int names;
  Mt64 random;
} Kernel;

static void kernel_init(Kernel *k, MemoryPlanner planner) {
  *k = (Kernel){0};
  fixture_init(&k->fx);
  k->ir = &k->fx.ir;
  k->opts = (CompileOptions){.target = target_by_name("ascend910b"), .planner = planner};
  k->ctx = (PassCtx){.ir = k->ir, .opts = &k->opts};
}

static void kernel_free(Kernel *k) { fixture_free(&k->fx); }

static Expr *param(Kernel *k, const char *name, int rows, int cols) {
  Expr *shape[] = {expr_index(k->ir, rows), expr_index(k->ir, cols)};
  return k->params[k->nparams++] =
             expr_var(k->ir, ir_name(k->ir, name), type_tensor(k->ir, shape, 2, DT_FP32), NO_SPAN);
}

static const Type *vec_tile(Kernel *k, int rows, int cols) {
  Expr *shape[] = {expr_index(k->ir, rows), expr_index(k->ir, cols)};
  return type_tile(k->ir, shape, 2, DT_FP32, MEM_VEC);
}

static Expr *named(Kernel *k, const char *name, const Type *t) {
  return expr_var(k->ir, ir_name(k->ir, name), t, NO_SPAN);
}

static Expr *fresh(Kernel *k, const Type *t) {
  return expr_var(k->ir, name_printf(&k->ir->names, "t%d", k->names++), t, NO_SPAN);
}

static Expr *zero_zero(Kernel *k) {
  Expr *e[] = {expr_index(k->ir, 0), expr_index(k->ir, 0)};
  return expr_tuple(k->ir, e, 2, NO_SPAN);
}

static Expr *assign(Kernel *k, StmtList *to, Expr *var, OpId op, Expr *const *args, int n) {
  Expr *call = expr_call_op(k->ir, op_get(k->ir, op), args, n, (AttrList){0}, var->type, NO_SPAN);
  vec_push(to, stmt_assign(k->ir, var, call, NO_SPAN));
  return var;
}

static Expr *load(Kernel *k, StmtList *to, Expr *var, Expr *x) {
  Expr *shape = expr_tuple(k->ir, var->type->shape, 2, NO_SPAN);
  Expr *args[] = {x, zero_zero(k), shape, shape};
  return assign(k, to, var, OP_TILE_LOAD, args, 4);
}

static Expr *unary(Kernel *k, StmtList *to, Expr *var, OpId op, Expr *a) {
  return assign(k, to, var, op, &a, 1);
}

static Expr *add(Kernel *k, StmtList *to, Expr *var, Expr *a, Expr *b) {
  Expr *args[] = {a, b};
  return assign(k, to, var, OP_TILE_ADD, args, 2);
}

static void store(Kernel *k, StmtList *to, Expr *t, Expr *out) {
  Expr *args[] = {t, zero_zero(k), out};
  assign(k, to, fresh(k, out->type), OP_TILE_STORE, args, 3);
}

static Program *finish(Kernel *k) {
  Function f = {.name = ir_name(k->ir, "kernel"), .type = FUNC_AIV, .nparams = k->nparams};
  f.params = COPY_ARRAY(k->ir->arena, Expr *, k->params, k->nparams);
  f.dirs = NEW_ARRAY(k->ir->arena, ParamDir, k->nparams);
  f.body = block_take(k->ir, &k->body);
  Function *g = func_copy(k->ir, &f);
  return program_new(k->ir, ir_name(k->ir, "P"), &g, 1, NO_SPAN);
}

/* All passes from InitMemRef on; NULL after an error. */
static Program *plan(Kernel *k, Program *p) {
  static const PassFn passes[] = {init_memref, materialize_semantic_aliases, memory_reuse,
                                  allocate_memory_addr};
  for (size_t i = 0; p && i < sizeof passes / sizeof *passes; i++) p = passes[i](&k->ctx, p);
  return p;
}

/* ---------------------------------------------------------------- finding things again */

typedef struct Find {
  const char *name;
  Expr *found;
} Find;

static void find_def(Visitor *v, Expr *var) {
  Find *f = v->ctx;
  if (strcmp(var->u.var.name, f->name) == 0) f->found = var;
}

static Expr *find(const Program *p, const char *name) {
  Find f = {name, NULL};
  Visitor v = {.ctx = &f, .def = find_def};
  visit_program(&v, p);
  ck_assert_msg(f.found != NULL, "no variable %s", name);
  return f.found;
}

static int64_t address(const Program *p, const char *name) {
  int64_t at = -1;
  const Expr *var = find(p, name);
  ck_assert(var->type->memref != NULL);
  ck_assert(expr_const_int(var->type->memref->offset, &at));
  return at;
}

static const char *allocation(const Program *p, const char *name) {
  const Expr *var = find(p, name);
  return var->type->memref ? var->type->memref->base->u.var.name : "none";
}

/* ---------------------------------------------------------------- where tiles lie */

START_TEST(test_numbers_and_sizes) {
  Kernel k;
  kernel_init(&k, PLANNER_PYPTO);
  Expr *x = param(&k, "x", 16, 16), *out = param(&k, "out", 16, 16);
  Expr *a = load(&k, &k.body, named(&k, "a", vec_tile(&k, 16, 16)), x);
  Expr *b = add(&k, &k.body, named(&k, "b", vec_tile(&k, 16, 16)), a, a);
  store(&k, &k.body, b, out);
  Program *p = init_memref(&k.ctx, finish(&k));
  ck_assert_str_eq(allocation(p, "x"), "mem_ddr_0");
  ck_assert_str_eq(allocation(p, "out"), "mem_ddr_1");
  ck_assert_str_eq(allocation(p, "a"), "mem_vec_2");
  ck_assert_str_eq(allocation(p, "b"), "mem_vec_3");
  ck_assert_str_eq(allocation(p, "t0"), "mem_ddr_1"); /* a store gives its tensor back */
  ck_assert_uint_eq(find(p, "a")->type->memref->size, 1024);
  ck_assert_int_eq(p->funcs[0]->body.len, 5); /* two declarations more */
  kernel_free(&k);
}
END_TEST

START_TEST(test_slices_move) {
  Kernel k;
  kernel_init(&k, PLANNER_PYPTO);
  Expr *x = param(&k, "x", 16, 16), *out = param(&k, "out", 16, 16);
  Expr *a = load(&k, &k.body, named(&k, "a", vec_tile(&k, 16, 16)), x);
  Expr *shape[] = {expr_index(k.ir, 2), expr_index(k.ir, 16)},
       *at[] = {expr_index(k.ir, 3), expr_index(k.ir, 0)};
  Expr *args[] = {a, expr_tuple(k.ir, shape, 2, NO_SPAN), expr_tuple(k.ir, at, 2, NO_SPAN)};
  Expr *s = assign(&k, &k.body, named(&k, "s", vec_tile(&k, 2, 16)), OP_TILE_SLICE, args, 3);
  store(&k, &k.body, s, out);
  store(&k, &k.body, a, out);
  Program *p = plan(&k, finish(&k));
  ck_assert_ptr_nonnull(p);
  ck_assert_str_eq(allocation(p, "s"), allocation(p, "a"));
  ck_assert_int_eq(address(p, "s"), address(p, "a") + 3 * 16 * 4);
  ck_assert_uint_eq(find(p, "s")->type->memref->size, 2 * 16 * 4);
  ck_assert(verify_memory_plan(&k.ctx, p));
  kernel_free(&k);
}
END_TEST

START_TEST(test_reuse_after_last_use) {
  Kernel k;
  kernel_init(&k, PLANNER_PYPTO);
  Expr *x = param(&k, "x", 16, 16), *out = param(&k, "out", 16, 16);
  Expr *a = load(&k, &k.body, named(&k, "a", vec_tile(&k, 16, 16)), x);
  Expr *b = add(&k, &k.body, named(&k, "b", vec_tile(&k, 16, 16)), a, a); /* may write over a */
  Expr *c = load(&k, &k.body, named(&k, "c", vec_tile(&k, 16, 16)), x);   /* b is still needed */
  Expr *d =
      unary(&k, &k.body, named(&k, "d", vec_tile(&k, 16, 16)), OP_TILE_RECIP, c); /* not over c */
  store(&k, &k.body, add(&k, &k.body, named(&k, "e", vec_tile(&k, 16, 16)), b, d), out);
  Program *p = plan(&k, finish(&k));
  ck_assert_ptr_nonnull(p);
  ck_assert_int_eq(address(p, "a"), address(p, "b"));
  ck_assert_int_ne(address(p, "b"), address(p, "c"));
  ck_assert_int_ne(address(p, "c"), address(p, "d"));
  ck_assert_int_eq(address(p, "e"), address(p, "b"));
  ck_assert(verify_memory_plan(&k.ctx, p));
  kernel_free(&k);
}
END_TEST

/* for i: acc = acc + x; gives the result variable */
static Expr *accumulate(Kernel *k, StmtList *to, Expr *init, Expr *x) {
  Expr *arg = expr_iter_arg(k->ir, ir_name(k->ir, "acc"), init->type, init, NO_SPAN);
  StmtList body = {0};
  Expr *t = load(k, &body, named(k, "x_tile", init->type), x);
  Expr *next = add(k, &body, named(k, "next", init->type), arg, t);
  vec_push(&body, stmt_yield(k->ir, &next, 1, NO_SPAN));
  Stmt *s = stmt_new(k->ir, STMT_FOR, NO_SPAN);
  s->u.loop.var = expr_var(k->ir, ir_name(k->ir, "i"), type_scalar(k->ir, DT_INDEX), NO_SPAN);
  s->u.loop.start = expr_index(k->ir, 0);
  s->u.loop.stop = expr_index(k->ir, 4);
  s->u.loop.step = expr_index(k->ir, 1);
  s->u.loop.iter_args = COPY_ARRAY(k->ir->arena, Expr *, &arg, 1);
  Expr *result = named(k, "result", init->type);
  s->u.loop.results = COPY_ARRAY(k->ir->arena, Expr *, &result, 1);
  s->u.loop.ncarried = s->u.loop.nresults = 1;
  s->u.loop.body = block_take(k->ir, &body);
  vec_push(to, s);
  return result;
}

START_TEST(test_carried_tiles_stay) {
  Kernel k;
  for (int planner = PLANNER_PYPTO; planner <= PLANNER_DSA_RP; planner++) {
    kernel_init(&k, (MemoryPlanner)planner);
    Expr *x = param(&k, "x", 16, 16), *out = param(&k, "out", 16, 16);
    Expr *init = load(&k, &k.body, named(&k, "init", vec_tile(&k, 16, 16)), x);
    Expr *other = load(&k, &k.body, named(&k, "other", vec_tile(&k, 16, 16)), x);
    Expr *sum = accumulate(&k, &k.body, init, x);
    store(&k, &k.body, add(&k, &k.body, named(&k, "all", vec_tile(&k, 16, 16)), sum, other), out);
    Program *p = plan(&k, finish(&k));
    ck_assert_ptr_nonnull(p);
    ck_assert_int_eq(address(p, "init"), address(p, "acc"));
    ck_assert_int_eq(address(p, "init"), address(p, "next"));
    ck_assert_int_eq(address(p, "init"), address(p, "result"));
    ck_assert_int_ne(address(p, "x_tile"), address(p, "acc"));
    ck_assert_int_ne(address(p, "other"), address(p, "x_tile")); /* needed behind the loop */
    ck_assert(verify_memory_plan(&k.ctx, p));
    kernel_free(&k);
  }
}
END_TEST

START_TEST(test_too_much_is_an_error) {
  Kernel k;
  for (int planner = PLANNER_PYPTO; planner <= PLANNER_DSA_RP; planner++) {
    kernel_init(&k, (MemoryPlanner)planner);
    Expr *x = param(&k, "x", 128, 256), *out = param(&k, "out", 128, 256);
    Expr *a =
        load(&k, &k.body, named(&k, "a", vec_tile(&k, 128, 256)), x); /* 128 KB each, of 184 */
    Expr *b = load(&k, &k.body, named(&k, "b", vec_tile(&k, 128, 256)), x);
    store(&k, &k.body, add(&k, &k.body, named(&k, "c", vec_tile(&k, 128, 256)), a, b), out);
    ck_assert_ptr_null(plan(&k, finish(&k)));
    ck_assert_ptr_nonnull(strstr(fixture_messages(&k.fx), "Vec"));
    kernel_free(&k);
  }
}
END_TEST

/* ---------------------------------------------------------------- the check finds what is wrong */

/* Puts every tile of one name at an address. */
typedef struct Spoil {
  const char *name;
  int64_t at;
} Spoil;

static Expr *spoil_def(Rewriter *r, Expr *var) {
  const Spoil *s = r->ctx;
  if (strcmp(var->u.var.name, s->name) != 0) return rewrite_def_default(r, var);
  MemRef m = *var->type->memref;
  m.offset = expr_int(r->ir, s->at, DT_INT64, NO_SPAN);
  Expr *n = expr_var(r->ir, var->u.var.name,
                     type_with_memref(r->ir, var->type, memref_intern(r->ir, &m)), NO_SPAN);
  map_set(&r->subst, var, n);
  return n;
}

static Program *spoiled(Kernel *k, const Program *p, const char *name, int64_t at) {
  Spoil s = {name, at};
  Rewriter r;
  rewriter_init(&r, k->ir, &s);
  r.def = spoil_def;
  Function *f = rewrite_func(&r, p->funcs[0]);
  rewriter_free(&r);
  return program_new(k->ir, p->name, &f, 1, NO_SPAN);
}

START_TEST(test_check_finds_overwriting) {
  Kernel k;
  kernel_init(&k, PLANNER_PYPTO);
  Expr *x = param(&k, "x", 16, 16), *out = param(&k, "out", 16, 16);
  Expr *init = load(&k, &k.body, named(&k, "init", vec_tile(&k, 16, 16)), x);
  Expr *other = load(&k, &k.body, named(&k, "other", vec_tile(&k, 16, 16)), x);
  Expr *sum = accumulate(&k, &k.body, init, x);
  store(&k, &k.body, add(&k, &k.body, named(&k, "all", vec_tile(&k, 16, 16)), sum, other), out);
  Program *p = plan(&k, finish(&k));
  ck_assert(verify_memory_plan(&k.ctx, p));
  /* written in the loop, read behind it */
  ck_assert(!verify_memory_plan(&k.ctx, spoiled(&k, p, "other", address(p, "x_tile"))));
  /* half over the carried tile */
  ck_assert(!verify_memory_plan(&k.ctx, spoiled(&k, p, "x_tile", address(p, "acc") + 512)));
  /* the next value ends up elsewhere */
  ck_assert(!verify_memory_plan(&k.ctx, spoiled(&k, p, "next", 100000)));
  /* beyond the end */
  ck_assert(!verify_memory_plan(&k.ctx, spoiled(&k, p, "all", 184 * 1024 - 512)));
  kernel_free(&k);
}
END_TEST

START_TEST(test_check_finds_forbidden_alias) {
  Kernel k;
  kernel_init(&k, PLANNER_PYPTO);
  Expr *x = param(&k, "x", 16, 16), *out = param(&k, "out", 16, 16);
  Expr *a = load(&k, &k.body, named(&k, "a", vec_tile(&k, 16, 16)), x);
  store(&k, &k.body, unary(&k, &k.body, named(&k, "b", vec_tile(&k, 16, 16)), OP_TILE_RECIP, a),
        out);
  Program *p = plan(&k, finish(&k));
  ck_assert(verify_memory_plan(&k.ctx, p));
  ck_assert(!verify_memory_plan(&k.ctx, spoiled(&k, p, "b", address(p, "a"))));
  kernel_free(&k);
}
END_TEST

/* ---------------------------------------------------------------- random kernels */

enum { MAX_LIVE = 6 };

typedef struct Pool {
  Expr *tiles[MAX_LIVE];
  int n;
} Pool;

static uint64_t roll(Kernel *k, uint64_t n) { return mt64_below(&k->random, n); }

static void keep(Kernel *k, Pool *pool, Expr *t) {
  if (pool->n < MAX_LIVE)
    pool->tiles[pool->n++] = t;
  else
    pool->tiles[roll(k, MAX_LIVE)] = t;
}

static Expr *pick(Kernel *k, const Pool *pool) { return pool->tiles[roll(k, (uint64_t)pool->n)]; }

static Expr *same_shape(Kernel *k, const Pool *pool, const Expr *a) {
  Expr *b = pick(k, pool);
  return b->type->shape[0]->u.i == a->type->shape[0]->u.i ? b : NULL;
}

static void random_block(Kernel *k, StmtList *to, Pool *pool, int len, int depth);

static void random_loop(Kernel *k, StmtList *to, Pool *pool, int depth) {
  /* the loop works in the place of its initial value, which nothing else may read then */
  Expr *init = NULL;
  if (depth == 0 && pool->n > 1 && roll(k, 2)) { /* often the result of a loop before */
    int i = (int)roll(k, (uint64_t)pool->n);
    init = pool->tiles[i];
    pool->tiles[i] = pool->tiles[--pool->n];
  } else {
    init = load(k, to, fresh(k, vec_tile(k, 8 << roll(k, 3), 16)), k->params[0]);
    if (roll(k, 2)) init = add(k, to, fresh(k, init->type), init, init);
  }
  Expr *arg = expr_iter_arg(k->ir, name_printf(&k->ir->names, "c%d", k->names++), init->type, init,
                            NO_SPAN);
  StmtList body = {0};
  Pool inner = *pool;
  keep(k, &inner, arg);
  random_block(k, &body, &inner, 1 + (int)roll(k, 5), depth + 1);
  Expr *other = same_shape(k, &inner, arg);
  Expr *next = add(k, &body, fresh(k, arg->type),
                   roll(k, 2) ? arg
                   : other    ? other
                              : arg,
                   other ? other : arg);
  vec_push(&body, stmt_yield(k->ir, &next, 1, NO_SPAN));
  Stmt *s = stmt_new(k->ir, STMT_FOR, NO_SPAN);
  s->u.loop.var = expr_var(k->ir, ir_name(k->ir, "i"), type_scalar(k->ir, DT_INDEX), NO_SPAN);
  s->u.loop.start = expr_index(k->ir, 0);
  s->u.loop.stop = expr_index(k->ir, 4);
  s->u.loop.step = expr_index(k->ir, 1);
  Expr *result = fresh(k, arg->type);
  s->u.loop.iter_args = COPY_ARRAY(k->ir->arena, Expr *, &arg, 1);
  s->u.loop.results = COPY_ARRAY(k->ir->arena, Expr *, &result, 1);
  s->u.loop.ncarried = s->u.loop.nresults = 1;
  s->u.loop.body = block_take(k->ir, &body);
  vec_push(to, s);
  keep(k, pool, result);
}

static void random_if(Kernel *k, StmtList *to, Pool *pool, int depth) {
  const Type *t = vec_tile(k, 8 << roll(k, 2), 16);
  Stmt *s = stmt_new(k->ir, STMT_IF, NO_SPAN);
  Expr *n = k->params[2];
  s->u.if_.cond = expr_binary(k->ir, EXPR_GT, n, expr_index(k->ir, 3), DT_BOOL, NO_SPAN);
  s->u.if_.has_else = true;
  for (int branch = 0; branch < 2; branch++) {
    StmtList body = {0};
    Pool inner = *pool;
    random_block(k, &body, &inner, (int)roll(k, 4), depth + 1);
    Expr *value = load(k, &body, fresh(k, t), k->params[0]);
    if (roll(k, 2)) value = unary(k, &body, fresh(k, t), OP_TILE_EXP, value);
    vec_push(&body, stmt_yield(k->ir, &value, 1, NO_SPAN));
    *(branch ? &s->u.if_.else_body : &s->u.if_.then_body) = block_take(k->ir, &body);
  }
  Expr *result = fresh(k, t);
  s->u.if_.results = COPY_ARRAY(k->ir->arena, Expr *, &result, 1);
  s->u.if_.nresults = 1;
  vec_push(to, s);
  keep(k, pool, result);
}

static void random_block(Kernel *k, StmtList *to, Pool *pool, int len, int depth) {
  for (int i = 0; i < len; i++) {
    uint64_t what = roll(k, depth < 3 ? 12 : 10);
    if (what < 3) {
      keep(k, pool, load(k, to, fresh(k, vec_tile(k, 8 << roll(k, 3), 16)), k->params[0]));
    } else if (what < 6) {
      Expr *a = pick(k, pool), *b = same_shape(k, pool, a);
      keep(k, pool, add(k, to, fresh(k, a->type), a, b ? b : a));
    } else if (what < 8) {
      Expr *a = pick(k, pool);
      keep(k, pool, unary(k, to, fresh(k, a->type), roll(k, 2) ? OP_TILE_RECIP : OP_TILE_EXP, a));
    } else if (what < 10) {
      store(k, to, pick(k, pool), k->params[1]);
    } else if (what == 10) {
      random_loop(k, to, pool, depth);
    } else {
      random_if(k, to, pool, depth);
    }
  }
}

static Program *random_kernel(Kernel *k, uint64_t seed) {
  mt64_seed(&k->random, seed);
  param(k, "x", 64, 16);
  param(k, "out", 64, 16);
  k->params[k->nparams++] = named(k, "n", type_scalar(k->ir, DT_INDEX));
  Pool pool = {0};
  keep(k, &pool, load(k, &k->body, fresh(k, vec_tile(k, 16, 16)), k->params[0]));
  random_block(k, &k->body, &pool, 4 + (int)roll(k, 30), 0);
  for (int i = 0; i < pool.n; i++) store(k, &k->body, pool.tiles[i], k->params[1]);
  return finish(k);
}

static void plan_random(MemoryPlanner planner) {
  const char *wish = getenv("MEMORY_PLANS");
  int n = wish ? atoi(wish) : 500;
  for (int i = 0; i < n; i++) {
    Kernel k;
    kernel_init(&k, planner);
    uint64_t seed = (uint64_t)i * 2 + (uint64_t)planner;
    Program *p = plan(&k, random_kernel(&k, seed));
    bool ok = p && verify_memory_plan(&k.ctx, p);
    if (!ok && p) {
      Buf b = {0};
      print_program(&b, k.ir, p, &(PrintOptions){0});
      fputs(buf_str(&b), stderr);
      buf_free(&b);
    }
    ck_assert_msg(ok, "unsafe plan for seed %llu: %s", (unsigned long long)seed,
                  fixture_messages(&k.fx));
    kernel_free(&k);
  }
}

START_TEST(test_random_pypto) { plan_random(PLANNER_PYPTO); }
END_TEST

START_TEST(test_random_dsa) { plan_random(PLANNER_DSA_RP); }
END_TEST

/* ---------------------------------------------------------------- parts */

START_TEST(test_stages_are_read) {
  PipeStage s[4];
  ck_assert_int_eq(parse_stages("3:1;12:0", s, 4), 2);
  ck_assert_int_eq(s[0].group, 3);
  ck_assert_int_eq(s[0].stage, 1);
  ck_assert_int_eq(s[1].group, 12);
  ck_assert_int_eq(parse_stages("x:1;2:y;4:5z;7:8", s, 4), 1);
  ck_assert_int_eq(s[0].group, 7);
  ck_assert_int_eq(parse_stages("", s, 4), 0);
}
END_TEST

/* The values are those of the C++ standard library for the same seed. */
START_TEST(test_random_numbers) {
  Mt64 r;
  mt64_seed(&r, 5489);
  uint64_t last = 0;
  for (int i = 0; i < 10000; i++) last = mt64_next(&r);
  ck_assert_uint_eq(last, UINT64_C(9981545732273789042));
  uint32_t v[5] = {0, 1, 2, 3, 4};
  bool seen[5] = {false};
  mt64_shuffle(&r, v, 5);
  for (int i = 0; i < 5; i++) seen[v[i]] = true;
  for (int i = 0; i < 5; i++) ck_assert(seen[i]);
}
END_TEST

START_TEST(test_dsa_prefers_cheap_overlaps) {
  /* b may lie over a, but that costs; there is room beside it */
  DsaBuffer buffers[] = {{.size = 64, .begin = 1, .end = 3}, {.size = 64, .begin = 3, .end = 5}};
  DsaPair costs[] = {{0, 1, 1}};
  DsaPool pool = {.capacity = 128, .alignment = 32};
  DsaProblem p = {
      .buffers = buffers, .pools = &pool, .costs = costs, .nbuffers = 2, .npools = 1, .ncosts = 1};
  uint64_t at[2];
  uint32_t full;
  ck_assert(dsa_solve(&p, at, &full));
  ck_assert_uint_ne(at[0], at[1]);
  pool.capacity = 64; /* now there is not */
  ck_assert(dsa_solve(&p, at, &full));
  ck_assert_uint_eq(at[0], at[1]);
  p.apart = costs; /* and it may not */
  p.napart = 1;
  ck_assert(!dsa_solve(&p, at, &full));
}
END_TEST

enum { DSA_BUFFERS = 40, DSA_PAIRS = DSA_BUFFERS * DSA_BUFFERS };

/* A problem with groups and kinds, and the same with its costs written down pair by pair. */
static void random_problem(Kernel *k, DsaProblem *kinds, DsaProblem *pairs) {
  DsaBuffer *b = NEW_ARRAY(k->ir->arena, DsaBuffer, DSA_BUFFERS), *plain;
  DsaPair *costs = NEW_ARRAY(k->ir->arena, DsaPair, DSA_PAIRS);
  DsaPool *pool = NEW(k->ir->arena, DsaPool);
  bool *costly = NEW_ARRAY(k->ir->arena, bool, 9);
  size_t n = 1 + roll(k, DSA_BUFFERS);
  for (int i = 0; i < 9; i++) costly[i] = roll(k, 2);
  *pool =
      (DsaPool){.capacity = 32 * (12 + roll(k, 60)), .reserved = 32 * roll(k, 2), .alignment = 32};
  for (size_t i = 0; i < n; i++) {
    b[i] = (DsaBuffer){
        .size = 1 + roll(k, 100), .begin = (int64_t)roll(k, 100), .kind = (uint32_t)roll(k, 3)};
    b[i].end = b[i].begin + 1 + (int64_t)roll(k, 20);
    b[i].exclusive = roll(k, 30) == 0;
    b[i].group = b[i].exclusive ? 0 : (uint32_t)roll(k, 3);
  }
  *kinds = (DsaProblem){.buffers = b,
                        .pools = pool,
                        .costly = costly,
                        .nbuffers = n,
                        .npools = 1,
                        .ngroups = 2,
                        .nkinds = 3};
  *pairs = *kinds;
  pairs->buffers = plain = COPY_ARRAY(k->ir->arena, DsaBuffer, b, n);
  pairs->costs = costs;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      if (b[i].group && b[i].group == b[j].group && b[i].end <= b[j].begin &&
          costly[b[i].kind * 3 + b[j].kind])
        costs[pairs->ncosts++] = (DsaPair){(uint32_t)i, (uint32_t)j, 1};
  for (size_t i = 0; i < n; i++) plain[i].group = 0;
}

START_TEST(test_dsa_kinds_are_pairs) {
  Kernel k;
  kernel_init(&k, PLANNER_DSA_RP);
  mt64_seed(&k.random, 7);
  for (int i = 0; i < 300; i++) {
    DsaProblem kinds, pairs;
    uint64_t a[DSA_BUFFERS], b[DSA_BUFFERS];
    uint32_t full;
    random_problem(&k, &kinds, &pairs);
    bool fits = dsa_solve(&kinds, a, &full);
    ck_assert(dsa_solve(&pairs, b, &full) == fits);
    for (size_t j = 0; fits && j < kinds.nbuffers; j++) ck_assert_uint_eq(a[j], b[j]);
    for (size_t j = 0; fits && j < kinds.nbuffers; j++)
      for (size_t m = 0; m < j; m++)
        if (dsa_alive_together(&kinds.buffers[j], &kinds.buffers[m]))
          ck_assert(a[j] + kinds.buffers[j].size <= a[m] || a[m] + kinds.buffers[m].size <= a[j]);
  }
  kernel_free(&k);
}
END_TEST

/* MTE2 carries in, MTE3 out, MTE1 from Mat to the cube's operands; FIX empties the accumulators, V and M
 * compute.  NONE: nothing says who does it. */
START_TEST(test_pipes_of_copies) {
  enum { NONE = -1 };
  static const struct {
    OpCase call;
    int a2, a5;
  } cases[] = {
      {{"tile.load", "G64x64:FP16 [0,0] [16,32] [16,32]", "target_memory=Vec", NULL},
       PIPE_MTE2,
       PIPE_MTE2},
      {{"tile.load", "G64x64:FP16 [0,0] [16,32] [16,32]", "target_memory=Mat", NULL},
       PIPE_MTE2,
       PIPE_MTE2},
      {{"tile.store", "T16x32:FP16@Vec [0,0] G64x64:FP16", NULL, NULL}, PIPE_MTE3, PIPE_MTE3},
      {{"tile.store", "T16x32:FP32@Acc [0,0] G64x64:FP32", NULL, NULL}, PIPE_FIX, PIPE_FIX},
      {{"tile.move", "T16x32:FP16@Mat", "target_memory=Left", NULL}, PIPE_MTE1, PIPE_MTE1},
      {{"tile.move", "T16x32:FP16@Mat", "target_memory=Right", NULL}, PIPE_MTE1, PIPE_MTE1},
      {{"tile.move", "T16x32:FP32@Acc", "target_memory=Mat", NULL}, PIPE_FIX, PIPE_FIX},
      {{"tile.move", "T16x32:FP32@Acc", "target_memory=Vec", NULL}, NONE, PIPE_FIX},
      {{"tile.move", "T16x32:FP16@Vec", "target_memory=Mat", NULL}, NONE, PIPE_MTE3},
      {{"tile.move", "T16x32:FP16@Vec", "target_memory=Vec", NULL}, PIPE_V, PIPE_V},
      {{"tile.move", "T16x32:FP16@Vec", "target_memory=Left", NULL}, NONE, NONE},
      {{"tile.add", "T16x32:FP32@Vec T16x32:FP32@Vec", NULL, NULL}, PIPE_V, PIPE_V},
      {{"tile.matmul", "T16x32:FP16@Left T32x16:FP16@Right", NULL, NULL}, PIPE_M, PIPE_M},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Fixture f;
    fixture_init(&f);
    const OpCase *c = &cases[i].call;
    Expr *call = op_spec_call(&f, c);
    ck_assert_msg(call != NULL, "%s %s: %s", c->op, c->args, fixture_messages(&f));
    for (int chip = 0; chip < 2; chip++) {
      const char *name = chip ? "ascend950" : "ascend910b";
      int wanted = chip ? cases[i].a5 : cases[i].a2;
      PipeKind pipe;
      int got = call_pipe(target_by_name(name), call, &pipe) ? (int)pipe : NONE;
      ck_assert_msg(got == wanted, "%s %s %s on %s: pipe %d, not %d", c->op, c->args,
                    c->kwargs ? c->kwargs : "", name, got, wanted);
    }
    fixture_free(&f);
  }
}
END_TEST

Suite *suite_memory(void) {
  Suite *s = suite_create("memory");
  TCase *t = tcase_create("places");
  tcase_add_test(t, test_numbers_and_sizes);
  tcase_add_test(t, test_pipes_of_copies);
  tcase_add_test(t, test_slices_move);
  tcase_add_test(t, test_reuse_after_last_use);
  tcase_add_test(t, test_carried_tiles_stay);
  tcase_add_test(t, test_too_much_is_an_error);
  tcase_add_test(t, test_check_finds_overwriting);
  tcase_add_test(t, test_check_finds_forbidden_alias);
  tcase_add_test(t, test_stages_are_read);
  tcase_add_test(t, test_random_numbers);
  tcase_add_test(t, test_dsa_prefers_cheap_overlaps);
  tcase_add_test(t, test_dsa_kinds_are_pairs);
  suite_add_tcase(s, t);
  TCase *random = tcase_create("random");
  tcase_set_timeout(random, 300);
  tcase_add_test(random, test_random_pypto);
  tcase_add_test(random, test_random_dsa);
  suite_add_tcase(s, random);
  return s;
}
