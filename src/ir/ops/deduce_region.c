/* deduce_region.c -- valid regions through windows and writes; see
 * docs/operators/tensor.md. */
#include "ir/ops/deduce_region.h"

#include <string.h>

#include "ir/print.h"

/* The hint that goes with a refusal. */
static void hint(OpCall *c, const char *text) {
  if (text) diag_note(c->ir->diag, c->span, "%s", text);
}

static bool want_rank(OpCall *c, const char *what, int n, int rank) {
  if (n == rank) return true;
  op_error(c, "%s has %d dimensions where %d are needed", what, n, rank);
  return false;
}

static bool want_offset(OpCall *c, Expr *offset, int dim) {
  Expr *zero = expr_index(c->ir, 0);
  if (extent_le(c->ir, zero, offset) || !extent_gt(c->ir, zero, offset)) return true;
  op_error(c, "the offset %s of dimension %d is negative", expr_str(c->ir, offset), dim);
  return false;
}

/* offset + extent is not surely past `limit`. */
static bool want_inside(OpCall *c, int dim, Expr *offset, Expr *extent, Expr *limit,
                        const char *does, const char *remedy) {
  if (!expr_is_int_scalar(offset) || !expr_is_int_scalar(extent) || !expr_is_int_scalar(limit))
    return true;
  Expr *end = extent_add(c->ir, offset, extent, c->span);
  if (!extent_gt(c->ir, end, limit)) return true;
  op_error(c, "%s past the end of dimension %d: offset %s and extent %s exceed %s", does, dim,
           expr_str(c->ir, offset), expr_str(c->ir, extent), expr_str(c->ir, limit));
  hint(c, remedy);
  return false;
}

/* ---------------------------------------------------------------- window read */

static bool window_dim_ok(OpCall *c, const WindowRead *w, int i) {
  if (!want_offset(c, w->offsets.at[i], i)) return false;
  if (w->requested.n && extent_gt(c->ir, w->requested.at[i], w->window.at[i])) {
    op_error(c, "valid_shape[%d] is %s, more than the window's %s", i,
             expr_str(c->ir, w->requested.at[i]), expr_str(c->ir, w->window.at[i]));
    return false;
  }
  if (w->clamp) return true;
  Expr *reach = w->exact || !w->requested.n ? w->window.at[i] : w->requested.at[i];
  return want_inside(c, i, w->offsets.at[i], reach, w->physical.at[i], "reads", w->remedy);
}

/* What of the source's valid region lies under the window in dimension `i`; NULL after op_error. */
static Expr *window_available(OpCall *c, const WindowRead *w, int i) {
  Expr *offset = w->offsets.at[i], *valid = w->valid.at[i], *window = w->window.at[i];
  bool full = dim_equal(valid, w->physical.at[i]);
  if (full && !w->clamp && (!w->materialize || valid->kind == EXPR_INT)) return window;
  if (!expr_is_int_scalar(offset))
    return op_error(c, "the offset of dimension %d must be an integer, but is %s", i,
                    type_str(c->ir, offset->type));
  Expr *left = valid;
  if (!extent_equal(c->ir, offset, expr_index(c->ir, 0))) {
    Expr *edge = extent_binary(c->ir, EXPR_MAX, valid, offset, c->span);
    left = extent_fold(c->ir, extent_binary(c->ir, EXPR_SUB, edge, offset, c->span));
  }
  return extent_min(c->ir, left, window, c->span);
}

Expr **window_read_valid(OpCall *c, const WindowRead *w) {
  int n = w->window.n;
  if (!want_rank(c, "the source", w->physical.n, n) ||
      !want_rank(c, "the offset", w->offsets.n, n) ||
      !want_rank(c, "the source's valid shape", w->valid.n, n) ||
      (w->requested.n && !want_rank(c, "valid_shape", w->requested.n, n)))
    return NULL;
  Expr **out = NEW_ARRAY(c->ir->arena, Expr *, n + 1);
  for (int i = 0; i < n; i++) {
    if (!window_dim_ok(c, w, i)) return NULL;
    Expr *available = window_available(c, w, i);
    if (!available) return NULL;
    out[i] = available;
    if (!w->requested.n) continue;
    Expr *wanted = w->requested.at[i];
    if (w->materialize) {
      out[i] = extent_min(c->ir, wanted, available, c->span);
    } else if (dim_equal(available, w->window.at[i]) || !extent_le(c->ir, available, wanted)) {
      out[i] = wanted;
    }
  }
  return out;
}

/* ---------------------------------------------------------------- write union
 *
 * Both the target's region and what is written are boxes; the first starts at the origin.  Their union is
 * a box again if one holds the other, or if they agree in all dimensions but one and meet in that. */

static const Dims failed = {NULL, 0};

