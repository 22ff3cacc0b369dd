/* convert_remote.c -- transfers between ranks go through staging tiles. */
#include "passes/tensor_to_tile/convert.h"

/* Rows and columns of the stage: the transfer as a matrix, cut to the chunk asked for. */
static Expr *stage_shape(Conv *c, Dims shape) {
  int64_t chunk_rows = conv_int(c, "chunk_rows", 0), chunk_cols = conv_int(c, "chunk_cols", 0);
  int64_t rows = 1, cols = -1, n;
  for (int i = 0; i + 1 < shape.n && rows >= 0; i++)
    rows = expr_const_int(shape.at[i], &n) ? rows * n : -1;
  if (expr_const_int(shape.at[shape.n - 1], &n)) cols = n;
  if (rows < 0 && chunk_rows <= 0)
    return conv_error(c, "a transfer with a dynamic number of rows needs chunk_rows");
  if (cols < 0 && chunk_cols <= 0)
    return conv_error(c, "a transfer with dynamic columns needs chunk_cols");
  if (rows < 0 || (chunk_rows > 0 && chunk_rows < rows)) rows = chunk_rows;
  if (cols < 0 || (chunk_cols > 0 && chunk_cols < cols)) cols = chunk_cols;
  return CONV_TUPLE(c, conv_index(c, rows), conv_index(c, cols));
}

/* dst, peer, src, stage(s)[, dst offsets, src offsets, shape] */
static Expr *transfer(Conv *c, OpId to, const char *stage, const char *ping, const char *pong,
                      AttrList kwargs) {
  const Type *dst = c->args[0]->type;
  Dims shape = dims_of(dst);
  if (c->nargs == 6) {
    Expr *given = c->args[5];
    if (given->kind != EXPR_TUPLE) return conv_error(c, "the shape must be written as a list");
    shape = (Dims){given->u.tuple.elems, given->u.tuple.len};
  }
  if (!shape.n) return conv_error(c, "there is nothing to transfer");
  Expr *dims = stage_shape(c, shape);
  bool pipeline = conv_flag(c, "pipeline", false);
  Expr *args[8];
  int n = 0;
  while (n < 3) args[n] = c->args[n], n++;
  args[n++] = conv_scratch(c, pipeline ? ping : stage, dims, dst->dtype);
  if (pipeline) args[n++] = conv_scratch(c, pong, dims, dst->dtype);
  for (int i = 3; i < c->nargs; i++) args[n++] = c->args[i];
  return conv_op(c, to, args, n, kwargs);
}

Expr *convert_put(Conv *c) {
  if (type_is_tile(c->args[2]->type))
    return conv_error(c,
                      "the source is a computed value without an address in global memory; "
                      "pld.tensor.remote_store pushes such a value");
  AttrList kw = c->kwargs;
  static const char *const own[] = {"chunk_rows", "chunk_cols", "pipeline"};
  for (int i = 0; i < 3; i++) kw = attr_without(c->ir, kw, ir_name(c->ir, own[i]));
  return transfer(c, OP_PLD_TILE_PUT, "tput_stage", "tput_stage_ping", "tput_stage_pong", kw);
}

Expr *convert_get(Conv *c) {
  return transfer(c, OP_PLD_TILE_GET, "tget_stage", "tget_stage_ping", "tget_stage_pong",
                  NO_KWARGS);
}
