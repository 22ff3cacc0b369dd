/* Every instruction of PTO text: each operator written in a kernel of its own, and the texts of
 * tests/cases/pto, checked against the grammar; no instruction of the grammar may be missing. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/codegen.h"
#include "ir/visit.h"
#include "op_spec.h"
#include "pto_check.h"

typedef struct Row {
  const char *inst; /* must occur in the text */
  OpCase call;
  bool a5;
} Row;

#define T "T16x32:FP32@Vec"
#define I "T16x32:INT32@Vec"
#define H "T16x32:INT16@Vec"
#define COL "T16x1:FP32@Vec"
#define ROW "T1x32:FP32@Vec"
#define L "T16x32:FP16@Left"
#define R "T32x16:FP16@Right"
#define ACC "T16x16:FP32@Acc"

static const Row rows[] = {
    {"pto.tadd", {"tile.add", T " " T, NULL, NULL}, false},
    {"pto.tsub", {"tile.sub", T " " T, NULL, NULL}, false},
    {"pto.tmul", {"tile.mul", T " " T, NULL, NULL}, false},
    {"pto.tdiv", {"tile.div", T " " T, "high_precision=True", NULL}, false},
    {"pto.tmax", {"tile.maximum", T " " T, NULL, NULL}, false},
    {"pto.tmin", {"tile.minimum", T " " T, NULL, NULL}, false},
    {"pto.trem", {"tile.rem", T " " T " " T, NULL, NULL}, false},
    {"pto.tfmod", {"tile.fmod", T " " T, NULL, NULL}, false},
    {"pto.tpartadd", {"tile.part_add", T "/8x32 " T, NULL, NULL}, false},
    {"pto.tpartmul", {"tile.part_mul", T " " T, NULL, NULL}, false},
    {"pto.tpartmax", {"tile.part_max", T " " T, NULL, NULL}, false},
    {"pto.tpartmin", {"tile.part_min", T " " T, NULL, NULL}, false},
    {"pto.tadds", {"tile.adds", T "/Nx32 1.5", NULL, NULL}, false},
    {"pto.tmuls", {"tile.muls", T " S:FP32", NULL, NULL}, false},
    {"pto.tdivs", {"tile.divs", T " 2.0", NULL, NULL}, false},
    {"pto.tsubs", {"tile.subs", T " 2.0", NULL, NULL}, false},
    {"pto.trems", {"tile.rems", I " 3:INT32 " I, NULL, NULL}, false},
    {"pto.tfmods", {"tile.fmods", T " 2.0", NULL, NULL}, false},
    {"pto.tmaxs", {"tile.maximums", T " 0.0", NULL, NULL}, false},
    {"pto.tmins", {"tile.minimums", T " 0.0", NULL, NULL}, false},
    {"pto.tshl", {"tile.shl", I " " I, NULL, NULL}, false},
    {"pto.tshr", {"tile.shr", I " " I, NULL, NULL}, false},
    {"pto.tand", {"tile.and", H " " H, NULL, NULL}, false},
    {"pto.tor", {"tile.or", H " " H, NULL, NULL}, false},
    {"pto.txor", {"tile.xor", H " " H " " H, NULL, NULL}, false},
    {"pto.tands", {"tile.ands", H " 7:INT16", NULL, NULL}, false},
    {"pto.tors", {"tile.ors", "T16x32:UINT16@Vec 7:UINT16", NULL, NULL}, false},
    {"pto.txors", {"tile.xors", H " S:INT16 " H, NULL, NULL}, false},
    {"pto.tshls", {"tile.shls", I " 3:INT32", NULL, NULL}, false},
    {"pto.tshrs", {"tile.shrs", I " 3:INT32", NULL, NULL}, false},
    {"pto.taddc", {"tile.addc", T " " T " " T, NULL, NULL}, false},
    {"pto.tsubc", {"tile.subc", T " " T " " T, NULL, NULL}, false},
    {"pto.taddsc", {"tile.addsc", T " 1.0 " T, NULL, NULL}, false},
    {"pto.tsubsc", {"tile.subsc", T " 1.0 " T, NULL, NULL}, false},
    {"pto.tprelu", {"tile.prelu", T " " T " T32x32:UINT8@Vec", NULL, NULL}, false},
    {"pto.tlrelu", {"tile.lrelu", T " 0.1", NULL, NULL}, false},
    {"pto.tsel", {"tile.sel", "T16x32:UINT8@Vec " T " " T " T1x32:UINT8@Vec", NULL, NULL}, false},
    {"pto.tsels",
     {"tile.sels", "T16x32:UINT8@Vec/16x4 " I " T1x32:UINT8@Vec 5:INT32", NULL, NULL},
     false},
    {"pto.tcmp", {"tile.cmp", T " " T, "cmp_type=4", NULL}, false},
    {"pto.tcmps", {"tile.cmps", T " 0.0", "cmp_type=1", NULL}, false},
    {"pto.tneg", {"tile.neg", T, NULL, NULL}, false},
    {"pto.tabs", {"tile.abs", T, NULL, NULL}, false},
    {"pto.texp", {"tile.exp", T, NULL, NULL}, false},
    {"pto.tlog", {"tile.log", T, "high_precision=True", NULL}, false},
    {"pto.tsqrt", {"tile.sqrt", T, NULL, NULL}, false},
    {"pto.trsqrt", {"tile.rsqrt", T, NULL, NULL}, false},
    {"pto.trsqrt", {"tile.rsqrt", T " " T, NULL, NULL}, false},
    {"pto.trecip", {"tile.recip", T, NULL, NULL}, false},
    {"pto.trelu", {"tile.relu", T, NULL, NULL}, false},
    {"pto.tnot", {"tile.not", H, NULL, NULL}, false},
    {"pto.tcvt", {"tile.cast", T, "target_type=BF16 mode='round'", NULL}, false},
    {"pto.trowsum", {"tile.row_sum", T " " T, NULL, NULL}, false},
    {"pto.trowmax", {"tile.row_max", T " " T, NULL, NULL}, false},
    {"pto.trowmin", {"tile.row_min", T " " T, NULL, NULL}, false},
    {"pto.trowprod", {"tile.row_prod", T " " T, NULL, NULL}, false},
    {"pto.trowargmax", {"tile.row_argmax", T " " T, NULL, NULL}, false},
    {"pto.trowargmin", {"tile.row_argmin", T " " T, NULL, NULL}, false},
    {"pto.tcolsum", {"tile.col_sum", T, NULL, NULL}, false},
    {"pto.tcolsum", {"tile.col_sum", T " " T, NULL, NULL}, false},
    {"pto.tcolmax", {"tile.col_max", T, NULL, NULL}, false},
    {"pto.tcolmin", {"tile.col_min", T, NULL, NULL}, false},
    {"pto.tcolprod", {"tile.col_prod", T, NULL, NULL}, false},
    {"pto.tcolargmax", {"tile.col_argmax", T " " T, NULL, NULL}, false},
    {"pto.tcolargmin", {"tile.col_argmin", T " " T, NULL, NULL}, false},
    {"pto.trowexpand", {"tile.row_expand", T " " COL, NULL, NULL}, false},
    {"pto.trowexpandadd", {"tile.row_expand_add", T " " COL, NULL, NULL}, false},
    {"pto.trowexpandsub", {"tile.row_expand_sub", T " " COL, NULL, NULL}, false},
    {"pto.trowexpandmul", {"tile.row_expand_mul", T " " COL, NULL, NULL}, false},
    {"pto.trowexpanddiv", {"tile.row_expand_div", T " " COL, NULL, NULL}, false},
    {"pto.trowexpandmax", {"tile.row_expand_max", T " " COL, NULL, NULL}, false},
    {"pto.trowexpandmin", {"tile.row_expand_min", T " " COL, NULL, NULL}, false},
    {"pto.trowexpandexpdif", {"tile.row_expand_expdif", T " " COL, NULL, NULL}, false},
    {"pto.tcolexpand", {"tile.col_expand", T " " ROW, NULL, NULL}, false},
    {"pto.tcolexpandadd", {"tile.col_expand_add", T " " ROW, NULL, NULL}, false},
    {"pto.tcolexpandsub", {"tile.col_expand_sub", T " " ROW, NULL, NULL}, false},
    {"pto.tcolexpandmul", {"tile.col_expand_mul", T " " ROW, NULL, NULL}, false},
    {"pto.tcolexpanddiv", {"tile.col_expand_div", T " " ROW, NULL, NULL}, false},
    {"pto.tcolexpandmax", {"tile.col_expand_max", T " " ROW, NULL, NULL}, false},
    {"pto.tcolexpandmin", {"tile.col_expand_min", T " " ROW, NULL, NULL}, false},
    {"pto.tcolexpandexpdif", {"tile.col_expand_expdif", T " " ROW, NULL, NULL}, false},
    {"pto.tfillpad", {"tile.fillpad", T "/8x20", "pad_value=min", NULL}, false},
    {"pto.tfillpad", {"tile.fillpad_inplace", T "/8x20", "pad_value=zero", NULL}, false},
    {"pto.tfillpad_expand",
     {"tile.fillpad_expand", T "/8x20 [32,64]", "pad_value=max", NULL},
     false},
    {"pto.tconcat", {"tile.concat", T " " T, NULL, NULL}, false},
    {"pto.texpands", {"tile.full", "[16,32] 0.0", "dtype=FP32", NULL}, false},
    {"pto.tci", {"tile.ci", "0:INT32 [1,32]", "dtype=INT32 descending=True", NULL}, false},
    {"pto.ttri", {"tile.tri", "0:INT32 [16,32]", "dtype=INT32 upper=True", NULL}, false},
    {"pto.trandom",
     {"tile.random", "1:INT32 2:INT32 S:INT32 3:INT32 4:INT32 5:INT32 [16,32]",
      "dtype=UINT32 rounds=10", NULL},
     false},
    {"pto.trandom",
     {"tile.random", "1:INT32 2:INT32 S:INT32 3:INT32 4:INT32 5:INT32 [16,32]",
      "dtype=UINT32 rounds=7", NULL},
     false},
    {"pto.ttrans", {"tile.transpose", "T16x16:FP32@Vec 0 1 T16x16:FP32@Vec", NULL, NULL}, false},
    {"pto.tgather", {"tile.gather", T " " I " " I, NULL, NULL}, false},
    {"pto.tgather", {"tile.gather_mask", T, "mask_pattern=1", NULL}, false},
    {"pto.tgather",
     {"tile.gather_compare", I " S:INT32 T1x32:UINT8@Vec", "cmp_mode=0 offset=0 out_cols=16", NULL},
     false},
    {"pto.tgatherb", {"tile.gatherb", T " T16x8:UINT32@Vec", NULL, NULL}, false},
    {"pto.tscatter", {"tile.scatter", T " " T " " I, NULL, NULL}, false},
    {"pto.tscatter", {"tile.scatter_mask", "T16x64:FP32@Vec " T, "mask_pattern=2", NULL}, false},
    {"pto.tsort32", {"tile.sort32", T " T16x32:UINT32@Vec", NULL, NULL}, false},
    {"pto.tmrgsort", {"tile.mrgsort_format1", "T1x256:FP32@Vec 64:INT32", NULL, NULL}, false},
    {"pto.tmrgsort",
     {"tile.mrgsort_format2", "T1x64:FP32@Vec T1x64:FP32@Vec T1x128:FP32@Vec", "exhausted=True",
      NULL},
     false},
    {"pto.tmrgsort",
     {"tile.mrgsort_format2", "T1x64:FP32@Vec T1x64:FP32@Vec T1x64:FP32@Vec T1x192:FP32@Vec",
      "exhausted=False", NULL},
     false},
    {"pto.tmrgsort",
     {"tile.mrgsort_format2",
      "T1x64:FP32@Vec T1x64:FP32@Vec T1x64:FP32@Vec T1x64:FP32@Vec T1x256:FP32@Vec",
      "exhausted=False", NULL},
     false},
    {"pto.tmatmul", {"tile.matmul", L " " R, NULL, NULL}, false},
    {"pto.tmatmul.acc", {"tile.matmul_acc", ACC " " L " " R, NULL, NULL}, false},
    {"pto.tmatmul.bias", {"tile.matmul_bias", L " " R " T1x16:FP32@Bias", NULL, NULL}, false},
    {"pto.tgemv", {"tile.gemv", "T1x32:FP16@Left " R, "acc_phase='partial'", NULL}, false},
    {"pto.tgemv.acc",
     {"tile.gemv_acc", "T16x16:FP32@Acc/1x16 T1x32:FP16@Left " R, "acc_phase='final'", NULL},
     false},
    {"pto.tgemv.bias",
     {"tile.gemv_bias", "T1x32:FP16@Left " R " T1x16:FP32@Bias", "acc_phase='unspecified'", NULL},
     false},
    {"pto.tmatmul.mx",
     {"tile.matmul_mx",
      "T16x64:FP8E4M3FN@Left T16x2:FP8E8M0@LeftScale "
      "T64x32:FP8E4M3FN@Right T2x32:FP8E8M0@RightScale",
      NULL, NULL},
     true},
    {"pto.tmatmul.mx.acc",
     {"tile.matmul_mx_acc",
      "T16x32:FP32@Acc T16x64:FP8E4M3FN@Left T16x2:FP8E8M0@LeftScale "
      "T64x32:FP8E4M3FN@Right T2x32:FP8E8M0@RightScale",
      NULL, NULL},
     true},
    {"pto.tmatmul.mx.bias",
     {"tile.matmul_mx_bias",
      "T16x64:FP8E4M3FN@Left T16x2:FP8E8M0@LeftScale "
      "T64x32:FP8E4M3FN@Right T2x32:FP8E8M0@RightScale T1x32:FP32@Bias",
      NULL, NULL},
     true},
    {"pto.tget_scale_addr",
     {"tile.tget_scale_addr", "T16x2:FP8E8M0@LeftScale T16x64:FP8E4M3FN@Left", NULL, NULL},
     true},
    {"pto.tmov", {"tile.move", "T16x32:FP16@Mat", "target_memory=Left", NULL}, false},
    {"pto.textract",
     {"tile.extract", "T64x64:FP16@Mat S:INDEX 16 [16,32]", "target_memory=Left", NULL},
     false},
    {"pto.tinsert", {"tile.assemble", "T32x32:BF16@Mat " ACC " [16,0]", NULL, NULL}, false},
    {"pto.subview", {"tile.assemble", T " T8x32:FP32@Vec [8,0]", NULL, NULL}, false},
    {"pto.subview", {"tile.slice", T " [8,16] [N,0]", NULL, NULL}, false},
    {"pto.set_validshape", {"tile.set_validshape", T " N 16", NULL, NULL}, false},
    {"pto.tload",
     {"tile.load", "G64x32:FP32 [N,0] [16,32] [16,32]", "target_memory=Vec", NULL},
     false},
    {"pto.tstore", {"tile.store", T " [0,0] G64x32:FP32", "atomic=Add", NULL}, false},
    {"pto.tstore", {"tile.store", T " [0,0,0] G2x64x32:FP32 [1,16,32]", NULL, NULL}, false},
    {"pto.mgather", {"tile.mgather", "G64x32:FP32 T1x16:INT32@Vec", "coalesce=0", NULL}, false},
    {"pto.mgather", {"tile.mgather", "G64x32:FP32 " I, "coalesce=1 gather_oob=3", NULL}, false},
    {"pto.mscatter", {"tile.mscatter", T " " I " G64x32:FP32", NULL, NULL}, false},
    {"pto.tgetval", {"tile.read", T " [N,3]", NULL, NULL}, false},
    {"pto.tsetval", {"tile.write", T " [2,N] S:FP32", NULL, NULL}, false},
    {"pto.load_scalar", {"tensor.read", "G64x32:FP32 [N,3]", NULL, NULL}, false},
    {"pto.store_scalar", {"tensor.write", "G64x32:FP32 [2,3] S:FP32", NULL, NULL}, false},
    {"pto.local_array_get", {"array.get_element", "A8:INT32 N", NULL, NULL}, false},
    {"pto.local_array_set", {"array.update_element", "A8:INT32 N S:INT32", NULL, NULL}, false},
    {"arith.index_cast", {"tile.get_block_num", "", NULL, NULL}, false},
    {"pto.barrier", {"system.bar_v", "", NULL, NULL}, false},
    {"pto.barrier", {"system.bar_m", "", NULL, NULL}, false},
    {"pto.cmo.cacheinvalid", {"system.cacheinvalid", "", NULL, NULL}, false},
    {"pto.cmo.cacheinvalid",
     {"system.cacheinvalid", "G64x32:FP32 [16,32] [N,0]", NULL, NULL},
     false},
    {"pto.syncall", {"system.syncall", "", "core_type='mix' mode='hard'", NULL}, false},
    {"pto.syncall",
     {"system.syncall", "G16:INT32 S:INT32", "core_type='aiv_only' mode='soft'", NULL},
     false},
    {"pto.set_ffts", {"system.set_ffts", "G256:INT64", NULL, NULL}, false},
    {"pto.sync.set", {"system.sync_set", "", "pipe=MTE3 event_id=3 ffts_mode=2", NULL}, false},
    {"pto.sync.set", {"system.sync_set", "N", "pipe=V", NULL}, false},
    {"pto.sync.wait", {"system.sync_wait", "", "pipe=MTE2 event_id=3", NULL}, false},
    {"pto.comm.tput",
     {"pld.tile.put", "W64x32:FP32 S:INT32 G64x32:FP32 T8x32:FP32@Vec", "atomic=Add", NULL},
     false},
    {"pto.comm.tget",
     {"pld.tile.get",
      "G64x32:FP32 S:INT32 W64x32:FP32 T8x32:FP32@Vec T8x32:FP32@Vec "
      "[0,0] [N,0] [16,32]",
      NULL, NULL},
     false},
    {"pto.comm.tnotify",
     {"pld.system.notify", "W4x1:INT32 S:INT32 [N,0] 1:INT32", "op=1", NULL},
     false},
    {"pto.comm.twait", {"pld.system.wait", "W4x1:INT32 [N,0] S:INT32", "cmp=1", NULL}, false},
    {"func.call", {"pld.system.defer_wait", "W4x1:INT32 [N,0] S:INT32", "cmp=1", NULL}, false},
};