static bool all_full(Ir *ir, Dims valid, Dims shape) {
  for (int i = 0; i < valid.n; i++)
    if (!dim_equal(valid.at[i], shape.at[i]) && !extent_equal(ir, valid.at[i], shape.at[i]))
      return false;
  return true;
}

static bool at_origin(Ir *ir, Dims offsets) {
  for (int i = 0; i < offsets.n; i++)
    if (!extent_is_empty(ir, offsets.at[i])) return false;
  return true;
}

/* Is each of the first surely at most its fellow? */
static bool all_within(Ir *ir, Dims inner, Dims outer) {
  for (int i = 0; i < inner.n; i++)
    if (!extent_le(ir, inner.at[i], outer.at[i])) return false;
  return true;
}

static int first_empty(Ir *ir, Dims x) {
  for (int i = 0; i < x.n; i++)
    if (extent_is_empty(ir, x.at[i])) return i;
  return -1;
}

static bool write_fits(OpCall *c, const RegionWrite *w) {
  int n = w->target.n;
  if (!want_rank(c, "the source", w->source.n, n) || !want_rank(c, "the offset", w->offsets.n, n) ||
      !want_rank(c, "the target's valid shape", w->target_valid.n, n) ||
      !want_rank(c, "the source's valid shape", w->source_valid.n, n))
    return false;
  for (int i = 0; i < n; i++) {
    Expr *extent = w->exact ? w->source.at[i] : w->source_valid.at[i];
    if (!want_offset(c, w->offsets.at[i], i) ||
        !want_inside(c, i, w->offsets.at[i], extent, w->target.at[i], "writes", w->remedy))
      return false;
  }
  return true;
}

/* Where what is written ends; .at is NULL after op_error. */
static Dims write_ends(OpCall *c, const RegionWrite *w) {
  Expr **end = NEW_ARRAY(c->ir->arena, Expr *, w->target.n);
  for (int i = 0; i < w->target.n; i++) {
    Expr *offset = w->offsets.at[i], *extent = w->source_valid.at[i];
    bool shifted = !extent_is_empty(c->ir, offset);
    if (shifted && (!expr_is_int_scalar(offset) || !expr_is_int_scalar(extent))) {
      op_error(c, "the offset and the valid extent of dimension %d must be integers", i);
      return failed;
    }
    end[i] = shifted ? extent_add(c->ir, offset, extent, c->span) : extent;
  }
  return (Dims){end, w->target.n};
}

/* In every dimension but `axis` the write covers what is valid, no more and no less. */
static bool want_agreement(OpCall *c, const RegionWrite *w, int axis) {
  for (int i = 0; i < w->target.n; i++) {
    Expr *offset = w->offsets.at[i], *extent = w->source_valid.at[i], *old = w->target_valid.at[i];
    if (i == axis || (extent_is_empty(c->ir, offset) && extent_equal(c->ir, extent, old))) continue;
    op_error(c,
             "grows dimension %d of the valid region, but does not cover exactly its dimension %d "
             "(%s from %s, against %s), so the valid data would be no box",
             axis, i, expr_str(c->ir, extent), expr_str(c->ir, offset), expr_str(c->ir, old));
    return false;
  }
  return true;
}

/* Neither box holds the other. */
static Dims joined(OpCall *c, const RegionWrite *w, Dims ends) {
  Ir *ir = c->ir;
  int growing = 0, axis = -1;
  for (int i = ends.n - 1; i >= 0; i--) {
    if (extent_le(ir, ends.at[i], w->target_valid.at[i])) continue;
    growing++;
    axis = i;
  }
  if (growing > 1) {
    op_error(c,
             "grows %d dimensions of the valid region %s at once (writing %s at %s), so the valid "
             "data would be no box",
             growing, dims_str(ir, w->target_valid), dims_str(ir, w->source_valid),
             dims_str(ir, w->offsets));
    return failed;
  }
  Expr *start = w->offsets.at[axis], *old = w->target_valid.at[axis];
  if (!extent_le(ir, start, old)) {
    op_error(c, "leaves a gap in dimension %d: the write starts at %s, behind the valid extent %s",
             axis, expr_str(ir, start), expr_str(ir, old));
    return failed;
  }
  if (!want_agreement(c, w, axis)) return failed;
  Expr **out = COPY_ARRAY(ir->arena, Expr *, w->target_valid.at, ends.n);
  Expr *edge = extent_max(ir, old, ends.at[axis], c->span);
  out[axis] = extent_min(ir, edge, w->target.at[axis], c->span);
  return (Dims){out, ends.n};
}

