/* convert_gather.c -- gather along a dimension, by comparison, and over a page table.
 *
 * The instruction gathers within one row.  Along the last dimension rows are gathered one by one (or all
 * at once with flat indices, where the target has that); along another dimension the part that a
 * result row draws from is laid out as one row, and flat indices point into it.
 */
#include "passes/tensor_to_tile/convert.h"

enum { INT16_INDICES = 32768 };

/* The operands and their extents; `index` has the shape of the result. */
typedef struct Gather {
  Conv *c;
  Expr *input, *index;
  int64_t in[3], out[3];
} Gather;

static Expr *index_of(Gather *g, int64_t v) { return conv_index(g->c, v); }

/* The part of a tensor or tile at `offsets`. */
static Expr *part(Conv *c, const char *name, Expr *src, Expr *offsets, Expr *shape) {
  if (type_is_tile(src->type))
    return conv_bind(c, name, CONV_OP(c, OP_TILE_SLICE, NO_KWARGS, src, shape, offsets, shape));
  return conv_bind(c, name,
                   CONV_OP(c, OP_TILE_LOAD, conv_kw_space(c, MEM_VEC), src, offsets, shape, shape));
}

static Expr *reshape2(Gather *g, const char *name, Expr *tile, int64_t rows, int64_t cols) {
  Expr *dims[] = {index_of(g, rows), index_of(g, cols)};
  return tile ? conv_reshape(g->c, name, tile, dims, 2) : NULL;
}

static Expr *pair(Gather *g, int64_t rows, int64_t cols) {
  return CONV_TUPLE(g->c, index_of(g, rows), index_of(g, cols));
}

static Expr *gather_row(Gather *g, Expr *src, Expr *index, int64_t cols) {
  Expr *tmp = conv_scratch(g->c, "gather_row_tmp", pair(g, 1, cols), DT_INT32);
  return conv_bind(g->c, "gather_row", CONV_OP(g->c, OP_TILE_GATHER, NO_KWARGS, src, index, tmp));
}

/* A loop that fills a tile row by row; `name` begins the names of all that it makes. */
typedef struct RowLoop {
  ConvLoop loop;
  const char *name;
} RowLoop;

static const char *part_name(Gather *g, const char *name, const char *suffix) {
  return arena_printf(g->c->ir->arena, "%s%s", name, suffix);
}

static void rows_begin(Gather *g, RowLoop *l, const char *name, Expr *stop, int64_t rows,
                       int64_t cols) {
  Expr *init = conv_scratch(g->c, part_name(g, name, "_acc_init"), pair(g, rows, cols),
                            g->input->type->dtype);
  l->name = name;
  conv_loop_begin(&l->loop, g->c, stop, part_name(g, name, "_lv"), part_name(g, name, "_ia"),
                  part_name(g, name, "_rv"), init);
}

static Expr *rows_end(Gather *g, RowLoop *l, Expr *row) {
  Expr *at = CONV_TUPLE(g->c, l->loop.var, index_of(g, 0));
  Expr *next = CONV_OP(g->c, OP_TILE_ASSEMBLE, NO_KWARGS, l->loop.carried, row, at);
  return conv_loop_end(&l->loop, conv_bind(g->c, part_name(g, l->name, "_asmbl"), next));
}

/* ---------------------------------------------------------------- all rows at once */

/* flat[i, j] = i * width + index[i, j].  A linear count divided by the row length gives the row number
 * with rows that stay aligned; short rows add a column instead. */
static Expr *flat_index(Gather *g, Expr *index, int64_t rows, int64_t width, int64_t cols) {
  Conv *c = g->c;
  DType dtype = g->index->type->dtype;
  const AttrList ci = conv_kw(c, conv_kw_dtype(c, DT_INT32), "descending", attr_of_bool(false));
  if (index && dtype != DT_INT32) index = conv_cast(c, "gather_idx_i32", index, DT_INT32, "none");
  Expr *zero = conv_const(c, 0, DT_INT32), *step = conv_const(c, (double)width, DT_INT32);
  Expr *flat = index;
  if (rows > 1 && cols % 8 == 0) {
    Expr *count =
        conv_bind(c, "gather_lin", CONV_OP(c, OP_TILE_CI, ci, zero, pair(g, 1, rows * cols)));
    Expr *grid = reshape2(g, "gather_lin2d", count, rows, cols);
    Expr *row =
        conv_bind(c, "gather_row_ids",
                  CONV_OP(c, OP_TILE_DIVS, NO_KWARGS, grid, conv_const(c, (double)cols, DT_INT32)));
    Expr *base = conv_bind(c, "gather_row_base", CONV_OP(c, OP_TILE_MULS, NO_KWARGS, row, step));
    flat = conv_bind(c, "gather_flat_idx", CONV_OP(c, OP_TILE_ADD, NO_KWARGS, index, base));
  } else if (rows > 1) {
    Expr *count =
        conv_bind(c, "gather_ci_rows", CONV_OP(c, OP_TILE_CI, ci, zero, pair(g, 1, rows)));
    Expr *column = reshape2(g, "gather_row_arange", count, rows, 1);
    Expr *base = conv_bind(c, "gather_row_base", CONV_OP(c, OP_TILE_MULS, NO_KWARGS, column, step));
    flat =
        conv_bind(c, "gather_flat_idx", CONV_OP(c, OP_TILE_ROW_EXPAND_ADD, NO_KWARGS, index, base));
  }
  return dtype == DT_INT32 || !flat ? flat : conv_cast(c, "gather_flat_cast", flat, dtype, "none");
}

