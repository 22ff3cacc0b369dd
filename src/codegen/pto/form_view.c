/* form_view.c -- windows of tiles, other shapes over the same bytes, valid shapes. */
#include <inttypes.h>
#include <string.h>

#include "codegen/pto/forms.h"

/* Two elements of a list operand; reports anything shorter. */
static Expr **pair(PtoFn *f, const Expr *call, int arg) {
  int n;
  Expr **e = pto_tuple(f, call, arg, &n);
  if (!e || n >= 2) return e;
  pto_error(f, call->span, "operand %d of '%s' needs a row and a column", arg + 1,
            expr_op(call)->name);
  return NULL;
}

static bool constant_pair(PtoFn *f, const Expr *call, Expr *const *e, int64_t out[2]) {
  if (expr_const_int(e[0], &out[0]) && expr_const_int(e[1], &out[1])) return true;
  pto_error(f, call->span, "the shape of a window of '%s' must be constant", expr_op(call)->name);
  return false;
}

/* ---- slice ---- */

/* Valid extents of a window without explicit ones, as ptoas infers them. */
static void infer_valid(Ir *ir, PtoTileText *t, const Type *source, Expr *const *shape,
                        Expr *const *offset) {
  const int64_t sizes[2] = {t->rows, t->cols};
  int64_t *values[2] = {&t->vrow, &t->vcol};
  bool *dynamic[2] = {&t->vrow_dynamic, &t->vcol_dynamic};
  int n;
  Expr *const *valid = type_valid_shape(source, &n);
  bool all_zero = n > 0;
  for (int i = 0; i < n; i++) {
    int64_t v;
    all_zero &= expr_const_int(valid[i], &v) && v == 0;
  }
  /* An idle lane's tile has nothing valid, but its type does not say so: ptoas sees the box. */
  if (all_zero || n < 2) {
    valid = source->shape;
    n = source->rank;
  }
  (void)ir;
  for (int i = 0; i < 2; i++) {
    int64_t at, have;
    bool const_at = expr_const_int(offset[i], &at),
         const_have = i < n && expr_const_int(valid[i], &have);
    if (const_at && const_have) {
      int64_t left = have - at < 0 ? 0 : have - at;
      *values[i] = left < sizes[i] ? left : sizes[i];
      *dynamic[i] = false;
    } else if ((const_at && at == 0 && i < n && expr_same(shape[i], valid[i])) ||
               (const_have && have >= sizes[i])) {
      *values[i] = sizes[i];
      *dynamic[i] = false;
    }
  }
  if (t->vrow_dynamic || t->vcol_dynamic) t->vrow_dynamic = t->vcol_dynamic = true;
}

static int64_t mod256(int64_t v) { return ((v % 256) + 256) % 256; }

/* Byte offset of the window modulo 32, -1 if it cannot be known. */
static int window_alignment(const PtoWindow *outer, const Type *source, const PtoWindow *w,
                            Expr *const *offset) {
  int64_t base = 0, row, col, bits = dtype_bits(source->dtype);
  if (outer) {
    base = outer->align32;
  } else if (source->memref) {
    if (!expr_const_int(source->memref->offset, &base))
      base = -1;
    else
      base = base < 0 ? 0 : base % 32; /* negative: not placed yet, and the base will be aligned */
  }
  if (bits < 8 && source->dtype == DT_BOOL) bits = 8;
  if (base < 0 || !expr_const_int(offset[1], &col)) return -1;
  int64_t elem;
  if (expr_const_int(offset[0], &row)) {
    if (!w->source_cols && row) return -1;
    elem = mod256(mod256(row) * mod256(w->source_cols) + mod256(col));
  } else {
    if (!w->source_cols || mod256(mod256(w->source_cols) * bits) != 0) return -1;
    elem = mod256(col);
  }
  int64_t bit = mod256(elem * bits);
  return bit % 8 ? -1 : (int)((base + bit / 8) % 32);
}

static PtoWindow *new_window(PtoFn *f, const PtoArg *src, const Type *source, Expr *const *offset,
                             const int64_t size[2]) {
  PtoWindow *w = NEW(f->ir->arena, PtoWindow);
  *w = (PtoWindow){.source = src->value,
                   .source_type = src->type,
                   .target = f->res,
                   .target_type = pto_res_type(f),
                   .space = source->space,
                   .rows = size[0],
                   .cols = size[1]};
  if (source->rank == 2) expr_const_int(source->shape[1], &w->source_cols);
  w->const_offset = offset[0]->kind == EXPR_INT && offset[1]->kind == EXPR_INT;
  const PtoValue *known = pto_value_known(f, src->value);
  w->align32 = window_alignment(known ? known->window : NULL, source, w, offset);
  return w;
}

