/* analyze.c -- which products must be cut, and how. */
#include <stdarg.h>

#include "ir/op.h"
#include "ir/view.h"
#include "passes/l0_tiling/tiling.h"

enum { MAX_EXTENT = 1 << 20 }; /* of a tile that can lie on a chip at all */

void product_hint(const Product *p, const char *code, const char *fmt, ...) {
  if (!p->advise || !p->ir->diag->hints) return;
  va_list ap;
  va_start(ap, fmt);
  diag_hint(p->ir->diag, p->s->span, code, "%s stays whole: %s",
            p->s->u.assign.value->u.call.op->name, arena_vprintf(p->ir->arena, fmt, ap));
  va_end(ap);
}

/* Constant extents of a matrix in one of the spaces (bits 1 << MEM_X). */
static bool matrix_in(const Type *t, uint32_t spaces, int64_t *rows, int64_t *cols) {
  return type_is_tile(t) && t->rank == 2 && (spaces >> t->space & 1) &&
         expr_const_int(t->shape[0], rows) && expr_const_int(t->shape[1], cols) && *rows > 0 &&
         *cols > 0 && *rows <= MAX_EXTENT && *cols <= MAX_EXTENT;
}

/* An operand that its author has put next to the matrix unit must fit there. */
static bool resident_fits(Ir *ir, const Target *target, const Expr *call, const Expr *operand,
                          MemSpace space) {
  if (!type_is_tile(operand->type) || operand->type->space != space) return true;
  int64_t bytes = type_num_bytes(operand->type), capacity = target->spaces[space].capacity;
  if (bytes < 0 || capacity == 0 || bytes <= capacity) return true;
  diag_error(ir->diag, call->span, "%s: operand '%s' takes %lld bytes of %s, which has %lld",
             call->u.call.op->name, operand->u.var.name, (long long)bytes,
             enum_name(ENUM_MEM, space), (long long)capacity);
  diag_note(ir->diag, operand->span, "keep it in Mat, and the product is cut into pieces that fit");
  return false;
}

static bool read_operands(Product *p, const Expr *call) {
  Expr **args = call->u.call.args;
  OpId id = call->u.call.op->id;
  int first = id == OP_TILE_MATMUL_ACC;
  if (call->u.call.nargs != (id == OP_TILE_MATMUL ? 2 : 3)) return false;
  for (int i = 0; i < call->u.call.nargs; i++)
    if (!expr_is_var(args[i]) || !type_is_tile(args[i]->type)) return false;
  p->left = args[first];
  p->right = args[first + 1];
  if (id == OP_TILE_MATMUL_ACC) p->acc = args[0];
  if (id == OP_TILE_MATMUL_BIAS) p->bias = args[2];
  return !p->acc || p->acc->type->rank == 2;
}

/* Sizes must be multiples of the boxes of the operands; false if those are not known. */
static bool align_to_boxes(const Product *p, L0Problem *q) {
  int64_t left_rows, left_cols, right_rows, right_cols;
  TileView lv = tile_view_of(p->ir, p->left->type), rv = tile_view_of(p->ir, p->right->type);
  if (!tile_view_box(&lv, p->left->type->dtype, &left_rows, &left_cols) ||
      !tile_view_box(&rv, p->right->type->dtype, &right_rows, &right_cols))
    return false;
  if (left_rows > q->align_m) q->align_m = left_rows;
  if (right_cols > q->align_n) q->align_n = right_cols;
  if (left_cols > q->align_k) q->align_k = left_cols;
  if (right_rows > q->align_k) q->align_k = right_rows;
  q->box_m = left_rows;
  q->box_n = right_cols;
  if (q->min_m < q->align_m) q->min_m = q->align_m;
  if (q->min_n < q->align_n) q->min_n = q->align_n;
  if (q->min_k < q->align_k) q->min_k = q->align_k;
  return true;
}