/* ---- a kernel around one call ---- */

typedef struct Around {
  Fixture *fx;
  Ir *ir;
  StmtList body;
  VEC(Expr *) params;
  Map known; /* variables of the call -> what stands for them */
  int64_t place;
  int windows;
} Around;

static const Type *placed(Around *a, const Type *t) {
  char name[24];
  snprintf(name, sizeof name, "m%d", (int)(a->place >> 16));
  Expr *base = expr_var(a->ir, ir_name(a->ir, name), type_simple(a->ir, TYPE_PTR), NO_SPAN);
  MemRef m = {.base = base,
              .offset = expr_int(a->ir, a->place, DT_INT64, NO_SPAN),
              .size = 65536,
              .slots = 1};
  a->place += 65536;
  return type_with_memref(a->ir, t, memref_intern(a->ir, &m));
}

static void assign_op(Around *a, Expr *var, OpId op) {
  Expr *call = expr_call_op(a->ir, op_get(a->ir, op), NULL, 0, (AttrList){0}, var->type, NO_SPAN);
  vec_push(&a->body, stmt_assign(a->ir, var, call, NO_SPAN));
}

/* Scalars that stand in types and lists become parameters. */
static bool see_symbol(Visitor *v, Expr *e) {
  Around *a = v->ctx;
  if (expr_is_var(e) && type_is_scalar(e->type) && map_set(&a->known, e, e))
    vec_push(&a->params, e);
  return true;
}

