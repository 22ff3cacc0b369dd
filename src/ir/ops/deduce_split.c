/* deduce_split.c -- the boundary between the cube core and its two vector cores. */
#include "ir/ops/deduce_split.h"

#include "ir/ops/deduce.h"
#include "ir/print.h"

int split_mode(OpCall *c) {
  int64_t split = kwarg_int(c, "split", -1);
  if (split >= SPLIT_NONE && split <= SPLIT_LEFT_RIGHT) return (int)split;
  op_error(c, "'split' must be 0 (no axis), 1 (rows) or 2 (columns)");
  return -1;
}

/* The axis that a split mode divides. */
static int axis_of(int split) { return split - 1; }

static Expr *halved(Ir *ir, Expr *e, bool round_up) {
  int64_t v;
  DType t = e->type->dtype;
  if (expr_const_int(e, &v)) return expr_int(ir, (v + 1) / 2, t, e->span);
  Expr *two = expr_int(ir, 2, t, e->span);
  if (round_up) e = expr_binary(ir, EXPR_ADD, e, expr_int(ir, 1, t, e->span), t, e->span);
  return expr_binary(ir, EXPR_FLOOR_DIV, e, two, t, e->span);
}

static Expr *doubled(Ir *ir, Expr *e) {
  int64_t v;
  DType t = e->type->dtype;
  if (expr_const_int(e, &v)) return expr_int(ir, v * 2, t, e->span);
  return expr_binary(ir, EXPR_MUL, e, expr_int(ir, 2, t, e->span), t, e->span);
}

static Dims split_axis(Ir *ir, Dims d, int split, bool shard, bool round_up) {
  Dims r = dims_copy(ir, d);
  Expr **e = &r.at[axis_of(split)];
  *e = shard ? halved(ir, *e, round_up) : doubled(ir, *e);
  return r;
}

Dims split_extents(Ir *ir, Dims d, int split, bool shard) {
  return split_axis(ir, d, split, shard, false);
}

Dims split_valid(Ir *ir, Dims d, int split, bool shard) {
  return split_axis(ir, d, split, shard, true);
}

/* The pipe to the vector cores carries whole rows of the box.  Narrower columns are restored behind
 * it by a reshape, whose extents must be constants and the same on both cores; valid rows are free
 * only where the columns are full. */
bool split_crosses(OpCall *c, Dims shape, Dims valid, int split, bool shard) {
  if (!shard || shape.n != 2 || valid.n != 2 || extent_equal(c->ir, valid.at[1], shape.at[1]))
    return true;
  const char *cols = expr_str(c->ir, valid.at[1]), *of = expr_str(c->ir, shape.at[1]);
  bool rows_full = extent_equal(c->ir, valid.at[0], shape.at[0]);
  const char *advice = "make the columns fully valid first with pl.set_validshape";
  if (split == SPLIT_LEFT_RIGHT)
    op_error(
        c,
        "%s of %s columns are valid, so the two vector cores would get different numbers of them; "
        "split the rows, or %s",
        cols, of, advice);
  else if (!expr_const_int(valid.at[1], NULL))
    op_error(c, "the number of valid columns, %s of %s, must be constant; %s", cols, of, advice);
  else if (split == SPLIT_UP_DOWN && !rows_full)
    op_error(c, "only %s of %s rows and %s of %s columns are valid; %s",
             expr_str(c->ir, valid.at[0]), expr_str(c->ir, shape.at[0]), cols, of, advice);
  else if (!expr_const_int(valid.at[0], NULL))
    op_error(c,
             "the number of valid rows, %s, must be constant where only %s of %s columns are; %s",
             expr_str(c->ir, valid.at[0]), cols, of, advice);
  else
    return true;
  return false;
}

/* `lane_stride`, where the second core's part begins, lies within the first core's box. */
static bool check_lane_stride(OpCall *c, const Expr *extent) {
  const AttrValue *v = op_kwarg(c, "lane_stride");
  int64_t n;
  if (!v || (v->u.i > 0 && (!expr_const_int(extent, &n) || v->u.i <= (n + 1) / 2))) return true;
  op_error(c, "'lane_stride' must be positive and at most half of the axis, it is %lld",
           (long long)v->u.i);
  return false;
}

const Type *deduce_tile_split(OpCall *c) {
  Ir *ir = c->ir;
  bool shard = c->op->param & TILE_SHARD;
  const Type *tile = arg_tile(c, 0);
  int split = tile ? split_mode(c) : -1;
  if (split < 0) return NULL;
  Dims shape = dims_of(tile), valid = valid_of(tile);
  if (split != SPLIT_NONE) {
    if (tile->rank != 2) return op_error(c, "'tile' must have 2 dimensions, not %d", tile->rank);
    if (!check_lane_stride(c, shape.at[axis_of(split)])) return NULL;
  }
  if (!split_crosses(c, shape, valid, split, shard)) return NULL;
  if (split != SPLIT_NONE) {
    shape = split_extents(ir, shape, split, shard);
    valid = split_valid(ir, valid, split, shard);
  }
  /* A fresh tile: the other side's layout is found from its memory space. */
  TileView v = tile_view_plain();
  tile_view_set_valid(&v, valid);
  return tile_result(ir, shape, tile->dtype, &v, MEM_NONE);
}

/* Pushes have no value; pops get the type that is written for them. */
const Type *deduce_tile_none(OpCall *c) { return type_unknown(c->ir); }
