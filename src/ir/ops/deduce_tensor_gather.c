/* deduce_tensor_gather.c -- types and forms of tensor operators that gather, scatter and sort. */
#include "ir/ops/bind.h"
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_region.h"

static const Dims everywhere = {NULL, 0};
static const DType gatherable[] = {DT_FP16, DT_FP32, DT_INT16, DT_INT32, DT_NONE};
static const DType scatterable[] = {DT_INT8, DT_INT16, DT_INT32, DT_FP16,
                                    DT_FP32, DT_BF16,  DT_NONE};
static const DType pageable[] = {DT_FP16, DT_BF16, DT_FP32, DT_INT8, DT_NONE};
static const DType sortable[] = {DT_FP16, DT_FP32, DT_NONE};
static const DType int32_only[] = {DT_INT32, DT_NONE};
static const DType uint32_only[] = {DT_UINT32, DT_NONE};
static const DType int16_int32[] = {DT_INT16, DT_INT32, DT_NONE};

static bool check_rank(OpCall *c, int arg, int rank) {
  int has = c->args[arg]->type->rank;
  if (has == rank) return true;
  op_error(c, "'%s' must have %d dimensions, not %d", arg_name(c, arg), rank, has);
  return false;
}

/* ---------------------------------------------------------------- gather */

/* gather(input, dim, index) | gather(input, mask_pattern=) | gather(input, kvalue=, cmp_mode=,
 * out_cols=) */
bool bind_tensor_gather(Written *w, OpCall *c) {
  Binding b;
  if (!bind_match(w, c, &b)) return false;
  bool index = bind_arg(&b, "dim")->given || bind_arg(&b, "index")->given;
  bool mask = bind_arg(&b, "mask_pattern")->given;
  bool compare = bind_arg(&b, "kvalue")->given || bind_arg(&b, "cmp_mode")->given ||
                 bind_arg(&b, "out_cols")->given;
  if (index + mask + compare > 1) {
    op_error(c,
             "the forms with (dim, index), with mask_pattern and with (kvalue, cmp_mode, out_cols) "
             "exclude "
             "each other");
    return false;
  }
  if (index + mask + compare == 0) {
    op_error(c, "needs (dim, index), mask_pattern=, or (kvalue=, cmp_mode=, out_cols=)");
    return false;
  }
  return bind_finish(&b, op_get(w->ir, index  ? OP_TENSOR_GATHER
                                       : mask ? OP_TENSOR_GATHER_MASK
                                              : OP_TENSOR_GATHER_COMPARE));
}

const Type *deduce_tensor_gather(OpCall *c) {
  const Type *t = c->args[0]->type, *at = c->args[1]->type;
  if (!check_dtype(c, 0, gatherable)) return NULL;
  bool narrow = at->dtype == DT_INT16 && dtype_bits(t->dtype) == 16;
  if (at->dtype != DT_INT32 && !narrow)
    return op_error(c, "'index' must be INT32%s, not %s",
                    dtype_bits(t->dtype) == 16 ? " or INT16" : "", dtype_name(at->dtype));
  if (t->rank < 2) return op_error(c, "'input' must have at least two dimensions");
  if (!check_rank(c, 1, t->rank)) return NULL;
  int64_t dim = kwarg_int(c, "dim", -1), axis = dim < 0 ? dim + t->rank : dim;
  if (axis < 0 || axis >= t->rank)
    return op_error(c, "there is no axis %lld in %d dimensions", (long long)dim, t->rank);
  for (int i = 0; i < t->rank; i++) {
    int64_t x, y;
    if (i != axis && expr_const_int(at->shape[i], &x) && expr_const_int(t->shape[i], &y) && x > y)
      return op_error(c, "dimension %d of 'index', %lld, exceeds that of 'input', %lld", i,
                      (long long)x, (long long)y);
  }
  return tensor_fresh(c->ir, dims_of(at), t->dtype, everywhere);
}

/* How many columns a pattern takes one of: 2, 4, or 1; 0 after the error. */
static int pattern_step(OpCall *c) {
  int64_t p = kwarg_int(c, "mask_pattern", -1);
  if (p >= 1 && p <= 7) return p <= 2 ? 2 : p <= 6 ? 4 : 1;
  op_error(c, "'mask_pattern' must be from 1 to 7, it is %lld", (long long)p);
  return 0;
}