/* What the kernel uses for an operand: defined in it, or a parameter. */
static Expr *operand(Around *a, Expr *e) {
  Visitor v = {.ctx = a, .expr = see_symbol};
  visit_expr(&v, e);
  visit_type(&v, e->type);
  if (!expr_is_var(e) || type_is_scalar(e->type)) return e;
  Expr *known = map_get(&a->known, e);
  if (known) return known;
  Expr *var = e;
  if (type_is_tile(e->type)) {
    var = expr_var(a->ir, e->u.var.name, placed(a, e->type), NO_SPAN);
    assign_op(a, var, OP_TILE_CREATE);
  } else if (e->type->kind == TYPE_ARRAY) {
    Expr *extent = e->type->shape[0];
    vec_push(&a->body, stmt_assign(a->ir, var,
                                   expr_call_op(a->ir, op_get(a->ir, OP_ARRAY_CREATE), &extent, 1,
                                                (AttrList){0}, e->type, NO_SPAN),
                                   NO_SPAN));
  } else {
    vec_push(&a->params, var);
    a->windows += e->type->kind == TYPE_DIST_TENSOR;
  }
  map_set(&a->known, e, var);
  return var;
}

/* The result's type: in the operand's place where the operator says so, else in a place of its own.
 */
static const Type *result_type(Around *a, const Expr *call) {
  const Op *op = expr_op(call);
  const Type *t = call->type;
  if (!type_is_tile(t)) return t;
  bool shares = op->reuses_input || (op->out_mem && strcmp(op->out_mem, "=") == 0);
  int from = op->reuses_input ? op->reuses_input - 1 : 0;
  if (op->id == OP_TILE_WRITE) shares = true;
  return shares ? type_with_memref(a->ir, t, call->u.call.args[from]->type->memref) : placed(a, t);
}