/* A slice of a wider tile keeps that tile's row length, which flat indices do not know: copy it. */
static Expr *packed(Gather *g, Expr *tile, int64_t rows, int64_t cols) {
  if (!tile || !type_is_tile(g->input->type)) return tile;
  Expr *fresh = conv_scratch(g->c, "gather_src_alloc", pair(g, rows, cols), g->input->type->dtype);
  return conv_bind(g->c, "gather_src_copy",
                   CONV_OP(g->c, OP_TILE_ASSEMBLE, NO_KWARGS, fresh, tile, pair(g, 0, 0)));
}

/* `rank` 2 or 3, along the last dimension; leading dimensions count as rows. */
static Expr *gather_flat(Gather *g, int rank) {
  Conv *c = g->c;
  int64_t rows = rank == 2 ? g->out[0] : g->out[0] * g->out[1];
  int64_t width = g->in[rank - 1], cols = g->out[rank - 1];
  if (g->index->type->dtype == DT_INT16 && width && rows > INT16_INDICES / width)
    return conv_error(c, "%lld rows of %lld columns are more than INT16 indices can name",
                      (long long)rows, (long long)width);
  Expr *zeros = conv_zeros(c, rank), *src, *index;
  Expr *lead[] = {index_of(g, g->out[0]), index_of(g, rank == 2 ? width : g->out[1]),
                  index_of(g, width)};
  src = part(c, rank == 2 ? "gather_inp" : "gather_inp_raw", g->input, zeros,
             conv_tuple(c, lead, rank));
  if (rank == 3) src = reshape2(g, "gather_inp", src, rows, width);
  src = packed(g, src, rows, width);
  lead[rank - 1] = index_of(g, cols);
  index = part(c, rank == 2 ? "gather_idx" : "gather_idx_raw", g->index, zeros,
               conv_tuple(c, lead, rank));
  if (rank == 3) index = reshape2(g, "gather_idx", index, rows, cols);
  Expr *flat = flat_index(g, index, rows, width, cols);
  Expr *tmp = conv_scratch(c, "gather_tmp", pair(g, rows, cols), DT_INT32);
  Expr *out = conv_bind(c, "gather", CONV_OP(c, OP_TILE_GATHER, NO_KWARGS, src, flat, tmp));
  return rank == 2 ? out : reshape2(g, "gather_out", out, rows, cols);
}

/* ---------------------------------------------------------------- row by row */

static Expr *gather_rows2(Gather *g) {
  Conv *c = g->c;
  RowLoop l;
  rows_begin(g, &l, "gather", g->index->type->shape[0], g->out[0], g->out[1]);
  Expr *at = CONV_TUPLE(c, l.loop.var, index_of(g, 0));
  Expr *src = part(c, "gather_inp_row", g->input, at, pair(g, 1, g->in[1]));
  Expr *index = part(c, "gather_idx_row", g->index, at, pair(g, 1, g->out[1]));
  return rows_end(g, &l, gather_row(g, src, index, g->out[1]));
}

