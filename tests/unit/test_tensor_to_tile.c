/* Each row of the operator conversion table: a kernel of one operator, and the tile operators that it becomes. */
#include <string.h>

#include "arith/lend.h"
#include "base/buf.h"
#include "ir/visit.h"
#include "op_spec.h"
#include "passes/pass.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A call (`result`: the operators of the kernel in order, those that give a tile outside Vec with its space, loops as
 * "for( .. )"); the operands that the kernel computes itself, bit i for operand i: the others are parameters; and the
 * target, NULL for ascend910b. */
typedef struct Case {
  OpCase call;
  unsigned computed;
  const char *target;
} Case;

static const Case cases[] = {
#include "tensor_to_tile.def"
};

/* The rows' operators. */
static const OpId rows[] = {
#define RENAME(from, to) OP_##from,
#define CONVERT(from, fn) OP_##from,
#define WANT(from, operand, space, keyword)
#include "passes/tensor_to_tile/conversions.def"
#undef RENAME
#undef CONVERT
#undef WANT
};

/* Operands that a row wants in a space. */
static const struct {
  OpId op;
  int operand;
  MemSpace space;
} wanted[] = {
#define RENAME(from, to)
#define CONVERT(from, fn)
#define WANT(from, operand, space, keyword) {OP_##from, operand, space},
#include "passes/tensor_to_tile/conversions.def"
#undef RENAME
#undef CONVERT
#undef WANT
};

/* ---------------------------------------------------------------- the kernel */

/* Parameters are the variables of the call; tiles and computed tensors are made before it. */
typedef struct Kernel {
  Ir *ir;
  Map seen;
  Map computed; /* variables */
  VEC(Expr *) params;
  StmtList body;
} Kernel;

static void make(Kernel *k, Expr *var) {
  const Type *t = var->type;
  Expr *shape = expr_tuple(k->ir, t->shape, t->rank, NO_SPAN);
  AttrList kw = attr_with(k->ir, (AttrList){0}, ir_name(k->ir, "dtype"), attr_of_dtype(t->dtype));
  if (type_is_tile(t)) kw = attr_with(k->ir, kw, ir_name(k->ir, "target_memory"), attr_of_enum(ENUM_MEM, t->space));
  OpId op = type_is_tile(t) ? OP_TILE_CREATE : OP_TENSOR_CREATE;
  vec_push(&k->body, stmt_assign(k->ir, var, op_call_id(k->ir, op, &shape, 1, kw, NO_SPAN), NO_SPAN));
}

static bool note_var(Visitor *v, Expr *e) {
  Kernel *k = v->ctx;
  if (e->kind != EXPR_VAR || !map_set(&k->seen, e, e)) return true;
  for (int i = 0; i < e->type->rank; i++) visit_expr(v, e->type->shape[i]);
  if (type_is_tile(e->type) || map_has(&k->computed, e))
    make(k, e);
  else
    vec_push(&k->params, e);
  return true;
}

/* Returns the tensors of the call's result. */
static void return_result(Kernel *k, Expr *call, Function *f) {
  Ir *ir = k->ir;
  const Type *t = call->type;
  if (t->kind == TYPE_UNKNOWN || t->kind == TYPE_VOID) {
    vec_push(&k->body, stmt_eval(ir, call, NO_SPAN));
    return;
  }
  Expr *var = expr_var(ir, ir_name(ir, "result"), t, NO_SPAN);
  vec_push(&k->body, stmt_assign(ir, var, call, NO_SPAN));
  if (!type_is_tensor(t)) return;
  /* A value computed from a window is a tensor of this rank's. */
  if (t->kind == TYPE_DIST_TENSOR) t = type_tensor(ir, t->shape, t->rank, t->dtype);
  f->returns = COPY_ARRAY(ir->arena, const Type *, &t, 1);
  f->nreturns = 1;
  vec_push(&k->body, stmt_return(ir, &var, 1, NO_SPAN));
}

static Program *kernel_of(Ir *ir, Expr *call, unsigned computed) {
  Kernel k = {.ir = ir};
  for (int i = 0; i < call->u.call.nargs; i++)
    if (computed >> i & 1) map_set(&k.computed, call->u.call.args[i], map_int(1));
  Function f = {.name = ir_name(ir, "kernel"), .type = FUNC_INCORE};
  Visitor v = {.ctx = &k, .expr = note_var};
  visit_expr(&v, call);
  return_result(&k, call, &f);
  f.nparams = (int)k.params.len;
  f.params = vec_to_arena(&k.params, ir->arena);
  f.dirs = NEW_ARRAY(ir->arena, ParamDir, f.nparams + 1);
  f.body = block_take(ir, &k.body);
  map_free(&k.seen);
  map_free(&k.computed);
  Function *funcs[] = {func_copy(ir, &f)};
  return program_new(ir, ir_name(ir, "P"), funcs, 1, NO_SPAN);
}

/* ---------------------------------------------------------------- what came out */

static void word(Buf *out, const char *text) { buf_printf(out, "%s%s", out->len ? " " : "", text); }

