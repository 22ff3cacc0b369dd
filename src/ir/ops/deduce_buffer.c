/* deduce_buffer.c -- what calls of buffer operators must satisfy; most give no value. */
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"
#include "ir/print.h"

enum { RUNTIME_EXTENT = -1 }; /* a valid extent that an operand gives when running */

static const DType transfer_types[] = {DT_FP16, DT_BF16, DT_FP32, DT_INT32, DT_NONE};
static const DType cube_types[] = {DT_FP16, DT_BF16, DT_FP32, DT_INT8, DT_NONE};
static const DType view_types[] = {DT_FP16,  DT_BF16,  DT_FP32, DT_INT16,
                                   DT_INT32, DT_UINT8, DT_NONE};

/* ---- operands ---- */

static const Type *arg_buffer(OpCall *c, int i) {
  const Type *t = c->args[i]->type;
  if (t->kind == TYPE_BUFFER) return t;
  return op_error(c, "'%s' must be a buffer, not %s", arg_name(c, i), type_kind_name(t));
}

static bool arg_buffers(OpCall *c, int n) {
  for (int i = 0; i < n; i++)
    if (!arg_buffer(c, i)) return false;
  return true;
}

static int64_t const_dim(Expr *const *dims, int i) {
  int64_t v = 0;
  expr_const_int(dims[i], &v);
  return v;
}

/* Physical and valid extents of a buffer are constants; RUNTIME_EXTENT for a valid one may appear.
 */
static int64_t extent_of(const Type *t, int i) { return const_dim(t->shape, i); }

static int64_t valid_extent_of(const Type *t, int i) {
  return t->tile_view && t->tile_view->nvalid ? const_dim(t->tile_view->valid_shape, i)
                                              : extent_of(t, i);
}

static bool is_static(const Type *t) {
  for (int i = 0; i < t->rank; i++)
    if (valid_extent_of(t, i) == RUNTIME_EXTENT) return false;
  return true;
}

static bool same_extents(const Type *a, const Type *b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (extent_of(a, i) != extent_of(b, i) || valid_extent_of(a, i) != valid_extent_of(b, i))
      return false;
  return true;
}

static bool is_row_major(const Type *t) {
  return !t->tile_view || (t->tile_view->blayout == TILE_LAYOUT_ROW_MAJOR &&
                           t->tile_view->slayout == TILE_LAYOUT_NONE_BOX);
}

/* The elements of list argument `i`: `n` integer scalars. */
static bool arg_ints(OpCall *c, int i, int n, Dims *out) {
  if (!arg_list(c, i, out)) return false;
  bool ok = out->n == n;
  for (int k = 0; ok && k < n; k++) ok = expr_is_int_scalar(out->at[k]);
  if (!ok) op_error(c, "'%s' must hold %d integers", arg_name(c, i), n);
  return ok;
}

/* `e` as the valid extent of dimension `dim` of `t`: within it, and what the type says if that is
 * fixed. */
static bool check_valid_operand(OpCall *c, const Type *t, int dim, Expr *e, int64_t least) {
  int64_t v, written = valid_extent_of(t, dim);
  bool constant = expr_const_int(e, &v);
  if (written != RUNTIME_EXTENT ? constant && v == written
                                : !constant || (v >= least && v <= extent_of(t, dim)))
    return true;
  if (written == RUNTIME_EXTENT)
    op_error(c, "the valid extent %s of dimension %d is not between %lld and %lld",
             expr_str(c->ir, e), dim, (long long)least, (long long)extent_of(t, dim));
  else
    op_error(c, "the valid extent of dimension %d must be %lld, not %s", dim, (long long)written,
             expr_str(c->ir, e));
  return false;
}

/* A valid extent for each dimension of `t`. */
static bool check_valid_operands(OpCall *c, int i, const Type *t, int64_t least, Dims *out) {
  if (!arg_ints(c, i, t->rank, out)) return false;
  for (int k = 0; k < t->rank; k++)
    if (!check_valid_operand(c, t, k, out->at[k], least)) return false;
  return true;
}

