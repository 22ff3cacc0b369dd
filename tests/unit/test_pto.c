/* Kernels as PTO text, from IR built here. */
#include <string.h>

#include "codegen/codegen.h"
#include "ir/op.h"
#include "unit.h"

typedef struct Kernel {
  Fixture fx;
  Ir *ir;
  StmtList body;
  Expr *params[8];
  int nparams;
  FuncType type;
  CompileOptions opts;
  ArtifactList files;
} Kernel;

static void kernel_init(Kernel *k) {
  *k = (Kernel){.type = FUNC_AIV};
  fixture_init(&k->fx);
  k->ir = &k->fx.ir;
  k->opts = (CompileOptions){.target = target_by_name("ascend910b"), .planner = PLANNER_PYPTO};
}

static void kernel_free(Kernel *k) {
  artifacts_free(&k->files);
  fixture_free(&k->fx);
}

static Expr *param(Kernel *k, const char *name, const Type *t) {
  return k->params[k->nparams++] = expr_var(k->ir, ir_name(k->ir, name), t, NO_SPAN);
}

static const Type *tensor(Kernel *k, Expr *rows, int cols, DType t) {
  Expr *shape[] = {rows, expr_index(k->ir, cols)};
  return type_tensor(k->ir, shape, 2, t);
}

static const Type *tile_at(Kernel *k, int rows, int cols, DType t, Expr *base, int64_t offset) {
  Expr *shape[] = {expr_index(k->ir, rows), expr_index(k->ir, cols)};
  MemRef m = {.base = base,
              .offset = expr_int(k->ir, offset, DT_INT64, NO_SPAN),
              .size = (uint64_t)(rows * cols * dtype_get_byte(t)),
              .slots = 1};
  return type_with_memref(k->ir, type_tile(k->ir, shape, 2, t, MEM_VEC), memref_intern(k->ir, &m));
}

static Expr *alloc(Kernel *k, const char *name) {
  return expr_var(k->ir, ir_name(k->ir, name), type_simple(k->ir, TYPE_PTR), NO_SPAN);
}

static Expr *var(Kernel *k, const char *name, const Type *t) {
  return expr_var(k->ir, ir_name(k->ir, name), t, NO_SPAN);
}

static Expr *index_of(Kernel *k, int64_t v) { return expr_int(k->ir, v, DT_INDEX, NO_SPAN); }

static Expr *list(Kernel *k, Expr *a, Expr *b) {
  Expr *e[] = {a, b};
  return expr_tuple(k->ir, e, 2, NO_SPAN);
}

static Expr *call(Kernel *k, OpId op, const Type *t, Expr *const *args, int n) {
  return expr_call_op(k->ir, op_get(k->ir, op), args, n, (AttrList){0}, t, NO_SPAN);
}

static void assign(Kernel *k, StmtList *to, Expr *v, Expr *value) {
  vec_push(to, stmt_assign(k->ir, v, value, NO_SPAN));
}

/* t = tile.load(x, [row, 0], [rows, cols]) */
static void load(Kernel *k, StmtList *to, Expr *t, Expr *x, Expr *row) {
  Expr *args[] = {x, list(k, row, index_of(k, 0)), list(k, t->type->shape[0], t->type->shape[1])};
  assign(k, to, t, call(k, OP_TILE_LOAD, t->type, args, 3));
}

static void store(Kernel *k, StmtList *to, Expr *t, Expr *out) {
  Expr *args[] = {t, list(k, index_of(k, 0), index_of(k, 0)), out};
  vec_push(to, stmt_eval(k->ir, call(k, OP_TILE_STORE, out->type, args, 3), NO_SPAN));
}