const Type *deduce_tensor_gather_mask(OpCall *c) {
  const Type *t = c->args[0]->type;
  if (!check_dtype(c, 0, gatherable) || !check_rank(c, 0, 2)) return NULL;
  int step = pattern_step(c);
  if (!step) return NULL;
  Expr *cols = t->shape[1];
  int64_t n;
  if (step > 1 && expr_const_int(cols, &n)) {
    if (n % step) return op_error(c, "%lld columns are not a multiple of %d", (long long)n, step);
    cols = expr_index(c->ir, n / step);
  } else if (step > 1) {
    cols = expr_binary(c->ir, EXPR_FLOOR_DIV, cols, expr_index(c->ir, step), DT_INDEX, NO_SPAN);
  }
  DType dtype = kwarg_dtype(c, "output_dtype");
  if (dtype == DT_NONE) dtype = t->dtype;
  if (dtype_bits(dtype) != dtype_bits(t->dtype))
    return op_error(c, "'output_dtype' must be as wide as %s, %s is not", dtype_name(t->dtype),
                    dtype_name(dtype));
  return tensor_fresh(c->ir, dims2(c->ir, t->shape[0], cols), dtype, everywhere);
}

const Type *deduce_tensor_gather_compare(OpCall *c) {
  const Type *t = c->args[0]->type;
  DType k = c->args[1]->type->dtype, counts = kwarg_dtype(c, "count_dtype");
  int64_t cols = kwarg_int(c, "out_cols", 0);
  if (!check_dtype(c, 0, gatherable) || !check_rank(c, 0, 2)) return NULL;
  if (k != t->dtype)
    return op_error(c, "'kvalue' must be %s, not %s", dtype_name(t->dtype), dtype_name(k));
  if (cols <= 0) return op_error(c, "'out_cols' must be positive, it is %lld", (long long)cols);
  if (counts == DT_NONE) counts = DT_INT32;
  if (counts != DT_INT32 && counts != DT_UINT32)
    return op_error(c, "'count_dtype' must be INT32 or UINT32, not %s", dtype_name(counts));
  const Type *both[] = {
      tensor_fresh(c->ir, dims2(c->ir, t->shape[0], expr_index(c->ir, cols)), DT_INT32, everywhere),
      tensor_fresh(c->ir, dims2(c->ir, expr_index(c->ir, 1), t->shape[0]), counts, everywhere)};
  return type_tuple(c->ir, both, 2);
}

/* A list of numbers: one dimension, or one row. */
static bool check_line(OpCall *c, int arg) {
  const Type *t = c->args[arg]->type;
  if (!check_dtype(c, arg, int32_only)) return false;
  if (t->rank == 1 || (t->rank == 2 && extent_is_const(t->shape[0], 1))) return true;
  op_error(c, "'%s' must be [n] or [1, n], not %s", arg_name(c, arg), dims_str(c->ir, dims_of(t)));
  return false;
}

static bool check_positive(OpCall *c, const char *name) {
  int64_t v = kwarg_int(c, name, 0);
  if (v > 0) return true;
  op_error(c, "'%s' must be positive, it is %lld", name, (long long)v);
  return false;
}

const Type *deduce_tensor_paged_gather(OpCall *c) {
  const Type *t = c->args[0]->type;
  int64_t size = kwarg_int(c, "size", 0), off = kwarg_int(c, "col_off", 0), cols;
  bool trans = kwarg_bool(c, "is_trans", false);
  if (!check_dtype(c, 0, pageable) || !check_rank(c, 0, 2) || !check_line(c, 1) ||
      !check_line(c, 2) || !check_positive(c, "block_size") || !check_positive(c, "size") ||
      !check_positive(c, "max_indices"))
    return NULL;
  if (off < 0) return op_error(c, "'col_off' must not be negative, it is %lld", (long long)off);
  if (trans && kwarg_mem(c, "space") != MEM_MAT)
    return op_error(c, "is_trans=True needs space=pl.Mem.Mat");
  if (expr_const_int(t->shape[1], &cols) && off + size > cols)
    return op_error(c, "columns %lld to %lld do not exist, there are %lld", (long long)off,
                    (long long)(off + size), (long long)cols);
  Expr *rows = expr_index(c->ir, kwarg_int(c, "max_indices", 0)), *width = expr_index(c->ir, size);
  return tensor_fresh(c->ir, trans ? dims2(c->ir, width, rows) : dims2(c->ir, rows, width),
                      t->dtype, everywhere);
}

const Type *deduce_tensor_gather_row(OpCall *c) {
  if (!check_same_dtype(c, 0, 1) || !want_gather_row(c)) return NULL;
  return c->args[0]->type;
}

/* ---------------------------------------------------------------- scatter */