void form_slice(PtoFn *f, const PtoOp *op, Expr *call) {
  (void)op;
  const Type *source = call->u.call.args[0]->type;
  PtoArg src = pto_arg(f, call->u.call.args[0]);
  Expr **offset = pair(f, call, 2), **shape = pair(f, call, 1);
  int64_t size[2];
  if (!offset || !shape || !constant_pair(f, call, shape, size)) return;
  Name row = pto_value(f, offset[0]), col = pto_value(f, offset[1]);
  const Expr *list = call->u.call.nargs >= 4 ? call->u.call.args[3] : NULL;
  Expr **valid =
      list && list->kind == EXPR_TUPLE && list->u.tuple.len >= 2 ? list->u.tuple.elems : NULL;
  Buf extents = {0};
  if (valid) {
    Name vr = pto_value(f, valid[0]), vc = pto_value(f, valid[1]);
    buf_printf(&extents, " valid [%s, %s]", vr, vc);
  }
  PtoTileText t = pto_tile_text(f, source);
  t.rows = size[0];
  t.cols = size[1];
  t.vrow = t.rows;
  t.vcol = t.cols;
  infer_valid(f->ir, &t, source, shape, offset);
  if (valid) {
    t.vrow_dynamic = !expr_const_int(valid[0], &t.vrow);
    t.vcol_dynamic = !expr_const_int(valid[1], &t.vcol);
  }
  Name type = pto_tile_text_type(f, &t), view = pto_new_named(f, "slice_view");
  PtoWindow *w = new_window(f, &src, source, offset, size);
  w->row = row;
  w->col = col;
  pto_line(f, "%s = pto.subview %s[%s, %s] sizes [%" PRId64 ", %" PRId64 "]%s%s%s -> %s", view,
           src.value, row, col, size[0], size[1], buf_str(&extents), src.type ? " : " : "",
           src.type ? src.type : "", type);
  buf_free(&extents);
  PtoValue *v = pto_value_info(f, view);
  v->tile_type = type;
  v->is_view = true;
  v->window = w;
  f->res = view;
}

/* ---- assemble ---- */

typedef struct Assembly {
  const Type *target, *source, *result;
  PtoArg to, from, dst;
  Name row, col;
  Expr **offset;
  bool acc_to_mat;
} Assembly;

/* Is the source already in its place: a window of the result at this very offset? */
static bool already_there(PtoFn *f, const Assembly *a) {
  const PtoValue *known = pto_value_known(f, a->from.value);
  const PtoWindow *w = known ? known->window : NULL;
  int64_t rows, cols;
  if (!w || w->copied || a->source->rank < 2) return false;
  return w->source == a->dst.value && w->row == a->row && w->col == a->col &&
         expr_const_int(a->source->shape[0], &rows) && expr_const_int(a->source->shape[1], &cols) &&
         w->rows == rows && w->cols == cols;
}

/* Does the source cover the whole result? */
static bool covers(const Assembly *a) {
  int64_t at, s, r;
  for (int i = 0; i < 2; i++)
    if (!expr_const_int(a->offset[i], &at) || at != 0) return false;
  if (a->source->rank != a->result->rank) return false;
  for (int i = 0; i < a->source->rank; i++)
    if (!expr_const_int(a->source->shape[i], &s) || !expr_const_int(a->result->shape[i], &r) ||
        s != r)
      return false;
  return true;
}

/* A window must have the tile's layout, and cannot pad.  Reports a violation. */
static bool window_compatible(PtoFn *f, const Expr *call, const Assembly *a) {
  TileView s = tile_view_of(f->ir, a->source), t = tile_view_of(f->ir, a->target);
  TileView r = tile_view_of(f->ir, a->result);
  const char *what = NULL;
  if (a->acc_to_mat) {
    if (s.pad != PAD_NULL || r.pad != PAD_NULL) what = "a pad value";
  } else if (a->source->dtype != a->target->dtype) {
    what = "another element type";
  } else if (s.blayout != t.blayout || s.slayout != t.slayout) {
    what = "another layout";
  } else if (s.fractal != t.fractal) {
    what = "another fractal size";
  } else if (s.pad != t.pad || t.pad != PAD_NULL) {
    what = "a pad value";
  } else if (s.compact != t.compact) {
    what = a->source->space == MEM_ACC && a->target->space == MEM_ACC
               ? "rows stored at another distance (one of the products has fewer valid rows)"
               : "another compact mode";
  }
  if (!what) return true;
  pto_error(f, call->span,
            "tile.assemble writes into a window of its target, and the source has %s", what);
  return false;
}