/* A constant offset and `extent` lie within `limit`; other offsets are trusted. */
static bool check_window(OpCall *c, int dim, Expr *offset, int64_t extent, int64_t limit) {
  int64_t v;
  if (!expr_const_int(offset, &v)) v = 0;
  if (v >= 0 && extent <= limit - v) return true;
  op_error(c, "dimension %d of the window, %lld from %s, is not within %lld", dim,
           (long long)extent, expr_str(c->ir, offset), (long long)limit);
  return false;
}

static const Type *no_value(OpCall *c) { return type_void(c->ir); }

/* ---- allocation and valid extents ---- */

bool check_buffer_alloc(OpCall *c, const Type *t) {
  int64_t address;
  if (t->kind != TYPE_BUFFER) {
    op_error(c, "the result must be a buffer, not %s", type_kind_name(t));
    return false;
  }
  int runtime = 0;
  for (int i = 0; i < t->rank; i++) runtime += valid_extent_of(t, i) == RUNTIME_EXTENT;
  Dims extents;
  if (!arg_ints(c, 0, runtime, &extents)) return false;
  for (int i = 0, k = 0; i < t->rank; i++)
    if (valid_extent_of(t, i) == RUNTIME_EXTENT &&
        !check_valid_operand(c, t, i, extents.at[k++], 0))
      return false;
  if (!arg_given(c, 1)) return true;
  if (!arg_int_scalar(c, 1)) return false;
  if (!expr_const_int(c->args[1], &address) || address >= 0) return true;
  op_error(c, "the address %lld is negative", (long long)address);
  return false;
}

const Type *deduce_buffer_set_validshape(OpCall *c) {
  const Type *t = arg_buffer(c, 0);
  Dims extents;
  if (!t || !check_valid_operands(c, 1, t, 0, &extents)) return NULL;
  /* A view's extents are part of its type. */
  const Op *from = expr_op(c->args[0]);
  if (from && from->reuses_input)
    return op_error(c, "the valid extents of a view are fixed by its type");
  return no_value(c);
}

/* ---- data within the chip ---- */

const Type *deduce_buffer_copy(OpCall *c) {
  if (!arg_buffers(c, 2)) return NULL;
  const Type *src = c->args[0]->type, *dst = c->args[1]->type;
  bool alike = src == dst && src->space == MEM_VEC;
  bool operand = src->space == MEM_MAT && (dst->space == MEM_LEFT || dst->space == MEM_RIGHT) &&
                 src->dtype == dst->dtype && same_extents(src, dst);
  if (alike || operand) return no_value(c);
  return op_error(c, "copies between equal buffers in Vec, or from Mat into Left or Right");
}

const Type *deduce_buffer_binary(OpCall *c) {
  if (!arg_buffers(c, 3)) return NULL;
  const Type *t = c->args[0]->type;
  if (t->space == MEM_VEC && t == c->args[1]->type && t == c->args[2]->type) return no_value(c);
  return op_error(c, "all three buffers must be in Vec and have the same type");
}

const Type *deduce_buffer_extract(OpCall *c) {
  const Type *src = arg_buffer(c, 0), *dst = src ? arg_buffer(c, 3) : NULL;
  if (!dst || !arg_int_scalar(c, 1) || !arg_int_scalar(c, 2)) return NULL;
  bool operand = src->space == MEM_MAT && (dst->space == MEM_LEFT || dst->space == MEM_RIGHT);
  bool within = src->space == MEM_VEC && dst->space == MEM_VEC;
  if ((!operand && !within) || src->dtype != dst->dtype || src->rank != 2 || dst->rank != 2)
    return op_error(c,
                    "copies a window of two dimensions from Mat into Left or Right, or within Vec");
  for (int i = 0; i < 2; i++)
    if (!check_window(c, i, c->args[1 + i], extent_of(dst, i), extent_of(src, i))) return NULL;
  return no_value(c);
}