/* scatter(input, dim, index, src) | scatter(input, mask_pattern=, dst=) */
bool bind_tensor_scatter(Written *w, OpCall *c) {
  Binding b;
  if (!bind_match(w, c, &b)) return false;
  bool index =
      bind_arg(&b, "dim")->given || bind_arg(&b, "index")->given || bind_arg(&b, "src")->given;
  bool mask = bind_arg(&b, "mask_pattern")->given || bind_arg(&b, "dst")->given;
  if (index == mask) {
    op_error(
        c, index
               ? "the forms with (dim, index, src) and with (mask_pattern, dst) exclude each other"
               : "needs (dim, index, src), or mask_pattern= and dst=");
    return false;
  }
  return bind_finish(&b, op_get(w->ir, index ? OP_TENSOR_SCATTER : OP_TENSOR_SCATTER_MASK));
}

/* Constant extents `a` of operand `i` and `b` of operand `k`, dimension `d`: equal, or a <= b. */
static bool check_extent(OpCall *c, int i, int k, int d, bool equal) {
  int64_t a, b;
  if (!expr_const_int(c->args[i]->type->shape[d], &a) ||
      !expr_const_int(c->args[k]->type->shape[d], &b))
    return true;
  if (equal ? a == b : a <= b) return true;
  op_error(c, "dimension %d of '%s', %lld, %s that of '%s', %lld", d, arg_name(c, i), (long long)a,
           equal ? "differs from" : "exceeds", arg_name(c, k), (long long)b);
  return false;
}

const Type *deduce_tensor_scatter(OpCall *c) {
  const Type *t = c->args[0]->type, *at = c->args[1]->type;
  if (!check_dtype(c, 0, scatterable) || !check_dtype(c, 1, int16_int32) ||
      !check_same_dtype(c, 2, 0))
    return NULL;
  int bytes = dtype_get_byte(t->dtype), want = bytes == 1 ? 2 : bytes;
  if (dtype_get_byte(at->dtype) != want)
    return op_error(c, "'index' must be INT%d for elements of %s, not %s", want * 8,
                    dtype_name(t->dtype), dtype_name(at->dtype));
  for (int i = 0; i < 3; i++)
    if (!check_rank(c, i, 2)) return NULL;
  int64_t dim = kwarg_int(c, "dim", -1);
  if (dim != -1 && dim != 1)
    return op_error(c, "only the last axis can be scattered along, not %lld", (long long)dim);
  for (int d = 0; d < 2; d++)
    if (!check_extent(c, 1, 2, d, true) || !check_extent(c, 2, 0, d, false)) return NULL;
  return tensor_fresh(c->ir, dims_of(t), t->dtype, everywhere);
}

const Type *deduce_tensor_scatter_mask(OpCall *c) {
  const Type *from = c->args[0]->type, *to = c->args[1]->type;
  int64_t a, b;
  if (!check_dtype(c, 0, scatterable) || !check_same_dtype(c, 0, 1) || !check_rank(c, 0, 2) ||
      !check_rank(c, 1, 2))
    return NULL;
  int step = pattern_step(c);
  if (!step) return NULL;
  if (expr_const_int(from->shape[1], &a) && expr_const_int(to->shape[1], &b) && b != a * step)
    return op_error(c, "%lld columns at every %d. place take %lld, not %lld", (long long)a, step,
                    (long long)(a * step), (long long)b);
  return tensor_fresh(c->ir, dims_of(to), to->dtype, everywhere);
}

const Type *deduce_tensor_scatter_update(OpCall *c) {
  const Type *t = c->args[0]->type;
  if (t->rank != 2 && t->rank != 4)
    return op_error(c, "'input' must have 2 or 4 dimensions, not %d", t->rank);
  if (!check_rank(c, 1, 2)) return NULL;
  if (!dtype_is_int(c->args[1]->type->dtype))
    return op_error(c, "'index' must be of integers, not %s", dtype_name(c->args[1]->type->dtype));
  if (!check_rank(c, 2, t->rank) || !check_same_dtype(c, 2, 0)) return NULL;
  int64_t dim = kwarg_int(c, "dim", -2);
  if (dim != -2) return op_error(c, "only dim=-2 is possible, not %lld", (long long)dim);
  return tensor_fresh(c->ir, dims_of(t), t->dtype, everywhere);
}

/* ---------------------------------------------------------------- sorting */

const Type *deduce_tensor_sort32(OpCall *c) {
  const Type *t = c->args[0]->type;
  int64_t n;
  if (!check_dtype(c, 0, sortable) || !check_dtype(c, 1, uint32_only)) return NULL;
  if (!t->rank) return op_error(c, "'src' must have dimensions");
  Expr *last = t->shape[t->rank - 1];
  bool constant = expr_const_int(last, &n);
  if (constant && (n <= 0 || n % 32))
    return op_error(c, "the last dimension must be a multiple of 32, it is %lld", (long long)n);
  if (!check_rank(c, 1, t->rank)) return NULL;
  for (int i = 0; i < t->rank; i++)
    if (!dims_same(c->ir, t->shape[i], c->args[1]->type->shape[i]))
      return op_error(c, "'src' and 'idx' differ in dimension %d", i);
  Dims shape = dims_copy(c->ir, dims_of(t));
  shape.at[t->rank - 1] =
      constant ? expr_index(c->ir, n * 2)
               : expr_binary(c->ir, EXPR_MUL, last, expr_index(c->ir, 2), DT_INDEX, NO_SPAN);
  return tensor_fresh(c->ir, shape, t->dtype, everywhere);
}