static void print_move(PtoFn *f, const PtoArg *from, const PtoArg *to) {
  Buf b = {0};
  buf_printf(&b, "pto.tmov ins(%s", from->value);
  if (from->type) buf_printf(&b, " : %s", from->type);
  buf_printf(&b, ") outs(%s", to->value);
  if (to->type) buf_printf(&b, " : %s", to->type);
  pto_line(f, "%s)", buf_str(&b));
  buf_free(&b);
}

/* The window of the result that the source goes to. */
static PtoArg assembly_window(PtoFn *f, const Expr *call, const Assembly *a) {
  int64_t size[2], valid_row, valid_col;
  if (a->source->rank < 2 || !constant_pair(f, call, a->source->shape, size))
    return (PtoArg){f->res, pto_res_type(f)};
  TileView v = tile_view_of(f->ir, a->source);
  Expr *vr = v.nvalid >= 1 ? v.valid_shape[0] : a->source->shape[0];
  Expr *vc = v.nvalid >= 2 ? v.valid_shape[1] : a->source->shape[1];
  bool const_row = expr_const_int(vr, &valid_row), const_col = expr_const_int(vc, &valid_col);
  Name rows = const_row ? pto_const_index(f, valid_row) : pto_value(f, vr);
  Name cols = const_col ? pto_const_index(f, valid_col) : pto_value(f, vc);
  PtoTileText t = pto_tile_text(f, a->source);
  if (a->acc_to_mat) {
    PtoTileText r = pto_tile_text(f, a->result);
    r.rows = t.rows;
    r.cols = t.cols;
    t = r;
  }
  t.vrow_dynamic = !const_row;
  t.vcol_dynamic = !const_col;
  if (const_row) t.vrow = valid_row;
  if (const_col) t.vcol = valid_col;
  PtoArg w = {.type = pto_tile_text_type(f, &t)};
  w.value = pto_new_named(f, "assemble_view");
  pto_line(
      f, "%s = pto.subview %s[%s, %s] sizes [%" PRId64 ", %" PRId64 "] valid [%s, %s] : %s -> %s",
      w.value, a->dst.value, a->row, a->col, size[0], size[1], rows, cols, a->dst.type, w.type);
  pto_value_info(f, w.value)->tile_type = w.type;
  return w;
}

void form_assemble(PtoFn *f, const PtoOp *op, Expr *call) {
  (void)op;
  Expr **args = call->u.call.args;
  if (!f->res_tile) {
    pto_error(f, call->span, "the result of tile.assemble must be assigned to a variable");
    return;
  }
  Assembly a = {.target = args[0]->type, .source = args[1]->type, .result = f->res_tile};
  a.acc_to_mat = a.source->space == MEM_ACC && a.result->space == MEM_MAT;
  if (!window_compatible(f, call, &a)) return;
  a.to.value = pto_value(f, args[0]);
  a.from = pto_arg(f, args[1]);
  a.dst = (PtoArg){f->res, pto_res_type(f)};
  a.offset = pair(f, call, 2);
  if (!a.offset) return;
  a.row = pto_value(f, a.offset[0]);
  a.col = pto_value(f, a.offset[1]);
  if (already_there(f, &a)) return;
  if (a.to.value != a.dst.value && !(a.acc_to_mat && covers(&a))) {
    if (a.acc_to_mat) {
      pto_error(f, call->span,
                "a part of an accumulator can only be written into a Mat tile that is "
                "the result itself");
      return;
    }
    a.to.type = pto_type_of(f, args[0]);
    print_move(f, &a.to, &a.dst);
  }
  bool narrows = a.result->dtype == DT_BF16 || a.result->dtype == DT_FP16;
  if (a.acc_to_mat && narrows) { /* the accumulator's own way out, with an offset */
    Name index = ir_name(f->ir, "index");
    PtoArg in[3] = {a.from, {a.row, index}, {a.col, index}};
    pto_ins_outs(f, "pto.tinsert", in, 3, NULL, NULL);
    return;
  }
  PtoArg w = assembly_window(f, call, &a);
  print_move(f, &a.from, &w);
}

