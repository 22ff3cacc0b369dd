/* text.c -- lines, types and names of values in PTO text. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "codegen/pto/emit.h"

/* ---- lines ---- */

static void begin_line(PtoFn *f, const char *fmt, va_list ap) {
  buf_indent(f->out, f->indent * 2);
  buf_vprintf(f->out, fmt, ap);
}

void pto_line(PtoFn *f, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  begin_line(f, fmt, ap);
  va_end(ap);
  if (f->m->path && f->loc.line)
    buf_printf(f->out, " loc(\"%s\":%u:%u)", f->m->path, f->loc.line, f->loc.col ? f->loc.col : 1);
  buf_putc(f->out, '\n');
  buf_spill(f->out, f->ir->arena);
}

void pto_region_line(PtoFn *f, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  begin_line(f, fmt, ap);
  va_end(ap);
  buf_putc(f->out, '\n');
}

void pto_error(PtoFn *f, Span at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_vreport(f->ir->diag, DIAG_ERROR, at.line ? at : f->loc, fmt, ap);
  va_end(ap);
}

Name pto_name(PtoFn *f, const char *fmt, ...) {
  Buf b = {0};
  va_list ap;
  va_start(ap, fmt);
  buf_vprintf(&b, fmt, ap);
  va_end(ap);
  Name n = name_ofn(&f->ir->names, buf_str(&b), b.len);
  buf_free(&b);
  return n;
}

void pto_join(Buf *out, const Name *names, int n) {
  for (int i = 0; i < n; i++) {
    if (i) buf_puts(out, ", ");
    buf_puts(out, names[i]);
  }
}

/* ---- types ---- */

Name pto_dtype(PtoFn *f, DType t) {
  Name *known = &f->m->type_names[t];
  if (*known) return *known;
  const char *text = dtype_mlir(t);
  if (!text || !target_has_dtype(f->m->target, t)) {
    pto_error(f, NO_SPAN, "kernels on %s cannot hold elements of type %s", f->m->target->name,
              dtype_name(t));
    text = "i8";
  }
  return *known = ir_name(f->ir, text);
}

const char *pto_space(MemSpace s) {
  static const char *const names[MEM_COUNT] = {
      [MEM_DDR] = "gm",
      [MEM_VEC] = "vec",
      [MEM_MAT] = "mat",
      [MEM_LEFT] = "left",
      [MEM_RIGHT] = "right",
      [MEM_ACC] = "acc",
      [MEM_BIAS] = "bias",
      [MEM_LEFT_SCALE] = "scaling",
      [MEM_RIGHT_SCALE] = "scaling",
  };
  return names[s];
}

const char *pto_layout(TensorLayout l) {
  static const char *const names[LAYOUT_COUNT] = {"nd", "dn", "nz", "mx_a_zz", "mx_b_nn"};
  return names[l];
}

Name pto_view_type(PtoFn *f, const Type *tensor) {
  Buf b = {0};
  buf_puts(&b, "!pto.tensor_view<");
  for (int i = 0; i < tensor->rank; i++) buf_puts(&b, "?x");
  buf_printf(&b, "%s>", pto_dtype(f, tensor->dtype));
  Name n = ir_name(f->ir, buf_str(&b));
  buf_free(&b);
  return n;
}

Name pto_partition_type(PtoFn *f, Expr *const *dims, int n, DType t) {
  Buf b = {0};
  buf_puts(&b, "!pto.partition_tensor_view<");
  for (int i = 0; i < n; i++) {
    int64_t v;
    if (expr_const_int(dims[i], &v))
      buf_int(&b, v);
    else
      buf_putc(&b, '?');
    buf_putc(&b, 'x');
  }
  buf_printf(&b, "%s>", pto_dtype(f, t));
  Name name = ir_name(f->ir, buf_str(&b));
  buf_free(&b);
  return name;
}

Name pto_array_type(PtoFn *f, const Type *array) {
  int64_t extent = 0;
  if (!expr_const_int(array->shape[0], &extent))
    pto_error(f, NO_SPAN, "the extent of an array in a kernel must be a constant");
  if (array->dtype == DT_TASK_ID) {
    pto_error(f, NO_SPAN, "arrays of task ids exist in orchestration functions only");
    return ir_name(f->ir, "!pto.local_array<0xi64>");
  }
  return pto_name(f, "!pto.local_array<%" PRId64 "x%s>", extent, pto_dtype(f, array->dtype));
}

bool pto_packed_dim(const TileView *v, const Type *tile, int dim) {
  return tile->dtype == DT_FP4 && tile->space == MEM_VEC &&
         dim == (v->blayout == TILE_LAYOUT_COL_MAJOR ? 0 : 1);
}