/* The scratch comes behind the lists: takes the place of the first that is not given. */
static void place_scratch(Binding *b) {
  static const char *const lists[] = {"src2", "src3"};
  BoundArg *tmp = bind_arg(b, "tmp");
  for (int i = 0; i < 2; i++) {
    BoundArg *list = bind_arg(b, lists[i]);
    if (list->given) continue;
    Name name = list->name;
    list->name = tmp->name;
    tmp->name = name;
    return;
  }
  tmp->name = ir_name(b->w->ir, "src4");
}

/* The sorted runs of one list (block_len), or several lists; with `tmp`, the scratch that tiles
 * need. */
static bool bind_mrgsort(Written *w, OpCall *c, OpId one_list, OpId several, bool tmp) {
  Binding b;
  if (!bind_match(w, c, &b)) return false;
  bool lists = bind_arg(&b, "src1")->given || bind_arg(&b, "src2")->given ||
               bind_arg(&b, "src3")->given || bind_arg(&b, "tmp")->given;
  if (bind_arg(&b, "block_len")->given) {
    BoundArg *exhausted = bind_arg(&b, "exhausted");
    bool says_so = exhausted->value.kind == ATTR_BOOL && exhausted->value.u.b;
    if (tmp) exhausted->used = true; /* of tiles: says nothing about one list, and does no harm */
    if (!lists && (tmp || !says_so)) return bind_finish(&b, op_get(w->ir, one_list));
    op_error(c, "block_len= is for a single list: no further list%s",
             tmp ? "" : ", no exhausted=True");
    return false;
  }
  if (!bind_arg(&b, "src1")->given ||
      (bind_arg(&b, "src3")->given && !bind_arg(&b, "src2")->given)) {
    op_error(c, "needs block_len=, or at least src0 and src1 in order");
    return false;
  }
  if (tmp && !bind_arg(&b, "tmp")->given) {
    op_error(c, "merging several lists of tiles needs tmp=");
    return false;
  }
  if (tmp) place_scratch(&b);
  return bind_finish(&b, op_get(w->ir, several));
}

bool bind_tensor_mrgsort(Written *w, OpCall *c) {
  return bind_mrgsort(w, c, OP_TENSOR_MRGSORT_FORMAT1, OP_TENSOR_MRGSORT_FORMAT2, false);
}

bool bind_tile_mrgsort(Written *w, OpCall *c) {
  return bind_mrgsort(w, c, OP_TILE_MRGSORT_FORMAT1, OP_TILE_MRGSORT_FORMAT2, true);
}

const Type *deduce_tensor_mrgsort1(OpCall *c) {
  const Type *t = c->args[0]->type;
  int64_t n;
  if (!check_dtype(c, 0, sortable)) return NULL;
  if (expr_const_int(c->args[1], &n) && (n <= 0 || n % 64))
    return op_error(c, "'block_len' must be a multiple of 64, it is %lld", (long long)n);
  return tensor_fresh(c->ir, dims_of(t), t->dtype, everywhere);
}

const Type *deduce_tensor_mrgsort2(OpCall *c) {
  const Type *t = c->args[0]->type;
  if (!check_dtype(c, 0, sortable)) return NULL;
  if (!t->rank) return op_error(c, "'src0' must have dimensions");
  Expr *sum = NULL;
  int64_t total = 0;
  bool constant = true;
  for (int i = 0; i < c->nargs; i++) {
    const Type *u = c->args[i]->type;
    if (!check_same_dtype(c, i, 0) || !check_rank(c, i, t->rank)) return NULL;
    for (int d = 0; d + 1 < t->rank; d++)
      if (!dims_same(c->ir, u->shape[d], t->shape[d]))
        return op_error(c, "'%s' and 'src0' differ in dimension %d", arg_name(c, i), d);
    Expr *last = u->shape[t->rank - 1];
    int64_t n;
    constant = constant && expr_const_int(last, &n) && !__builtin_add_overflow(total, n, &total);
    sum = sum ? expr_binary(c->ir, EXPR_ADD, sum, last, DT_INDEX, NO_SPAN) : last;
  }
  Dims shape = dims_copy(c->ir, dims_of(t));
  shape.at[t->rank - 1] = constant ? expr_index(c->ir, total) : sum;
  return tensor_fresh(c->ir, shape, t->dtype, everywhere);
}