/* ---- extract ---- */

void form_extract(PtoFn *f, const PtoOp *op, Expr *call) {
  Expr **args = call->u.call.args;
  PtoArg in[3] = {pto_arg(f, args[0])};
  Name index = ir_name(f->ir, "index");
  for (int i = 1; i < 3; i++) {
    in[i] = pto_arg(f, args[i]);
    if (!in[i].type) in[i].type = index;
  }
  Name type = f->res_tile && f->res_tile->memref ? pto_tile_type(f, f->res_tile) : NULL;
  PtoValue *res = pto_value_info(f, f->res);
  if (type && res->tile_type != type) {
    PtoAlloc bare = {.type = type};
    f->res = pto_head_tile(f, "extract_buf", &bare);
  }
  pto_ins_outs(f, op->inst, in, 3, NULL, NULL);
}

/* ---- other shapes and types over the same bytes ---- */

/* `.param`: without addresses, a view even if the handle has the right type already. */
void form_reshape(PtoFn *f, const PtoOp *op, Expr *call) {
  Expr *source = call->u.call.args[0];
  if (!f->res_tile) {
    pto_error(f, call->span, "'%s' in a kernel must give a tile", expr_op(call)->name);
    return;
  }
  const PtoValue *known = pto_value_known(f, f->res);
  bool declared = f->res_tile->memref && known && known->tile_type == pto_tile_type(f, f->res_tile);
  if (declared && f->m->addresses) return; /* its handle is the view */
  const PtoVar *var = expr_is_var(source) ? map_get(&f->vars, source) : NULL;
  if (declared && !op->param && !(var && var->apart)) return;
  PtoArg src = pto_arg(f, source);
  if (!src.type && type_is_tile(source->type)) src.type = pto_tile_type(f, source->type);
  Name type = pto_tile_view_type(f, f->res_tile);
  Name view = pto_new_named(f, "%s", op->word);
  PtoValue *v = pto_value_info(f, view);
  v->tile_type = type;
  v->is_view = true;
  pto_line(f, "%s = %s %s : %s -> %s", view, op->inst, src.value, src.type, type);
  f->res = view;
}

/* ---- valid shapes ---- */

void form_set_validshape(PtoFn *f, const PtoOp *op, Expr *call) {
  Expr **args = call->u.call.args;
  PtoArg tile = pto_arg(f, args[0]);
  if (!tile.type && f->res_tile && f->res_tile->memref) tile.type = pto_tile_type(f, f->res_tile);
  if (!tile.type && type_is_tile(args[0]->type)) tile.type = pto_tile_type(f, args[0]->type);
  const PtoValue *known = pto_value_known(f, tile.value);
  if (known && known->is_view) {
    pto_error(f, call->span,
              "pl.set_validshape cannot change a view (the result of a slice or reshape): "
              "give the slice a valid_shape, or set it on the tile before viewing it");
    return;
  }
  Name extents[2];
  for (int i = 0; i < 2; i++) {
    Expr *e = args[i + 1];
    bool named = expr_is_var(e) && !e->u.var.is_iter_arg;
    extents[i] = named ? pto_to_index(f, e, pto_var_value(f, e)) : pto_index_operand(f, e);
  }
  pto_value_info(f, tile.value)->tile_type = tile.type;
  f->res = tile.value;
  pto_line(f, "%s %s, %s, %s : %s", op->inst, tile.value, extents[0], extents[1], tile.type);
}

/* ---- gather_row ---- */

typedef struct RowGather {
  const Expr *call, *src;
  Expr *xfer[2]; /* what is transferred, in the order of the source partition */
  Name codes[2];
  Expr **src_offset;
  bool transpose;
} RowGather;

/* Rows and columns that a window of a boxed layout is made of; 1, 1 without boxes. */
static void box_of(const PtoTileText *t, int64_t *rows, int64_t *cols) {
  *rows = *cols = 1;
  if (t->slayout == TILE_LAYOUT_NONE_BOX) return;
  int64_t packed = t->fractal == 1024 ? 16 : t->fractal == 32 ? 2 : 256 / dtype_bits(t->dtype);
  bool by_row = t->slayout == TILE_LAYOUT_ROW_MAJOR || t->fractal == 1024;
  *rows = by_row ? 16 : packed;
  *cols = by_row ? packed : 16;
}