Dims write_union_valid(OpCall *c, const RegionWrite *w) {
  Ir *ir = c->ir;
  if (!write_fits(c, w)) return failed;
  if (first_empty(ir, w->source_valid) >= 0) return w->target_valid;
  bool origin = at_origin(ir, w->offsets);
  int empty = first_empty(ir, w->target_valid);
  if (empty >= 0) {
    if (origin) return w->source_valid;
    op_error(c,
             "writes at %s into a target whose valid region is empty in dimension %d; the first "
             "write must be at the origin",
             dims_str(ir, w->offsets), empty);
    return failed;
  }
  if (all_full(ir, w->target_valid, w->target)) return w->target_valid;
  Dims ends = write_ends(c, w);
  if (!ends.at) return failed;
  if (all_within(ir, ends, w->target_valid)) return w->target_valid;
  if (origin && all_within(ir, w->target_valid, w->source_valid)) return w->source_valid;
  return joined(c, w, ends);
}

/* ---------------------------------------------------------------- slices, scalars */

int drop_dims_read(OpCall *c, Expr *operand, Dims shape, Dims valid, bool *drop) {
  memset(drop, 0, sizeof *drop * (size_t)shape.n);
  if (!operand) return 0;
  Dims axes = {operand->u.tuple.elems, operand->u.tuple.len};
  for (int i = 0; i < axes.n; i++) {
    int64_t a;
    if (!expr_const_int(axes.at[i], &a)) return op_error(c, "drop_dims must be constants"), -1;
    if (a < 0 || a >= shape.n)
      return op_error(c, "drop_dims names dimension %lld of %d", (long long)a, shape.n), -1;
    if (drop[a]) return op_error(c, "drop_dims names dimension %lld twice", (long long)a), -1;
    if (!extent_is_const(shape.at[a], 1))
      return op_error(c, "drop_dims can drop only dimensions of extent 1, but dimension %lld is %s",
                      (long long)a, expr_str(c->ir, shape.at[a])),
             -1;
    if (valid.n && !extent_equal(c->ir, valid.at[a], expr_index(c->ir, 1)))
      return op_error(c, "cannot drop dimension %lld: its valid extent %s is not surely 1",
                      (long long)a, expr_str(c->ir, valid.at[a])),
             -1;
    drop[a] = true;
  }
  return axes.n;
}

Dims dims_without(Ir *ir, Dims x, const bool *drop) {
  Expr **e = NEW_ARRAY(ir->arena, Expr *, x.n + 1);
  int n = 0;
  for (int i = 0; i < x.n; i++)
    if (!drop[i]) e[n++] = x.at[i];
  return (Dims){e, n};
}

bool want_nonempty(OpCall *c, Dims valid) {
  for (int i = 0; i < valid.n; i++)
    if (extent_is_empty(c->ir, valid.at[i])) {
      op_error(c, "nothing to reduce: the valid region %s is empty in dimension %d",
               dims_str(c->ir, valid), i);
      return false;
    }
  return true;
}

bool want_init_cond(OpCall *c, int arg) {
  if (c->nargs <= arg) return true;
  const Type *t = c->args[arg]->type;
  if (t->kind == TYPE_SCALAR && t->dtype == DT_BOOL) return true;
  op_error(c, "init_cond must be a condition such as `k == 0`, but is %s", type_str(c->ir, t));
  return false;
}

/* ---------------------------------------------------------------- gather_row */

bool want_gather_row(OpCall *c) {
  Dims shapes;
  if (!arg_list(c, 4, &shapes)) return false;
  for (int i = 0; i < shapes.n; i++)
    if (shapes.at[i]->kind != EXPR_INT) {
      op_error(c, "shapes[%d] must be a constant; pass a run-time extent as valid_shape", i);
      return false;
    }
  if (c->nargs < 6) return true;
  Dims valid;
  if (!arg_list(c, 5, &valid) || !want_rank(c, "valid_shape", valid.n, shapes.n)) return false;
  bool transpose = kwarg_bool(c, "transpose", false);
  for (int i = 0; i < valid.n; i++) {
    if (transpose && valid.at[i]->kind != EXPR_INT) {
      op_error(c, "valid_shape must be constant with transpose=True");
      return false;
    }
    if (extent_gt(c->ir, expr_index(c->ir, 0), valid.at[i]) ||
        extent_gt(c->ir, valid.at[i], shapes.at[i])) {
      op_error(c, "valid_shape[%d] is %s, which is not between 0 and %s", i,
               expr_str(c->ir, valid.at[i]), expr_str(c->ir, shapes.at[i]));
      return false;
    }
  }
  return true;
}

/* ---------------------------------------------------------------- reinterpret_view */

static const DType viewable[] = {DT_INT8,   DT_INT16,  DT_INT32, DT_INT64, DT_UINT8, DT_UINT16,
                                 DT_UINT32, DT_UINT64, DT_FP16,  DT_FP32,  DT_BF16,  DT_NONE};