/* ---- views ---- */

static bool check_window_valid(OpCall *c, const Type *t) {
  bool full = true;
  for (int i = 0; i < t->rank; i++) full = full && valid_extent_of(t, i) == extent_of(t, i);
  Dims extents;
  if (arg_given(c, 2)) return check_valid_operands(c, 2, t, 1, &extents);
  if (full) return true;
  op_error(c, "a window that is not valid as a whole needs its valid extents");
  return false;
}

bool check_buffer_subview(OpCall *c, const Type *t) {
  const Type *src = arg_buffer(c, 0);
  Dims offsets;
  if (!src || !arg_ints(c, 1, src->rank, &offsets)) return false;
  if (t->kind != TYPE_BUFFER || t->dtype != src->dtype || t->space != MEM_VEC ||
      src->space != MEM_VEC || t->rank != 2 || src->rank != 2 || !is_row_major(t) ||
      !is_row_major(src)) {
    op_error(c, "a window is a row-major matrix in Vec with the source's element type");
    return false;
  }
  for (int i = 0; i < 2; i++)
    if (!check_window(c, i, offsets.at[i], extent_of(t, i), extent_of(src, i))) return false;
  return check_window_valid(c, t);
}

static int64_t bytes_of(const Type *t) {
  int64_t n = 1;
  for (int i = 0; i < t->rank; i++)
    if (__builtin_mul_overflow(n, extent_of(t, i), &n)) return -1;
  return dtype_bytes(t->dtype, n);
}

static bool is_byte_matrix(const Type *t) {
  enum { BLOCK = 32 };
  return t->rank == 2 && is_row_major(t) && dtype_in(t->dtype, view_types) &&
         dtype_bytes(t->dtype, extent_of(t, 1)) % BLOCK == 0;
}

bool check_buffer_reshape(OpCall *c, const Type *t) {
  const Type *src = arg_buffer(c, 0);
  if (!src) return false;
  if (t->kind != TYPE_BUFFER || t->space != src->space || bytes_of(t) != bytes_of(src) ||
      !is_static(t) || !is_static(src)) {
    op_error(
        c,
        "source and result must be buffers in one space with the same bytes and constant valid "
        "extents");
    return false;
  }
  if (src->space == MEM_VEC ? is_byte_matrix(t) && is_byte_matrix(src) : t->dtype == src->dtype)
    return true;
  op_error(
      c,
      src->space == MEM_VEC
          ? "source and result must be packed row-major matrices with rows of whole 32-byte blocks"
          : "only the layout of a buffer in %s can change, not its element type",
      mem_name(src->space));
  return false;
}

/* ---- matrix products ---- */

/* Fixed valid extents of the accumulator are those of the product; the right K covers the left. */
static bool check_product_valid(OpCall *c, const Type *l, const Type *r, const Type *acc) {
  int64_t k = valid_extent_of(l, 1), rows = valid_extent_of(l, 0), cols = valid_extent_of(r, 1);
  int64_t rk = valid_extent_of(r, 0), m = valid_extent_of(acc, 0), n = valid_extent_of(acc, 1);
  bool runtime = RUNTIME_EXTENT == m || RUNTIME_EXTENT == rows || m == rows;
  runtime = runtime && (RUNTIME_EXTENT == n || RUNTIME_EXTENT == cols || n == cols);
  if (runtime && (k == RUNTIME_EXTENT || rk == RUNTIME_EXTENT || k <= rk)) return true;
  op_error(c, "valid extents [%lld, %lld] x [%lld, %lld] do not give [%lld, %lld]", (long long)rows,
           (long long)k, (long long)rk, (long long)cols, (long long)m, (long long)n);
  return false;
}

