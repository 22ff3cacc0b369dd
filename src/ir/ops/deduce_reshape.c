/* deduce_reshape.c -- which part of a reshaped tensor or tile is valid; see "Shapes" in
 * docs/operators/tensor.md.
 *
 * Two kinds of reshape keep a partly valid region.  Where only dimensions of extent 1 come and go,
 * every other dimension takes its valid extent along.  Else elements are told by their number in
 * memory: the valid ones must be those from 0 to n - 1, in the old shape and in the new. */
#include "ir/ops/deduce_region.h"

static const Dims failed = {NULL, 0};

static bool is_one(Ir *ir, Expr *e) { return extents_surely_equal(ir, e, expr_index(ir, 1)); }

/* ---------------------------------------------------------------- ones come and go */

/* The dimensions of extent 1 from `at` on, up to the next other dimension. */
typedef struct Ones {
  int at, n;
} Ones;

static Ones ones_from(Ir *ir, Dims shape, int at) {
  int end = at;
  while (end < shape.n && is_one(ir, shape.at[end])) end++;
  return (Ones){at, end - at};
}

/* A one that is not surely valid says more than that it is there, so it can't go. */
static int count_kept(Ir *ir, Dims valid, Ones x) {
  int kept = 0;
  for (int i = 0; i < x.n; i++) kept += !is_one(ir, valid.at[x.at + i]);
  return kept;
}

/* Between two other dimensions: old ones take the new places in order, a valid one only where enough
 * places are left for those that can't go.  Places left over are new, and valid. */
static bool place_ones(Ir *ir, Dims valid, Ones old, Ones new, Dims to, Expr **out) {
  int kept = count_kept(ir, valid, old), place = 0;
  if (kept > new.n) return false;
  for (int i = 0; i < old.n; i++) {
    Expr *v = valid.at[old.at + i];
    bool can_go = is_one(ir, v);
    if (can_go && new.n - place <= kept) continue;
    kept -= !can_go;
    out[new.at + place++] = v;
  }
  for (; place < new.n; place++) out[new.at + place] = to.at[new.at + place];
  return true;
}

static bool keep_dims(Ir *ir, Dims valid, Dims from, Dims to, Expr **out) {
  for (int i = 0, k = 0;; i++, k++) {
    Ones old = ones_from(ir, from, i), new = ones_from(ir, to, k);
    if (!place_ones(ir, valid, old, new, to, out)) return false;
    i += old.n;
    k += new.n;
    if (i == from.n || k == to.n) return i == from.n && k == to.n;
    if (!extent_equal(ir, from.at[i], to.at[k])) return false;
    out[k] = valid.at[i];
  }
}

/* ---------------------------------------------------------------- the first elements */

/* The elements 0 to `count` times `row` - 1; `limit` is the most that `count` can be. */
typedef struct Run {
  Expr *count, *limit;
  int64_t row;
} Run;

/* A shape is a mixed-radix number system, an element's place its number written in it.  From the last
 * digit inwards: a run fills whole digits, then some values of one digit, and has only zeros before. */
static bool as_run(OpCall *c, Dims valid, Dims from, Run *run) {
  Ir *ir = c->ir;
  int digit = valid.n - 1;
  while (digit > 0 && extents_surely_equal(ir, valid.at[digit], from.at[digit])) digit--;
  /* A digit of which only 0 is valid may count as one of the zeros. */
  while (digit + 1 < valid.n && extent_is_const(valid.at[digit], 1)) digit++;
  for (int i = 0; i < digit; i++)
    if (!extent_is_const(valid.at[i], 1)) {
      op_error(c, "cannot reshape %s: only %s of it is valid, and that is not one run of elements",
               dims_str(ir, from), dims_str(ir, valid));
      return false;
    }
  *run = (Run){valid.at[digit], from.at[digit], 1};
  for (int i = digit + 1; i < from.n; i++) {
    int64_t radix;
    if (expr_const_int(from.at[i], &radix) && !__builtin_mul_overflow(run->row, radix, &run->row))
      continue;
    op_error(c, "cannot reshape the partly valid %s: dimension %d must be a constant",
             dims_str(ir, from), i);
    return false;
  }
  return true;
}