static Expr *gather_rows3(Gather *g) {
  Conv *c = g->c;
  Expr *one = index_of(g, 1);
  int64_t cols = g->out[2];
  RowLoop outer, inner;
  rows_begin(g, &outer, "gather_outer", g->index->type->shape[0], g->out[0], g->out[1] * cols);
  rows_begin(g, &inner, "gather_inner", g->index->type->shape[1], g->out[1], cols);
  Expr *at = CONV_TUPLE(c, outer.loop.var, inner.loop.var, index_of(g, 0));
  Expr *src =
      part(c, "gather_inp_raw", g->input, at, CONV_TUPLE(c, one, one, index_of(g, g->in[2])));
  src = reshape2(g, "gather_inp_row", src, 1, g->in[2]);
  Expr *index = part(c, "gather_idx_raw", g->index, at, CONV_TUPLE(c, one, one, index_of(g, cols)));
  index = reshape2(g, "gather_idx_row", index, 1, cols);
  Expr *rows = rows_end(g, &inner, gather_row(g, src, index, cols));
  Expr *all = rows_end(g, &outer, reshape2(g, "gather_inner_flat", rows, 1, g->out[1] * cols));
  return reshape2(g, "gather_out", all, g->out[0] * g->out[1], cols);
}

/* Along dimension 0 or 1 of three: result row r = i0 * n1 + i1 draws from a plane of the input. */
static Expr *gather_plane(Gather *g, int dim) {
  Conv *c = g->c;
  DType dtype = g->input->type->dtype;
  if (dtype != DT_FP32 && dtype != DT_INT32)
    return conv_error(c, "along dimension %d only FP32 and INT32 are gathered, not %s", dim,
                      dtype_name(dtype));
  int64_t cols = g->out[2], rows = g->out[0] * g->out[1], deep = g->in[dim];
  Expr *zero = index_of(g, 0), *one = index_of(g, 1), *n1 = index_of(g, g->out[1]);
  Expr *range = conv_bind(c, "gather_range",
                          CONV_OP(c, OP_TILE_CI, conv_kw_dtype(c, DT_INT32),
                                  conv_const(c, 0, DT_INT32), pair(g, 1, cols)));
  RowLoop l;
  rows_begin(g, &l, "gather_main", index_of(g, rows), rows, cols);
  Expr *i0 = expr_binary(c->ir, EXPR_FLOOR_DIV, l.loop.var, n1, DT_INDEX, c->span);
  Expr *i1 = expr_binary(c->ir, EXPR_FLOOR_MOD, l.loop.var, n1, DT_INDEX, c->span);
  Expr **dims = g->input->type->shape;
  Expr *at = dim == 0 ? CONV_TUPLE(c, zero, i1, zero) : CONV_TUPLE(c, i0, zero, zero);
  Expr *shape =
      dim == 0 ? CONV_TUPLE(c, dims[0], one, dims[2]) : CONV_TUPLE(c, one, dims[1], dims[2]);
  Expr *src = part(c, "gather_inp_raw", g->input, at, shape);
  Expr *plane[] = {dims[dim], dims[2]};
  src = src ? conv_reshape(c, "gather_inp_2d", src, plane, 2) : NULL;
  src = reshape2(g, "gather_inp_flat", src, 1, deep * g->in[2]);
  Expr *index = part(c, "gather_idx_raw", g->index, CONV_TUPLE(c, i0, i1, zero),
                     CONV_TUPLE(c, one, one, g->index->type->shape[2]));
  index = reshape2(g, "gather_idx_row", index, 1, cols);
  Expr *scaled = conv_bind(
      c, "gather_idx_s",
      CONV_OP(c, OP_TILE_MULS, NO_KWARGS, index, conv_const(c, (double)g->in[2], DT_INT32)));
  Expr *flat = conv_bind(c, "gather_fidx", CONV_OP(c, OP_TILE_ADD, NO_KWARGS, scaled, range));
  Expr *all = rows_end(g, &l, gather_row(g, src, flat, cols));
  return reshape2(g, "gather_out", all, rows, cols);
}

Expr *convert_gather(Conv *c) {
  Gather g = {.c = c, .input = c->args[0], .index = c->args[1]};
  int rank = g.input->type->rank;
  int64_t dim = conv_int(c, "dim", -1);
  if (dim < 0) dim += rank;
  if (rank < 2 || rank > 3 || g.index->type->rank != rank)
    return conv_error(c, "only two and three dimensions are gathered");
  for (int i = 0; i < rank; i++) {
    /* Rows of the input may be as many as there are: those that the index names are read. */
    bool needed = i == dim || i == rank - 1;
    if (needed)
      g.in[i] = conv_dim(c, g.input->type, i, "a dimension of the input that indices reach");
    g.out[i] = conv_dim(c, g.index->type, i, "every dimension of the index");
    if (g.in[i] < 0 || g.out[i] < 0) return NULL;
  }
  if (dim == rank - 1) {
    if (c->target->flat_gather) return gather_flat(&g, rank);
    return rank == 2 ? gather_rows2(&g) : gather_rows3(&g);
  }
  if (rank == 2) return conv_error(c, "a matrix is gathered along its last dimension only");
  return gather_plane(&g, (int)dim);
}