static bool tell_expr(Visitor *v, Expr *e) {
  Buf *out = v->ctx;
  if (!expr_op(e)) return true;
  word(out, e->u.call.op->name);
  MemSpace space = type_is_tile(e->type) ? e->type->space : MEM_NONE;
  if (space != MEM_NONE && space != MEM_VEC) buf_printf(out, ":%s", mem_name(space));
  return true;
}

static bool tell_stmt(Visitor *v, Stmt *s) {
  if (s->kind == STMT_FOR) word(v->ctx, "for(");
  return true;
}

static void tell_end(Visitor *v, Stmt *s) {
  if (s->kind == STMT_FOR) word(v->ctx, ")");
}

/* A case at work. */
typedef struct Run {
  Fixture f;
  Expr *call;
  Program *program; /* converted */
} Run;

static void run(Run *r, const Case *c) {
  fixture_init(&r->f);
  arith_lend(&r->f.ir);
  CompileOptions opts = {.target = target_by_name(c->target ? c->target : "ascend910b")};
  PassCtx ctx = {.ir = &r->f.ir, .opts = &opts};
  r->call = op_spec_call(&r->f, &c->call);
  ck_assert_msg(r->call != NULL, "%s %s: %s", c->call.op, c->call.args, fixture_messages(&r->f));
  r->program = convert_tensor_to_tile_ops(&ctx, kernel_of(&r->f.ir, r->call, c->computed));
  ck_assert_msg(r->program != NULL, "%s %s: %s", c->call.op, c->call.args, fixture_messages(&r->f));
}

static void run_end(Run *r) {
  arith_take_back(&r->f.ir);
  fixture_free(&r->f);
}

static void check(const Case *c) {
  Run r;
  run(&r, c);
  Buf out = {0};
  Visitor v = {.ctx = &out, .expr = tell_expr, .stmt = tell_stmt, .stmt_end = tell_end};
  visit_block(&v, r.program->funcs[0]->body);
  const char *got = out.len ? buf_str(&out) : "";
  ck_assert_msg(strcmp(got, c->call.result) == 0, "%s %s %s\n  becomes  %s\n  not      %s", c->call.op,
                c->call.args, c->call.kwargs ? c->call.kwargs : "", got, c->call.result);
  buf_free(&out);
  run_end(&r);
}

START_TEST(each_operator_becomes_these) {
  for (size_t i = 0; i < COUNT(cases); i++) check(&cases[i]);
}
END_TEST

static const Case *case_of(const char *op) {
  for (size_t i = 0; i < COUNT(cases); i++)
    if (strcmp(cases[i].call.op, op) == 0) return &cases[i];
  return NULL;
}

START_TEST(each_row_has_a_case) {
  Fixture f;
  fixture_init(&f);
  for (size_t i = 0; i < COUNT(rows); i++)
    ck_assert_msg(case_of(op_get(&f.ir, rows[i])->name) != NULL, "no case of %s", op_get(&f.ir, rows[i])->name);
  fixture_free(&f);
}
END_TEST

/* A load of `tensor` into `space`. */
typedef struct Load {
  const Expr *tensor;
  MemSpace space;
  bool found;
} Load;

static bool find_load(Visitor *v, Expr *e) {
  Load *l = v->ctx;
  l->found |= expr_is_op(e, OP_TILE_LOAD) && e->u.call.args[0] == l->tensor && e->type->space == l->space;
  return true;
}

static bool loads(const Case *c, int operand, MemSpace space) {
  Run r;
  run(&r, c);
  bool has = operand < r.call->u.call.nargs && type_is_tensor(r.call->u.call.args[operand]->type);
  Load l = {has ? r.call->u.call.args[operand] : NULL, space, false};
  Visitor v = {.ctx = &l, .expr = find_load};
  if (has) visit_block(&v, r.program->funcs[0]->body);
  run_end(&r);
  return l.found;
}

START_TEST(each_wanted_operand_is_loaded_there) {
  Fixture f;
  fixture_init(&f);
  for (size_t i = 0; i < COUNT(wanted); i++) {
    const Op *op = op_get(&f.ir, wanted[i].op);
    bool found = op->family == FAMILY_TILE; /* whose operands are tiles already */
    for (size_t k = 0; !found && k < COUNT(cases); k++)
      found = strcmp(cases[k].call.op, op->name) == 0 && loads(&cases[k], wanted[i].operand, wanted[i].space);
    ck_assert_msg(found, "no case of %s loads operand %d into %s", op->name, wanted[i].operand,
                  mem_name(wanted[i].space));
  }
  fixture_free(&f);
}
END_TEST

Suite *suite_tensor_to_tile(void) {
  Suite *s = suite_create("tensor_to_tile");
  TCase *t = tcase_create("conversions");
  tcase_add_test(t, each_operator_becomes_these);
  tcase_add_test(t, each_row_has_a_case);
  tcase_add_test(t, each_wanted_operand_is_loaded_there);
  suite_add_tcase(s, t);
  return s;
}