static bool want_radices(OpCall *c, Dims from, Dims to) {
  for (int i = to.n - 1; i >= 0; i--) {
    int64_t radix;
    if (expr_const_int(to.at[i], &radix)) continue;
    op_error(c, "cannot reshape the partly valid %s into %s: dimension %d must be a constant",
             dims_str(c->ir, from), dims_str(c->ir, to), i);
    return false;
  }
  return true;
}

/* Writes `n` in the number system of `to`.  The first n elements are a box if only one digit is not
 * zero: then n is *value times what the digit's place is worth.  Returns the digit, or -1. */
static int only_digit(Dims to, int64_t n, int64_t *value) {
  for (int i = to.n - 1; i >= 0; i--) {
    int64_t radix = 0;
    if (!expr_const_int(to.at[i], &radix) || radix <= 0) return -1;
    if (i > 0 && n % radix == 0) {
      n /= radix;
      continue;
    }
    *value = n;
    return n <= radix ? i : -1;
  }
  return -1;
}

static Dims place_run(OpCall *c, Run run, Dims to) {
  Ir *ir = c->ir;
  int64_t count, limit, radix, value, n;
  bool known = expr_const_int(run.count, &count);
  if (!known) count = 1;
  if (__builtin_mul_overflow(count, run.row, &n)) return failed;
  int digit = only_digit(to, n, &value);
  if (digit < 0) return failed;
  /* Rows that are counted at run time must be what the digit counts, with room for all of them. */
  if (!known && (value != 1 || !expr_const_int(run.limit, &limit) ||
                 !expr_const_int(to.at[digit], &radix) || limit > radix))
    return failed;
  Expr **e = NEW_ARRAY(ir->arena, Expr *, to.n);
  for (int i = 0; i < to.n; i++) e[i] = i < digit ? expr_index(ir, 1) : to.at[i];
  e[digit] = known ? expr_int(ir, value, DT_INDEX, c->span) : run.count;
  return (Dims){e, to.n};
}

static Dims keep_run(OpCall *c, Dims valid, Dims from, Dims to) {
  Run run;
  if (!as_run(c, valid, from, &run) || !want_radices(c, from, to)) return failed;
  Dims out = place_run(c, run, to);
  if (!out.at)
    op_error(
        c,
        "cannot reshape %s, of which %s is valid, to %s: no box of the new shape holds exactly "
        "the valid elements",
        dims_str(c->ir, from), dims_str(c->ir, valid), dims_str(c->ir, to));
  return out;
}

/* ---------------------------------------------------------------- any reshape */

static bool is_whole(Ir *ir, Dims valid, Dims shape) {
  for (int i = 0; i < valid.n; i++)
    if (!extents_surely_equal(ir, valid.at[i], shape.at[i])) return false;
  return true;
}

static bool has_empty(Ir *ir, Dims valid) {
  for (int i = 0; i < valid.n; i++)
    if (extent_is_empty(ir, valid.at[i])) return true;
  return false;
}

Dims reshape_valid(OpCall *c, Dims valid, Dims from, Dims to, bool row_major) {
  Ir *ir = c->ir;
  if (!valid.n || !to.n) {
    op_error(c, "a shape without dimensions cannot be reshaped");
    return failed;
  }
  if (is_whole(ir, valid, from)) return to;
  Expr **out = NEW_ARRAY(ir->arena, Expr *, to.n);
  if (has_empty(ir, valid)) {
    for (int i = 0; i < to.n; i++) out[i] = expr_index(ir, 0);
    return (Dims){out, to.n};
  }
  if (keep_dims(ir, valid, from, to, out)) return (Dims){out, to.n};
  if (row_major) return keep_run(c, valid, from, to);
  op_error(c,
           "cannot reshape %s, of which only %s is valid: its elements are not stored row by row",
           dims_str(ir, from), dims_str(ir, valid));
  return failed;
}