static void assign_result(Around *a, Expr *call) {
  const Type *t = result_type(a, call);
  if (t->kind == TYPE_VOID || t->kind == TYPE_UNKNOWN) {
    vec_push(&a->body, stmt_eval(a->ir, call, NO_SPAN));
    return;
  }
  Expr *var = expr_var(a->ir, ir_name(a->ir, "result"), t, NO_SPAN);
  vec_push(&a->body, stmt_assign(a->ir, var, call, NO_SPAN));
  for (int i = 0; t->kind == TYPE_TUPLE && i < t->nelems; i++) {
    Expr *part =
        expr_var(a->ir, ir_name(a->ir, i ? "second" : "first"), placed(a, t->elems[i]), NO_SPAN);
    vec_push(&a->body, stmt_assign(a->ir, part, expr_tuple_get(a->ir, var, i, NO_SPAN), NO_SPAN));
  }
}

static Function *kernel_around(Around *a, Expr *call) {
  Expr *copy = expr_copy(a->ir, call);
  copy->u.call.args = COPY_ARRAY(a->ir->arena, Expr *, call->u.call.args, call->u.call.nargs);
  for (int i = 0; i < call->u.call.nargs; i++)
    copy->u.call.args[i] = operand(a, call->u.call.args[i]);
  Visitor v = {.ctx = a, .expr = see_symbol};
  visit_type(&v, call->type);
  assign_result(a, copy);
  for (int i = 0; i < a->windows; i++)
    vec_push(&a->params,
             expr_var(a->ir, ir_name(a->ir, "ctx"), type_simple(a->ir, TYPE_COMM_CTX), NO_SPAN));
  Function f = {.name = ir_name(a->ir, "k"), .type = FUNC_AIV, .body = block_take(a->ir, &a->body)};
  f.nparams = (int)a->params.len;
  f.params = vec_to_arena(&a->params, a->ir->arena);
  return func_copy(a->ir, &f);
}