/* An extent of elements of `from` bytes counted in elements of `to` bytes, or NULL: not surely
 * whole. */
static Expr *scale_extent(Ir *ir, Expr *e, int from, int to, Span span) {
  int64_t v, n;
  if (from == to) return e;
  if (from > to) {
    int64_t factor = from / to;
    if (expr_const_int(e, &v))
      return __builtin_mul_overflow(v, factor, &n) ? NULL
                                                   : expr_int(ir, n, e->type->dtype, e->span);
    return expr_binary(ir, EXPR_MUL, e, expr_int(ir, factor, DT_INDEX, span), DT_INDEX, span);
  }
  int64_t divisor = to / from;
  if (expr_const_int(e, &v))
    return v % divisor ? NULL : expr_int(ir, v / divisor, e->type->dtype, e->span);
  if (e->kind != EXPR_MUL) return NULL;
  if (extent_is_const(e->u.bin.rhs, divisor)) return e->u.bin.lhs;
  return extent_is_const(e->u.bin.lhs, divisor) ? e->u.bin.rhs : NULL;
}

static bool scale_axis(Ir *ir, Dims x, int axis, int from, int to, Span span, Dims *out) {
  Expr *scaled = scale_extent(ir, x.at[axis], from, to, span);
  if (!scaled) return false;
  Expr **e = COPY_ARRAY(ir->arena, Expr *, x.at, x.n);
  e[axis] = scaled;
  *out = (Dims){e, x.n};
  return true;
}

static bool positive_dims(OpCall *c, Dims x, const char *what) {
  for (int i = 0; i < x.n; i++) {
    int64_t v;
    if (!expr_const_int(x.at[i], &v) || v > 0) continue;
    op_error(c, "dimension %d of the %s must be positive, but is %lld", i, what, (long long)v);
    return false;
  }
  return true;
}

/* Bytes of constant extents, or -1. */
static int64_t const_bytes(Dims x, int bytes) {
  int64_t n = bytes;
  for (int i = 0; i < x.n; i++) {
    int64_t v;
    if (!expr_const_int(x.at[i], &v) || __builtin_mul_overflow(n, v, &n)) return -1;
  }
  return n;
}

static bool same_bytes(OpCall *c, Dims from, int from_size, Dims to, int to_size) {
  int64_t a = const_bytes(from, from_size), b = const_bytes(to, to_size);
  if (a < 0 || b < 0) {
    op_error(
        c,
        "cannot show that %s and %s hold as many bytes: give constant shapes, or leave out 'shape'",
        dims_str(c->ir, from), dims_str(c->ir, to));
    return false;
  }
  if (a == b) return true;
  op_error(c, "the new shape holds %lld bytes, the old one %lld", (long long)b, (long long)a);
  return false;
}

bool reinterpret_shapes(OpCall *c, Dims shape, Dims valid, DType from, DType to, int axis,
                        Dims wanted, Reinterpret *out) {
  Ir *ir = c->ir;
  DType both[] = {from, to};
  for (int i = 0; i < 2; i++)
    if (!dtype_in(both[i], viewable)) {
      op_error(c, "cannot reinterpret element type %s; %s can be", dtype_name(both[i]),
               dtype_set_str(ir, viewable));
      return false;
    }
  if (from == to) {
    op_error(c, "the element type is %s already; use reshape to change the shape only",
             dtype_name(to));
    return false;
  }
  if (!positive_dims(c, shape, "source") || !positive_dims(c, wanted, "new shape")) return false;
  int a = dtype_get_byte(from), b = dtype_get_byte(to);
  Dims scaled, valid_scaled;
  bool scales = scale_axis(ir, shape, axis, a, b, c->span, &scaled);
  bool partial = valid.n && !dims_equivalent(valid, shape);
  if (!scales && (!wanted.n || partial)) {
    op_error(c, "dimension %d, of extent %s, is not surely a multiple of %d", axis,
             expr_str(ir, shape.at[axis]), b / a);
    return false;
  }
  bool as_scaled = scales && (!wanted.n || dims_equivalent(wanted, scaled));
  if (!as_scaled && !same_bytes(c, shape, a, wanted, b)) return false;
  out->shape = wanted.n ? wanted : scaled;
  out->valid = (Dims){NULL, 0};
  if (!partial) return true;
  if (!as_scaled) {
    op_error(
        c,
        "only a part of the source is valid, and the new shape cannot keep it; leave out 'shape'");
    return false;
  }
  if (!scale_axis(ir, valid, axis, a, b, c->span, &valid_scaled)) {
    op_error(c, "the valid extent %s of dimension %d is not surely a multiple of %d",
             expr_str(ir, valid.at[axis]), axis, b / a);
    return false;
  }
  out->valid = valid_scaled;
  return true;
}