Expr *convert_gather_compare(Conv *c) {
  const Type *t = c->args[0]->type;
  if (!type_is_tile(t) || t->rank != 2) return conv_error(c, "the input must be a matrix");
  Expr *tmp = conv_scratch(c, "gc_tmp", conv_shape(c, t), DT_UINT8);
  return CONV_OP(c, OP_TILE_GATHER_COMPARE, c->kwargs, c->args[0], c->args[1], tmp);
}

/* ---------------------------------------------------------------- page table */

/* Element `i` of a list in global memory that has one dimension, or one row. */
static Expr *list_element(Conv *c, const char *name, Expr *list, Expr *i) {
  Expr *at = list->type->rank == 1 ? CONV_TUPLE(c, i) : CONV_TUPLE(c, conv_index(c, 0), i);
  return conv_bind(c, name, CONV_OP(c, OP_TENSOR_READ, NO_KWARGS, list, at));
}

static Expr *scalar(Conv *c, const char *name, ExprKind kind, Expr *a, Expr *b) {
  return a && b ? conv_bind(c, name, expr_binary(c->ir, kind, a, b, DT_INDEX, c->span)) : NULL;
}

static Expr *as_index(Conv *c, const char *name, Expr *v) {
  return v ? conv_bind(c, name, expr_cast(c->ir, v, DT_INDEX, c->span)) : NULL;
}

/* The row of the pool that the i-th index names. */
static Expr *pool_row(Conv *c, Expr *indices, Expr *table, Expr *i, Expr *block) {
  Expr *index = as_index(c, "pg_idx", list_element(c, "pg_idx_raw", indices, i));
  Expr *page = scalar(c, "pg_blk", EXPR_FLOOR_DIV, index, block);
  Expr *rest = scalar(c, "pg_rem", EXPR_FLOOR_MOD, index, block);
  if (!page || !rest) return NULL;
  Expr *where = as_index(c, "pg_pblk", list_element(c, "pg_pblk_raw", table, page));
  if (!where) return NULL;
  Expr *start = expr_binary(c->ir, EXPR_MUL, where, block, DT_INDEX, c->span);
  return scalar(c, "pg_phys", EXPR_ADD, start, rest);
}

Expr *convert_paged_gather(Conv *c) {
  Expr *src = c->args[0], *indices = c->args[1], *table = c->args[2];
  int64_t block = conv_int(c, "block_size", 0), size = conv_int(c, "size", 0);
  int64_t most = conv_int(c, "max_indices", 0), columns = conv_int(c, "col_off", 0), known;
  bool transposed = conv_flag(c, "is_trans", false);
  MemSpace space = (MemSpace)conv_int(c, "space", MEM_MAT);
  for (int i = 0; i < 3; i++)
    if (c->args[i]->type->kind != TYPE_TENSOR)
      return conv_error(c, "operand %d must be a tensor in global memory", i + 1);
  int axis = indices->type->rank == 1 ? 0 : 1;
  if (expr_const_int(indices->type->shape[axis], &known) && known > most)
    return conv_error(c, "%lld indices are more than max_indices=%lld", (long long)known,
                      (long long)most);
  Expr *rows =
      conv_bind(c, "pg_rows", CONV_OP(c, OP_TENSOR_DIM, NO_KWARGS, indices, conv_index(c, axis)));
  Expr *high = conv_index(c, transposed ? size : most),
       *wide = conv_index(c, transposed ? most : size);
  Expr *acc = conv_bind(c, "paged_gather_acc",
                        CONV_OP(c, OP_TILE_CREATE, conv_kw_tile(c, src->type->dtype, space),
                                CONV_TUPLE(c, high, wide)));
  if (!rows || !acc) return NULL;
  ConvLoop l;
  conv_loop_begin(&l, c, rows, "pg_i", "paged_gather_iter", "paged_gather_result", acc);
  Expr *row = pool_row(c, indices, table, l.var, conv_index(c, block));
  Expr *zero = conv_index(c, 0);
  Expr *into = transposed ? CONV_TUPLE(c, zero, l.var) : CONV_TUPLE(c, l.var, zero);
  Expr *from = CONV_TUPLE(c, row, conv_index(c, columns));
  AttrList kw = conv_kw(c, NO_KWARGS, "transpose", attr_of_bool(transposed));
  Expr *next = CONV_OP(c, OP_TILE_GATHER_ROW, kw, l.carried, src, into, from,
                       CONV_TUPLE(c, conv_index(c, 1), conv_index(c, size)));
  return conv_loop_end(&l, conv_bind(c, "pg_row", next));
}