static void check_row(PtoCheck *check, const Row *row, MemoryPlanner planner) {
  Fixture fx;
  fixture_init(&fx);
  Around a = {.fx = &fx, .ir = &fx.ir};
  OpCase spec = row->call;
  Expr *call = op_spec_call(&fx, &spec);
  ck_assert_msg(call, "%s: %s", spec.op, fixture_messages(&fx));
  Function *f = kernel_around(&a, call);
  Program *p = program_new(a.ir, ir_name(a.ir, "P"), &f, 1, NO_SPAN);
  CompileOptions opts = {.target = target_by_name(row->a5 ? "a5" : "a2a3"), .planner = planner};
  CodegenCtx ctx = {.ir = a.ir, .opts = &opts, .source_path = "k.pir"};
  ArtifactList files = {0};
  ck_assert_msg(codegen_pto(&ctx, p, &files), "%s: %s", spec.op, fixture_messages(&fx));
  const char *text = buf_str(&files.data[0].text);
  char *line = arena_printf(&fx.arena, "%s ", row->inst);
  char *quoted = arena_printf(&fx.arena, "\"%s\"", row->inst);
  char *bare = arena_printf(&fx.arena, "%s(", row->inst);
  ck_assert_msg(strstr(text, line) || strstr(text, quoted) || strstr(text, bare), "no %s in\n%s",
                row->inst, text);
  ck_assert_msg(pto_check(check, text), "%s: %s", spec.op, check->why);
  artifacts_free(&files);
  map_free(&a.known);
  fixture_free(&fx);
}