/* What a bias adds to the problem; false if such a product is left alone. */
static bool limit_by_bias(const Product *p, const Target *target, const Type *out, L0Problem *q) {
  const Type *bias = p->bias->type;
  if (bias->space == MEM_MAT && !(target->bias_from[out->dtype] >> bias->dtype & 1)) {
    product_hint(p, "PH-AT-011",
                 "%s does not move a bias of %s from Mat to an accumulator of %s; cast the bias, "
                 "or move it to Bias",
                 target->name, dtype_name(bias->dtype), dtype_name(out->dtype));
    return false;
  }
  if (!align_to_boxes(p, q)) {
    product_hint(p, "PH-AT-011",
                 "with a bias the layouts of both operands must have a constant box");
    return false;
  }
  q->max_n = target->spaces[MEM_BIAS].capacity / q->acc_bytes;
  if (q->max_n < target->l0_min_dim) {
    product_hint(p, "PH-AT-011", "Bias of %s holds less than %d elements of %s", target->name,
                 target->l0_min_dim, dtype_name(out->dtype));
    return false;
  }
  if (bias->space == MEM_MAT) {
    q->max_n_pipelined = q->max_n / 2;
    q->max_n_nested = q->max_n / 4;
  }
  if (bias->space == MEM_BIAS) q->min_n = p->N;
  if (p->M % q->align_m == 0 && p->N % q->align_n == 0 && p->K % q->align_k == 0)
    return q->max_n >= q->min_n;
  product_hint(
      p, "PH-AT-011",
      "with a bias M, N and K must be multiples of %lld, %lld and %lld, the boxes of the operands",
      (long long)q->align_m, (long long)q->align_n, (long long)q->align_k);
  return false;
}

static int64_t whole_bytes(DType t) { return dtype_bits(t) % 8 ? 0 : dtype_bits(t) / 8; }

static bool state_problem(const Product *p, const CompileOptions *opts, const Type *out,
                          L0Problem *q) {
  const Target *target = opts->target;
  int64_t a = target->l0_align, least = target->l0_min_dim;
  *q = (L0Problem){.target = target,
                   .M = p->M,
                   .N = p->N,
                   .K = p->K,
                   .align_m = a,
                   .align_n = a,
                   .align_k = a,
                   .min_m = least,
                   .min_n = least,
                   .min_k = least,
                   .box_m = 1,
                   .box_n = 1};
  q->left_bytes = whole_bytes(p->left->type->dtype);
  q->right_bytes = whole_bytes(p->right->type->dtype);
  q->acc_bytes = whole_bytes(out->dtype);
  q->acc_rows = target_acc_rows(target, out->dtype);
  q->may_double_acc = opts->planner != PLANNER_PYPTO || opts->l0c_double_buffer;
  if (!q->left_bytes || !q->right_bytes || !q->acc_bytes) {
    product_hint(p, "PH-AT-003", "elements of less than a byte are not cut");
    return false;
  }
  if (p->bias && !limit_by_bias(p, target, out, q)) return false;
  if (p->K % q->align_k == 0) return true;
  product_hint(p, "PH-AT-007", "K is %lld, no multiple of %lld", (long long)p->K,
               (long long)q->align_k);
  return false;
}

/* Pieces of an author's loop are loaded anew, in whole boxes; false if the boxes are not known. */
static bool limit_by_boxes(Product *p, L0Problem *q) {
  TileView lv = tile_view_of(p->ir, p->left->type), rv = tile_view_of(p->ir, p->right->type);
  int64_t left_cols, right_rows;
  if (!tile_view_box(&lv, p->left->type->dtype, &p->box_m, &left_cols) ||
      !tile_view_box(&rv, p->right->type->dtype, &right_rows, &p->box_n))
    return false;
  q->box_m = p->box_m;
  q->box_n = p->box_n;
  return true;
}