/* The text of the kernel, or NULL after errors. */
static const char *written(Kernel *k) {
  Ir *ir = k->ir;
  Function f = {.name = ir_name(ir, "k"),
                .type = k->type,
                .params = k->params,
                .nparams = k->nparams,
                .body = block_take(ir, &k->body)};
  Function *funcs[] = {func_copy(ir, &f)};
  Program *p = program_new(ir, ir_name(ir, "P"), funcs, 1, NO_SPAN);
  CodegenCtx ctx = {.ir = ir, .opts = &k->opts, .source_path = "a.pir"};
  if (!codegen_pto(&ctx, p, &k->files)) {
    ck_assert_uint_eq(k->files.len, 0);
    return NULL;
  }
  ck_assert_uint_eq(k->files.len, 1);
  return buf_str(&k->files.data[0].text);
}

static void expect_lines(const char *text, const char *lines) {
  ck_assert_ptr_nonnull(text);
  ck_assert_msg(strstr(text, lines), "missing:\n%s\nin:\n%s", lines, text);
}

static void expect_error(Kernel *k, const char *words) {
  ck_assert_ptr_null(written(k));
  const char *said = fixture_messages(&k->fx);
  ck_assert_msg(strstr(said, words), "missing: %s\nin: %s", words, said);
}

#define TILE(t, rows, cols)                                         \
  "!pto.tile_buf<loc=vec, dtype=" t ", rows=" #rows ", cols=" #cols \
  ", v_row=?, v_col=?, blayout=row_major, slayout=none_box, fractal=512, pad=0>"

START_TEST(kernel_is_written_whole) {
  Kernel k;
  kernel_init(&k);
  Expr *x = param(&k, "x", tensor(&k, index_of(&k, 8), 16, DT_FP32));
  Expr *out = param(&k, "out", tensor(&k, index_of(&k, 8), 16, DT_FP32));
  const Type *t = tile_at(&k, 8, 16, DT_FP32, alloc(&k, "m"), 64);
  Expr *a = var(&k, "a", t), *b = var(&k, "b", t);
  load(&k, &k.body, a, x, index_of(&k, 0));
  Expr *args[] = {a, expr_float(k.ir, 2.0, DT_FP32, NO_SPAN)};
  assign(&k, &k.body, b, call(&k, OP_TILE_MULS, t, args, 2));
  store(&k, &k.body, b, out);
  ck_assert_str_eq(
      written(&k),
      "module attributes {pto.target_arch = \"a2a3\"} {\n"
      "  func.func @k(%arg0: !pto.ptr<f32>, %arg1: !pto.ptr<f32>) attributes {pto.kernel_kind = "
      "#pto.kernel_kind<vector>} {\n"
      "  %c64_i64 = arith.constant 64 : i64\n"
      "  %c8_index = arith.constant 8 : index\n"
      "  %c16_index = arith.constant 16 : index\n"
      "  %c1_index = arith.constant 1 : index\n"
      "  %c0_index = arith.constant 0 : index\n"
      "  %cst_5 = arith.constant 2.00000000000000000e+00 : f32\n"
      "  %x_view = pto.make_tensor_view %arg0, shape = [%c8_index, %c16_index], strides = [%c16_index, "
      "%c1_index] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>\n"
      "  %out_view = pto.make_tensor_view %arg1, shape = [%c8_index, %c16_index], strides = "
      "[%c16_index, %c1_index] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>\n"
      "  %a = pto.alloc_tile addr = %c64_i64 valid_row = %c8_index valid_col = %c16_index : " TILE(
          "f32", 8, 16) "\n"
      "  %x_pview = pto.partition_view %x_view, offsets = [%c0_index, %c0_index], sizes = [%c8_index, "
      "%c16_index] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x16xf32>\n"
      "  pto.tload ins(%x_pview : !pto.partition_tensor_view<8x16xf32>) outs(%a : " TILE(
          "f32", 8, 16) ")\n"
      "  %b = pto.alloc_tile addr = %c64_i64 valid_row = %c8_index valid_col = %c16_index : " TILE(
          "f32", 8, 16) "\n"
      "  pto.tmuls ins(%a, %cst_5 : " TILE("f32", 8, 16) ", f32) outs(%b : " TILE("f32", 8, 16) ")\n"
      "  %out_pview = pto.partition_view %out_view, offsets = [%c0_index, %c0_index], sizes = "
      "[%c8_index, %c16_index] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x16xf32>\n"
      "  pto.tstore ins(%b : " TILE("f32", 8, 16) ") outs(%out_pview : "
      "!pto.partition_tensor_view<8x16xf32>)\n"
      "  return\n"
      "  }\n"
      "}\n");
  ck_assert_str_eq(k.files.data[0].path, "kernels/aiv/k.pto");
  kernel_free(&k);
}
END_TEST