const Type *deduce_buffer_matmul(OpCall *c) {
  if (!arg_buffers(c, 3)) return NULL;
  const Type *l = c->args[0]->type, *r = c->args[1]->type, *acc = c->args[2]->type;
  if (l->space != MEM_LEFT || r->space != MEM_RIGHT || acc->space != MEM_ACC)
    return op_error(c, "the buffers must be in Left, Right and Acc");
  if (!check_dtype(c, 0, cube_types)) return NULL;
  DType sum = l->dtype == DT_INT8 ? DT_INT32 : DT_FP32;
  if (l->dtype != r->dtype || acc->dtype != sum)
    return op_error(c, "%s and %s do not add up to %s", dtype_name(l->dtype), dtype_name(r->dtype),
                    dtype_name(acc->dtype));
  if (l->rank != 2 || r->rank != 2 || acc->rank != 2 || extent_of(l, 1) != extent_of(r, 0) ||
      extent_of(l, 0) != extent_of(acc, 0) || extent_of(r, 1) != extent_of(acc, 1))
    return op_error(c, "the shapes must be [M, K], [K, N] and [M, N]");
  return check_product_valid(c, l, r, acc) ? no_value(c) : NULL;
}

/* ---- global memory ---- */

/* The window of `extents` at `offsets` lies in the tensor's valid part, where that is constant. */
static bool check_tensor_window(OpCall *c, const Type *tensor, Dims offsets, Dims extents) {
  Dims valid = valid_of(tensor);
  for (int i = 0; i < 2; i++) {
    int64_t limit, extent;
    if (!expr_const_int(valid.at[i], &limit)) continue;
    if (!expr_const_int(extents.at[i], &extent)) extent = 0;
    if (!check_window(c, i, offsets.at[i], extent, limit)) return false;
  }
  return true;
}

/* Checks (tensor, offsets, valid extents, buffer) of a transfer, given their argument numbers. */
static const Type *transfer(OpCall *c, int tensor_arg, int buffer_arg) {
  const Type *buffer = arg_buffer(c, buffer_arg), *tensor = c->args[tensor_arg]->type;
  if (!buffer) return NULL;
  if (tensor->kind != TYPE_TENSOR || tensor->rank != 2 || buffer->rank != 2)
    return op_error(c, "transfers between a plain tensor and a buffer of two dimensions");
  Dims offsets, extents;
  if (!arg_ints(c, 1, 2, &offsets) || !check_valid_operands(c, 2, buffer, 0, &extents) ||
      !check_tensor_window(c, tensor, offsets, extents))
    return NULL;
  return no_value(c);
}

const Type *deduce_buffer_load(OpCall *c) {
  const Type *dst = arg_buffer(c, 3), *tensor = arg_tensor(c, 0);
  if (!dst || !tensor) return NULL;
  if (!space_takes_loads(dst->space))
    return op_error(c, "loads into Vec or Mat, not %s", mem_name(dst->space));
  if (!check_dtype(c, 0, dst->space == MEM_VEC ? transfer_types : cube_types)) return NULL;
  if (dst->dtype != tensor->dtype)
    return op_error(c, "tensor and buffer must have the same element type, not %s and %s",
                    dtype_name(tensor->dtype), dtype_name(dst->dtype));
  return transfer(c, 0, 3);
}

const Type *deduce_buffer_store(OpCall *c) {
  const Type *src = arg_buffer(c, 0), *tensor = arg_tensor(c, 3);
  if (!src || !tensor) return NULL;
  if (src->space != MEM_VEC && src->space != MEM_ACC)
    return op_error(c, "stores from Vec or Acc, not %s", mem_name(src->space));
  bool narrows = src->space == MEM_ACC && src->dtype == DT_FP32 &&
                 (tensor->dtype == DT_FP16 || tensor->dtype == DT_BF16);
  if ((src->dtype != tensor->dtype && !narrows) || !check_dtype(c, 0, transfer_types))
    return src->dtype == tensor->dtype
               ? NULL
               : op_error(c, "%s cannot be stored as %s", dtype_name(src->dtype),
                          dtype_name(tensor->dtype));
  return transfer(c, 3, 0);
}