bool is_row_load(const Expr *call) {
  if (!expr_is_op(call, OP_TILE_LOAD) || call->u.call.nargs != 4) return false;
  const Type *t = call->type;
  Expr *const *args = call->u.call.args;
  int64_t rows, cols, n;
  if (!matrix_in(t, 1u << MEM_MAT, &rows, &cols) || rows != 1) return false;
  for (int i = 1; i < 4; i++)
    if (args[i]->kind != EXPR_TUPLE || args[i]->u.tuple.len != 2) return false;
  for (int i = 2; i < 4; i++)
    if (!expr_const_int(args[i]->u.tuple.elems[0], &n) || n != 1 ||
        !expr_const_int(args[i]->u.tuple.elems[1], &n) || n != cols)
      return false;
  return true;
}

/* Cutting columns takes some columns of the bias, too. */
static bool can_cut_bias(const Product *p) {
  if (!product_cuts_bias(p)) return true;
  if (p->bias->type->space == MEM_BIAS) {
    product_hint(p, "PH-AT-006",
                 "its columns must be cut, but Bias gives no part of a bias; keep the bias in Mat");
    return false;
  }
  if (p->bias_load) return true;
  product_hint(p, "PH-AT-011",
               "its columns must be cut, but the bias is not a whole row that one tile.load before "
               "it brings "
               "for it alone, with nothing but loads between");
  return false;
}

bool stmt_is_product(const Stmt *s) {
  const Op *op = s->kind == STMT_ASSIGN ? expr_op(s->u.assign.value) : NULL;
  return op && (op->id == OP_TILE_MATMUL || op->id == OP_TILE_MATMUL_ACC ||
                op->id == OP_TILE_MATMUL_BIAS);
}

ProductState product_analyze(Ir *ir, const CompileOptions *opts, const Stmt *s, AnalyzeMode mode,
                             const Expr *bias_load, Product *p) {
  int64_t left_k, bias_rows, bias_cols;
  if (!stmt_is_product(s)) return PRODUCT_FINE;
  const Expr *call = s->u.assign.value;
  *p = (Product){.ir = ir, .s = s, .bias_load = bias_load, .advise = mode == ANALYZE_ALL};
  if (!read_operands(p, call)) return PRODUCT_FINE;
  if (!resident_fits(ir, opts->target, call, p->left, MEM_LEFT) ||
      !resident_fits(ir, opts->target, call, p->right, MEM_RIGHT))
    return PRODUCT_WRONG;
  if (p->bias &&
      (!matrix_in(p->bias->type, 1u << MEM_MAT | 1u << MEM_BIAS, &bias_rows, &bias_cols) ||
       bias_rows != 1))
    return PRODUCT_FINE;
  if (!matrix_in(p->left->type, 1u << MEM_MAT | 1u << MEM_VEC, &p->M, &left_k) ||
      !matrix_in(p->right->type, 1u << MEM_MAT, &p->K, &p->N) || left_k != p->K ||
      !type_is_tile(call->type))
    return PRODUCT_FINE;
  p->left_in_vec = p->left->type->space == MEM_VEC;
  if (p->bias && p->left_in_vec) {
    product_hint(p, "PH-AT-011", "with a bias the left operand must be in Mat, not in Vec");
    return PRODUCT_FINE;
  }
  int nvalid;
  Expr *const *valid = type_valid_shape(call->type, &nvalid);
  L0Problem q;
  if (nvalid != 2 || !state_problem(p, opts, call->type, &q)) return PRODUCT_FINE;
  p->valid_m = valid[0];
  p->valid_n = valid[1];
  if (mode == ANALYZE_AUTHOR_LOOP && !limit_by_boxes(p, &q)) return PRODUCT_FINE;
  q.only_output_stationary = mode != ANALYZE_ALL;
  if (!l0_choose(&q, &p->t)) {
    product_hint(
        p, "PH-AT-005",
        "no sizes of at least %lld, %lld and %lld for its M, N and K (%lld, %lld and %lld) fit",
        (long long)q.min_m, (long long)q.min_n, (long long)q.min_k, (long long)p->M,
        (long long)p->N, (long long)p->K);
    return PRODUCT_FINE;
  }
  if (p->t.k == p->K && !product_in_grid(p)) return PRODUCT_FINE;
  return can_cut_bias(p) ? PRODUCT_CUT : PRODUCT_FINE;
}