START_TEST(without_addresses_a_buffer_has_one_handle) {
  Kernel k;
  kernel_init(&k);
  k.opts.planner = PLANNER_PTOAS;
  Expr *x = param(&k, "x", tensor(&k, index_of(&k, 8), 16, DT_FP32));
  const Type *t = tile_at(&k, 8, 16, DT_FP32, alloc(&k, "m"), -1);
  Expr *a = var(&k, "a", t), *b = var(&k, "b", t);
  load(&k, &k.body, a, x, index_of(&k, 0));
  assign(&k, &k.body, b, call(&k, OP_TILE_EXP, t, &a, 1));
  const char *text = written(&k);
  expect_lines(text, "  %a = pto.alloc_tile valid_row = %c8_index valid_col = %c16_index : ");
  expect_lines(text,
               "  pto.texp ins(%a : " TILE("f32", 8, 16) ") outs(%a : " TILE("f32", 8, 16) ")\n");
  ck_assert_ptr_null(strstr(text, "%b"));
  kernel_free(&k);
}
END_TEST

START_TEST(dynamic_dimensions_are_parameters) {
  Kernel k;
  kernel_init(&k);
  Expr *n = var(&k, "N", type_scalar(k.ir, DT_INDEX));
  Expr *x = param(&k, "x", tensor(&k, n, 16, DT_FP16));
  Expr *row = param(&k, "row", type_scalar(k.ir, DT_INT32));
  Expr *a = var(&k, "a", tile_at(&k, 8, 16, DT_FP16, alloc(&k, "m"), 0));
  load(&k, &k.body, a, x, row);
  const char *text = written(&k);
  expect_lines(text, "@k(%arg0: !pto.ptr<f16>, %arg1: i32, %arg2: index)");
  expect_lines(text, "shape = [%arg2, %c16_index], strides = [%c16_index, %c1_index]");
  expect_lines(text,
               "  %row_idx = arith.index_cast %arg1 : i32 to index\n"
               "  %0 = arith.maxsi %row_idx, %c0_index : index\n"
               "  %x_pview = pto.partition_view %x_view, offsets = [%0, %c0_index]");
  kernel_free(&k);
}
END_TEST

/* r = e, r is written to an element of x so that it is needed. */
static const char *scalar_text(Kernel *k, Expr *e) {
  Expr *r = var(k, "r", e->type);
  assign(k, &k->body, r, e);
  return written(k);
}

START_TEST(scalars_are_converted_where_they_meet) {
  Kernel k;
  kernel_init(&k);
  Expr *i = param(&k, "i", type_scalar(k.ir, DT_INDEX));
  Expr *w = param(&k, "w", type_scalar(k.ir, DT_INT32));
  Expr *sum = expr_binary(k.ir, EXPR_ADD, i, w, DT_INDEX, NO_SPAN);
  Expr *mod = expr_binary(k.ir, EXPR_FLOOR_MOD, sum, expr_int(k.ir, 4, DT_INT32, NO_SPAN), DT_INDEX,
                          NO_SPAN);
  expect_lines(scalar_text(&k, expr_binary(k.ir, EXPR_LE, mod, i, DT_BOOL, NO_SPAN)),
               "  %0 = arith.index_cast %arg1 : i32 to index\n"
               "  %1 = arith.addi %arg0, %0 : index\n"
               "  %2 = arith.remsi %1, %c4_index : index\n"
               "  %3 = arith.cmpi sle, %2, %arg0 : index\n");
  kernel_free(&k);
}
END_TEST