PtoTileText pto_tile_text(PtoFn *f, const Type *tile) {
  TileView v = tile_view_of(f->ir, tile);
  PtoTileText t = {.space = tile->space,
                   .dtype = tile->dtype,
                   .rows = 32,
                   .cols = 32,
                   .vrow_dynamic = true,
                   .vcol_dynamic = true,
                   .blayout = v.blayout,
                   .slayout = v.slayout,
                   .fractal = v.fractal,
                   .pad = v.pad,
                   .compact = v.compact};
  if (tile->rank >= 2) {
    expr_const_int(tile->shape[0], &t.rows);
    expr_const_int(tile->shape[1], &t.cols);
  } else if (tile->rank == 1 && expr_const_int(tile->shape[0], &t.cols)) {
    t.rows = 1;
  }
  for (int dim = 0; dim < 2; dim++) {
    if (!pto_packed_dim(&v, tile, dim)) continue;
    int64_t *extent = dim ? &t.cols : &t.rows;
    if (*extent <= 0 || *extent % 2)
      pto_error(f, NO_SPAN,
                "the packed dimension of an FP4 tile in Vec must be positive and even, "
                "got %" PRId64,
                *extent);
    *extent /= 2;
  }
  t.vrow = t.rows;
  t.vcol = t.cols;
  return t;
}

static void put_valid(Buf *b, const char *key, int64_t v, bool dynamic) {
  buf_puts(b, key);
  if (dynamic)
    buf_putc(b, '?');
  else
    buf_int(b, v);
}

Name pto_tile_text_type(PtoFn *f, const PtoTileText *t) {
  const char *space = pto_space(t->space);
  if (!space) {
    pto_error(f, NO_SPAN, "a tile in a kernel needs a memory space");
    space = "vec";
  }
  Buf b = {0};
  buf_printf(&b, "!pto.tile_buf<loc=%s, dtype=%s, rows=%" PRId64 ", cols=%" PRId64, space,
             pto_dtype(f, t->dtype), t->rows, t->cols);
  put_valid(&b, ", v_row=", t->vrow, t->vrow_dynamic);
  put_valid(&b, ", v_col=", t->vcol, t->vcol_dynamic);
  buf_printf(&b, ", blayout=%s, slayout=%s, fractal=%u, pad=%d",
             enum_name(ENUM_TILE_LAYOUT, t->blayout), enum_name(ENUM_TILE_LAYOUT, t->slayout),
             t->fractal, (int)t->pad);
  if (t->compact != COMPACT_NULL) buf_printf(&b, ", compact=%d", (int)t->compact);
  buf_putc(&b, '>');
  Name n = name_ofn(&f->ir->names, buf_str(&b), b.len);
  buf_free(&b);
  return n;
}

Name pto_tile_type(PtoFn *f, const Type *tile) {
  void **known = map_at(&f->m->tile_types, tile);
  if (*known) return *known;
  PtoTileText t = pto_tile_text(f, tile);
  Name n = pto_tile_text_type(f, &t);
  *map_at(&f->m->tile_types, tile) = (void *)n;
  return n;
}

Name pto_tile_view_type(PtoFn *f, const Type *tile) {
  PtoTileText t = pto_tile_text(f, tile);
  TileView v = tile_view_of(f->ir, tile);
  int64_t row = 1, col = 0;
  bool known = v.nvalid == 1   ? expr_const_int(v.valid_shape[0], &col)
               : v.nvalid >= 2 ? expr_const_int(v.valid_shape[0], &row) &&
                                     expr_const_int(v.valid_shape[1], &col)
                               : false;
  if (known) {
    t.vrow = row;
    t.vcol = col;
    t.vrow_dynamic = t.vcol_dynamic = false;
  }
  return pto_tile_text_type(f, &t);
}

/* ---- values ---- */

Name pto_new(PtoFn *f) {
  Name n;
  do n = pto_name(f, "%%%d", f->next_temp++);
  while (!map_set(&f->used, n, NULL));
  return n;
}

Name pto_new_named(PtoFn *f, const char *fmt, ...) {
  Buf b = {0};
  va_list ap;
  va_start(ap, fmt);
  buf_vprintf(&b, fmt, ap);
  va_end(ap);
  char *s = b.data;
  for (size_t i = 0; i < b.len; i++)
    if (!isalnum((unsigned char)s[i]) && !strchr("_.$", s[i])) s[i] = '_';
  Name n = NULL;
  if (b.len) n = pto_name(f, isdigit((unsigned char)s[0]) ? "%%_%s" : "%%%s", s);
  buf_free(&b);
  return n && map_set(&f->used, n, NULL) ? n : pto_new(f);
}

/* Claims `wanted` for a constant, or a number if it is taken. */
static Name const_name(PtoFn *f, Name wanted) {
  f->nconsts++;
  return map_set(&f->used, wanted, NULL) ? wanted : pto_new(f);
}