static int64_t round_up(int64_t v, int64_t unit) { return (v + unit - 1) / unit * unit; }

/* The window of the destination, with the extents of the transfer. */
static PtoArg gather_window(PtoFn *f, RowGather *g, const int64_t size[2], Name row, Name col) {
  const Type *dst = g->call->u.call.args[0]->type;
  PtoTileText t = pto_tile_text(f, dst);
  if (t.space == MEM_NONE) t.space = MEM_MAT;
  int64_t box_rows, box_cols;
  box_of(&t, &box_rows, &box_cols);
  t.rows = round_up(size[g->transpose ? 1 : 0], box_rows);
  t.cols = round_up(size[g->transpose ? 0 : 1], box_cols);
  t.vrow = t.rows;
  t.vcol = t.cols;
  t.vrow_dynamic = !expr_const_int(g->xfer[0], &t.vrow);
  t.vcol_dynamic = !expr_const_int(g->xfer[1], &t.vcol);
  PtoArg w = {.type = pto_tile_text_type(f, &t)};
  pto_dims(f, g->xfer, 2, g->codes);
  w.value = pto_new_named(f, "gather_row_view");
  pto_line(
      f, "%s = pto.subview %s[%s, %s] sizes [%" PRId64 ", %" PRId64 "] valid [%s, %s] : %s -> %s",
      w.value, f->res, row, col, t.rows, t.cols, g->codes[0], g->codes[1], pto_res_type(f), w.type);
  pto_value_info(f, w.value)->tile_type = w.type;
  return w;
}

/* The row in global memory; transposed, through a view that presents it as a column. */
static PtoArg gather_source(PtoFn *f, const RowGather *g) {
  const Type *t = g->src->type;
  PtoArg p = {.type = pto_partition_type(f, g->xfer, 2, t->dtype)};
  Name view_type = pto_view_type(f, t), offsets[2], view;
  Expr *const swapped[2] = {g->src_offset[1], g->src_offset[0]};
  if (!g->transpose) {
    view = pto_tensor_view(f, g->src);
    pto_offsets(f, g->src_offset, 2, offsets);
  } else {
    Name rows = pto_value(f, t->shape[0]), cols = pto_value(f, t->shape[1]);
    Name one = pto_const_index(f, 1);
    view = pto_new_named(f, "%s_dn_view", g->src->u.var.name);
    Name shape[2] = {cols, rows}, stride[2] = {one, cols};
    pto_print_view_line(f, view, pto_var_value(f, g->src), shape, stride, 2, LAYOUT_DN, view_type);
    pto_offsets(f, swapped, 2, offsets);
  }
  p.value = pto_partition(f, g->src->u.var.name, view, view_type, p.type, offsets, g->codes, 2);
  return p;
}

void form_gather_row(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!pto_need_var(f, call, 1)) return;
  RowGather g = {.call = call, .src = call->u.call.args[1]};
  g.transpose = pto_kwarg_bool(f, call, "transpose", false);
  Expr **dst_offset = pair(f, call, 2), **shape = pair(f, call, 4);
  g.src_offset = pair(f, call, 3);
  Expr **valid = call->u.call.nargs == 6 ? pair(f, call, 5) : shape;
  int64_t size[2];
  if (!dst_offset || !shape || !g.src_offset || !valid || !constant_pair(f, call, shape, size))
    return;
  g.xfer[0] = valid[g.transpose ? 1 : 0];
  g.xfer[1] = valid[g.transpose ? 0 : 1];
  bool constant = g.xfer[0]->kind == EXPR_INT && g.xfer[1]->kind == EXPR_INT;
  if (g.transpose && (!constant || g.src->type->rank != 2)) {
    pto_error(f, call->span,
              "a transposed tile.gather_row needs a constant valid_shape and a "
              "two-dimensional source");
    return;
  }
  Name row = pto_value(f, dst_offset[0]), col = pto_value(f, dst_offset[1]);
  PtoArg w = gather_window(f, &g, size, row, col), p = gather_source(f, &g);
  pto_line(f, "%s ins(%s : %s) outs(%s : %s)", op->inst, p.value, p.type, w.value, w.type);
}