START_TEST(unsigned_casts_need_a_bridge) {
  Kernel k;
  kernel_init(&k);
  Expr *i = param(&k, "i", type_scalar(k.ir, DT_INDEX));
  Expr *u = expr_cast(k.ir, i, DT_UINT32, NO_SPAN);
  const char *text = scalar_text(
      &k,
      expr_binary(k.ir, EXPR_MAX, u, expr_int(k.ir, 7, DT_UINT32, NO_SPAN), DT_UINT32, NO_SPAN));
  expect_lines(text,
               "  %2 = arith.constant 7 : i32\n"
               "  %c7_ui32 = builtin.unrealized_conversion_cast %2 : i32 to ui32\n");
  expect_lines(text,
               "  %1 = arith.index_cast %arg0 : index to i32\n"
               "  %0 = builtin.unrealized_conversion_cast %1 : i32 to ui32\n"
               "  %3 = arith.maxui %0, %c7_ui32 : ui32\n");
  kernel_free(&k);
}
END_TEST

START_TEST(unary_operators) {
  Kernel k;
  kernel_init(&k);
  Expr *x = param(&k, "x", type_scalar(k.ir, DT_FP32));
  Expr *i = param(&k, "i", type_scalar(k.ir, DT_INT64));
  assign(&k, &k.body, var(&k, "a", x->type), expr_unary(k.ir, EXPR_NEG, x, DT_FP32, NO_SPAN));
  assign(&k, &k.body, var(&k, "b", i->type), expr_unary(k.ir, EXPR_NEG, i, DT_INT64, NO_SPAN));
  assign(&k, &k.body, var(&k, "c", i->type), expr_unary(k.ir, EXPR_BIT_NOT, i, DT_INT64, NO_SPAN));
  assign(&k, &k.body, var(&k, "d", type_scalar(k.ir, DT_BOOL)),
         expr_unary(k.ir, EXPR_NOT, i, DT_BOOL, NO_SPAN));
  expect_lines(written(&k),
               "  %0 = arith.negf %arg0 : f32\n"
               "  %2 = arith.constant 0 : i64\n"
               "  %1 = arith.subi %2, %arg1 : i64\n"
               "  %3 = arith.constant -1 : i64\n"
               "  %4 = arith.xori %arg1, %3 : i64\n"
               "  %5 = arith.constant 0 : i64\n"
               "  %6 = arith.cmpi eq, %arg1, %5 : i64\n");
  kernel_free(&k);
}
END_TEST

/* for i in range(0, stop, step): carried by `arg` if not NULL */
static Stmt *loop(Kernel *k, Expr *i, Expr *stop, int64_t step, StmtList *body) {
  Stmt *s = stmt_new(k->ir, STMT_FOR, NO_SPAN);
  s->u.loop.var = i;
  s->u.loop.start = index_of(k, 0);
  s->u.loop.stop = stop;
  s->u.loop.step = index_of(k, step);
  s->u.loop.body = block_take(k->ir, body);
  return s;
}

START_TEST(loops_carry_scalars) {
  Kernel k;
  kernel_init(&k);
  const Type *index = type_scalar(k.ir, DT_INDEX);
  Expr *i = var(&k, "i", index), *result = var(&k, "last", index);
  Expr *arg = expr_iter_arg(k.ir, ir_name(k.ir, "acc"), index, index_of(&k, 0), NO_SPAN);
  Expr *next = expr_binary(k.ir, EXPR_ADD, arg, i, DT_INDEX, NO_SPAN);
  StmtList body = {0};
  vec_push(&body, stmt_yield(k.ir, &next, 1, NO_SPAN));
  Stmt *s = loop(&k, i, index_of(&k, 4), 1, &body);
  s->u.loop.iter_args = &arg;
  s->u.loop.results = &result;
  s->u.loop.ncarried = s->u.loop.nresults = 1;
  vec_push(&k.body, s);
  expect_lines(written(&k),
               "  %last = scf.for %i = %c0_index to %c4_index step %c1_index iter_args(%acc = "
               "%c0_index) -> (index) {\n"
               "    %0 = arith.addi %acc, %i : index\n"
               "    scf.yield %0 : index\n"
               "  }\n");
  kernel_free(&k);
}
END_TEST