Name pto_const(PtoFn *f, int64_t value, DType t) {
  const void *key = (const void *)(intptr_t)value;
  Name known = map_get(&f->const_names[t], key);
  if (known) return known;
  Name type = pto_dtype(f, t);
  uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
  Name name =
      const_name(f, pto_name(f, "%%c%s%" PRIu64 "_%s", value < 0 ? "n" : "", magnitude, type));
  map_set(&f->const_names[t], key, (void *)name);
  Buf *b = &f->consts;
  if (dtype_is_unsigned(t)) {
    const char *signless = type + 1;
    Name plain = pto_new(f);
    buf_printf(b, "  %s = arith.constant %" PRId64 " : %s\n", plain, value, signless);
    buf_printf(b, "  %s = builtin.unrealized_conversion_cast %s : %s to %s\n", name, plain,
               signless, type);
  } else {
    buf_printf(b, "  %s = arith.constant %" PRId64 " : %s\n", name, value, type);
  }
  return name;
}

Name pto_const_float(PtoFn *f, double value, DType t) {
  intptr_t bits;
  memcpy(&bits, &value, sizeof bits);
  Name known = map_get(&f->float_names[t], (const void *)bits);
  if (known) return known;
  Name wanted = f->nconsts ? pto_name(f, "%%cst_%d", f->nconsts) : ir_name(f->ir, "%cst");
  Name name = const_name(f, wanted);
  map_set(&f->float_names[t], (const void *)bits, (void *)name);
  buf_printf(&f->consts, "  %s = arith.constant %.17e : %s\n", name, value, pto_dtype(f, t));
  return name;
}

/* ---- variables ---- */

PtoVar *pto_var(PtoFn *f, const Expr *var) {
  void **at = map_at(&f->vars, var);
  if (!*at) *at = NEW(f->ir->arena, PtoVar);
  return *at;
}

PtoValue *pto_value_info(PtoFn *f, Name value) {
  void **at = map_at(&f->values, value);
  if (!*at) *at = NEW(f->ir->arena, PtoValue);
  return *at;
}

PtoValue *pto_value_known(PtoFn *f, Name value) { return map_get(&f->values, value); }

void pto_bind(PtoFn *f, const Expr *var, Name value) {
  pto_var(f, var)->value = value;
  void **at = map_at(&f->by_name, var->u.var.name);
  if (!*at) *at = (void *)value;
}

Name pto_lookup(PtoFn *f, const Expr *var) {
  const PtoVar *v = map_get(&f->vars, var);
  if (v && v->value) return v->value;
  return map_get(&f->by_name, var->u.var.name);
}

Name pto_var_value(PtoFn *f, const Expr *var) {
  Name n = pto_lookup(f, var);
  if (n) return n;
  pto_error(
      f, var->span,
      "'%s' has no value in kernel '%s': it is no parameter, no dimension of a tensor's shape "
      "and no variable of the kernel; pass the extent as a pl.Scalar[pl.INDEX] parameter",
      var->u.var.name, f->func->name);
  return ir_name(f->ir, "%undefined");
}

Name pto_find_view(PtoFn *f, const Expr *tensor) {
  for (; tensor && expr_is_var(tensor); tensor = tensor->u.var.init) {
    const PtoVar *v = map_get(&f->vars, tensor);
    if (v && v->view) return v->view;
    if (!tensor->u.var.is_iter_arg) break;
  }
  return NULL;
}

Name pto_tensor_view(PtoFn *f, const Expr *tensor) {
  Name n = expr_is_var(tensor) ? pto_find_view(f, tensor) : NULL;
  if (n) return n;
  pto_error(f, NO_SPAN,
            "'%s' has no view in global memory: it is neither a tensor parameter nor made "
            "from one",
            expr_is_var(tensor) ? tensor->u.var.name : "this expression");
  return ir_name(f->ir, "%undefined");
}

Name pto_base_ptr(PtoFn *f, const Expr *tensor) {
  const Expr *t = tensor;
  for (; t && expr_is_var(t); t = t->u.var.init) {
    const PtoVar *v = map_get(&f->vars, t);
    if (v && v->base_ptr) return v->base_ptr;
    if (!t->u.var.is_iter_arg || !t->u.var.init || !expr_is_var(t->u.var.init)) break;
  }
  return pto_var_value(f, t);
}

Name pto_ctx(PtoFn *f, const Expr *tensor) {
  for (; tensor && expr_is_var(tensor); tensor = tensor->u.var.init) {
    const PtoVar *v = map_get(&f->vars, tensor);
    if (v && v->ctx) return v->ctx;
    if (!tensor->u.var.is_iter_arg) break;
  }
  return NULL;
}

void pto_alias_tensor(PtoFn *f, const Expr *var, const Expr *tensor, Name view) {
  Name base = pto_base_ptr(f, tensor), ctx = pto_ctx(f, tensor);
  pto_bind(f, var, view);
  PtoVar *v = pto_var(f, var);
  v->view = view;
  v->base_ptr = base;
  if (ctx) v->ctx = ctx;
}