START_TEST(every_instruction_keeps_to_the_grammar) {
  Arena arena;
  PtoCheck check;
  arena_init(&arena);
  pto_check_init(&check, &arena);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    check_row(&check, &rows[i], PLANNER_PYPTO);
    check_row(&check, &rows[i], PLANNER_PTOAS);
  }
  glob_t files;
  ck_assert_int_eq(glob("tests/cases/pto/*.out", 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    FILE *f = fopen(files.gl_pathv[i], "r");
    ck_assert_ptr_nonnull(f);
    static char text[1 << 20];
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    ck_assert_msg(pto_check(&check, text), "%s: %s", files.gl_pathv[i], check.why);
  }
  globfree(&files);
  for (const char *const *op = pto_check_ops(); *op; op++)
    ck_assert_msg(pto_check_saw(&check, *op), "no test writes %s", *op);
  pto_check_free(&check);
  arena_free(&arena);
}
END_TEST

START_TEST(the_checker_finds_faults) {
  static const char *const frame =
      "module attributes {pto.target_arch = \"a5\"} {\n  func.func @k(%%arg0: index, %%arg1: i32) "
      "{\n"
      "  %s\n  return\n  }\n}\n";
  static const char *const faults[][2] = {
      {"%a = arith.addi %arg0, %arg0 : index\n  %a = arith.subi %arg0, %arg0 : index",
       "defined twice"},
      {"%a = arith.addi %arg0, %b : index", "%b is used but not defined"},
      {"%a = arith.addi %arg0, %arg1 : index", "does not keep to its form"},
      {"%a = arith.addi %arg0, %arg0 : i64", "does not keep to its form"},
      {"pto.tfly ins(%arg0)", "unknown operation pto.tfly"},
      {"scf.for %i = %arg0 to %arg0 step %arg0 {", "return inside a region"},
      {"}", "return inside a region"},
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    Arena arena;
    PtoCheck check;
    arena_init(&arena);
    pto_check_init(&check, &arena);
    ck_assert(!pto_check(&check, arena_printf(&arena, frame, faults[i][0])));
    ck_assert_msg(strstr(check.why, faults[i][1]), "%s, not %s", check.why, faults[i][1]);
    pto_check_free(&check);
    arena_free(&arena);
  }
}
END_TEST

Suite *suite_pto_ops(void) {
  Suite *s = suite_create("pto_ops");
  TCase *tc = tcase_create("grammar");
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, every_instruction_keeps_to_the_grammar);
  tcase_add_test(tc, the_checker_finds_faults);
  suite_add_tcase(s, tc);
  return s;
}