START_TEST(branches_give_scalars) {
  Kernel k;
  kernel_init(&k);
  const Type *index = type_scalar(k.ir, DT_INDEX);
  Expr *flag = param(&k, "flag", type_scalar(k.ir, DT_BOOL)), *result = var(&k, "n", index);
  Expr *one = index_of(&k, 1), *two = index_of(&k, 2);
  StmtList yes = {0}, no = {0};
  vec_push(&yes, stmt_yield(k.ir, &one, 1, NO_SPAN));
  vec_push(&no, stmt_yield(k.ir, &two, 1, NO_SPAN));
  Stmt *s = stmt_new(k.ir, STMT_IF, NO_SPAN);
  s->u.if_.cond = flag;
  s->u.if_.then_body = block_take(k.ir, &yes);
  s->u.if_.else_body = block_take(k.ir, &no);
  s->u.if_.has_else = true;
  s->u.if_.results = &result;
  s->u.if_.nresults = 1;
  vec_push(&k.body, s);
  expect_lines(written(&k),
               "  %n = scf.if %arg0 -> (index) {\n"
               "    scf.yield %c1_index : index\n"
               "  } else {\n"
               "    scf.yield %c2_index : index\n"
               "  }\n");
  kernel_free(&k);
}
END_TEST

START_TEST(names_are_made_safe_and_unique) {
  Kernel k;
  kernel_init(&k);
  const Type *index = type_scalar(k.ir, DT_INDEX);
  Expr *lane = var(&k, "1 lane", index), *again = var(&k, "1 lane", index);
  assign(&k, &k.body, lane, call(&k, OP_TILE_GET_BLOCK_IDX, index, NULL, 0));
  assign(&k, &k.body, again, call(&k, OP_TILE_GET_SUBBLOCK_IDX, index, NULL, 0));
  const char *text = written(&k);
  expect_lines(text,
               "@k(%__pypto_spmd_block_idx: i32, %__pypto_spmd_block_num: i32, "
               "%__pypto_spmd_subblock_idx: i32)");
  expect_lines(text,
               "  %_1_lane = arith.index_cast %__pypto_spmd_block_idx : i32 to index\n"
               "  %0 = arith.index_cast %__pypto_spmd_subblock_idx : i32 to index\n");
  kernel_free(&k);
}
END_TEST

START_TEST(locations_are_escaped) {
  Kernel k;
  kernel_init(&k);
  k.opts.locations = true;
  vec_push(&k.body,
           stmt_eval(k.ir, call(&k, OP_SYSTEM_BAR_ALL, type_void(k.ir), NULL, 0), (Span){3, 9}));
  Ir *ir = k.ir;
  Function f = {.name = ir_name(ir, "k"), .type = FUNC_AIC, .body = block_take(ir, &k.body)};
  Function *funcs[] = {func_copy(ir, &f)};
  Program *p = program_new(ir, ir_name(ir, "P"), funcs, 1, NO_SPAN);
  CodegenCtx ctx = {.ir = ir, .opts = &k.opts, .source_path = "a \"b\"\\\x01.pir"};
  ck_assert(codegen_pto(&ctx, p, &k.files));
  ck_assert_str_eq(k.files.data[0].path, "kernels/aic/k.pto");
  expect_lines(
      buf_str(&k.files.data[0].text),
      "kernel_kind<cube>} {\n  pto.barrier <PIPE_ALL> loc(\"a \\\"b\\\"\\\\\\01.pir\":3:9)\n");
  kernel_free(&k);
}
END_TEST

START_TEST(loops_count_upward) {
  Kernel k;
  kernel_init(&k);
  StmtList body = {0};
  vec_push(&k.body,
           loop(&k, var(&k, "i", type_scalar(k.ir, DT_INDEX)), index_of(&k, 4), -1, &body));
  expect_error(&k, "must have a positive step, this one steps by -1");
  kernel_free(&k);
}
END_TEST

START_TEST(unknown_symbols_are_refused) {
  Kernel k;
  kernel_init(&k);
  Expr *x = param(&k, "x", tensor(&k, index_of(&k, 8), 16, DT_FP32));
  Expr *a = var(&k, "a", tile_at(&k, 8, 16, DT_FP32, alloc(&k, "m"), 0));
  load(&k, &k.body, a, x, var(&k, "V", type_scalar(k.ir, DT_INDEX)));
  expect_error(&k, "'V' has no value in kernel 'k'");
  kernel_free(&k);
}
END_TEST

START_TEST(operators_outside_kernels_are_refused) {
  Kernel k;
  kernel_init(&k);
  vec_push(&k.body,
           stmt_eval(k.ir, call(&k, OP_TENSOR_CREATE, type_unknown(k.ir), NULL, 0), NO_SPAN));
  expect_error(&k, "'tensor.create' cannot be used in a kernel on ascend910b");
  kernel_free(&k);
}
END_TEST

START_TEST(element_types_of_the_chip) {
  Kernel k;
  kernel_init(&k);
  param(&k, "x", tensor(&k, index_of(&k, 8), 16, DT_FP4));
  expect_error(&k, "kernels on ascend910b cannot hold elements of type FP4");
  kernel_free(&k);
  kernel_init(&k);
  k.opts.target = target_by_name("a5");
  param(&k, "x", tensor(&k, index_of(&k, 8), 16, DT_FP4));
  expect_lines(written(&k), "@k(%arg0: !pto.ptr<!pto.f4E2M1x2>)");
  kernel_free(&k);
}
END_TEST

START_TEST(moves_need_two_places) {
  Kernel k;
  kernel_init(&k);
  const Type *t = tile_at(&k, 8, 16, DT_FP32, alloc(&k, "m"), 0);
  Expr *a = var(&k, "a", t), *b = var(&k, "b", t);
  assign(&k, &k.body, a, call(&k, OP_TILE_CREATE, t, NULL, 0));
  assign(&k, &k.body, b, call(&k, OP_TILE_MOVE, t, &a, 1));
  expect_error(&k, "tile.move needs two places in Vec");
  kernel_free(&k);
}
END_TEST

Suite *suite_pto(void) {
  Suite *s = suite_create("pto");
  TCase *tc = tcase_create("text");
  tcase_add_test(tc, kernel_is_written_whole);
  tcase_add_test(tc, without_addresses_a_buffer_has_one_handle);
  tcase_add_test(tc, dynamic_dimensions_are_parameters);
  tcase_add_test(tc, scalars_are_converted_where_they_meet);
  tcase_add_test(tc, unsigned_casts_need_a_bridge);
  tcase_add_test(tc, unary_operators);
  tcase_add_test(tc, loops_carry_scalars);
  tcase_add_test(tc, branches_give_scalars);
  tcase_add_test(tc, names_are_made_safe_and_unique);
  tcase_add_test(tc, locations_are_escaped);
  tcase_add_test(tc, loops_count_upward);
  tcase_add_test(tc, unknown_symbols_are_refused);
  tcase_add_test(tc, operators_outside_kernels_are_refused);
  tcase_add_test(tc, element_types_of_the_chip);
  tcase_add_test(tc, moves_need_two_places);
  suite_add_tcase(s, tc);
  return s;
}
