/* print_type.c -- types, with their views and memory references. */
#include <inttypes.h>

#include "ir/print_int.h"
#include "ir/view.h"

/* A dimension, stride or offset.  Constants are bare whatever their type; a larger expression types
 * its constants, so that reading it does not fold it, and knows only the program's own names. */
static void print_dim(Printer *p, const Expr *e) {
  if (e->kind == EXPR_INT) {
    buf_int(p->out, e->u.i);
  } else if (expr_is_var(e)) {
    print_var(p, e);
  } else {
    bool typed = p->typed_consts, own = p->own_names;
    p->typed_consts = p->own_names = true;
    print_expr_in(p, e);
    p->typed_consts = typed;
    p->own_names = own;
  }
}

static void print_dims(Printer *p, Expr *const *dims, int n) {
  for (int i = 0; i < n; i++) {
    if (i > 0) buf_puts(p->out, ", ");
    print_dim(p, dims[i]);
  }
}

static void print_dtype(Printer *p, DType t) {
  buf_puts(p->out, "pl.");
  buf_puts(p->out, dtype_name(t));
}

static void print_enum(Printer *p, EnumId e, int value) {
  buf_printf(p->out, "pl.%s.%s", enum_written(e), enum_name(e, value));
}

/* An offset or slot index: like an operand, whatever we are inside of. */
static void print_operand(Printer *p, const Expr *e) {
  bool typed = p->typed_consts;
  p->typed_consts = false;
  print_expr_in(p, e);
  p->typed_consts = typed;
}

static void print_memref(Printer *p, const MemRef *m) {
  buf_puts(p->out, "pl.MemRef(");
  bool bound = !m->pinned && !p->in_signature && map_has(&p->body_defs, m->base);
  if (!bound) buf_putc(p->out, '"');
  print_var(p, m->base);
  if (!bound) buf_putc(p->out, '"');
  if (!m->pinned) {
    buf_puts(p->out, ", ");
    print_operand(p, m->offset);
    buf_printf(p->out, ", %" PRIu64, m->size);
  }
  if (m->slots > 1) buf_printf(p->out, ", slots=%" PRIu64, m->slots);
  buf_putc(p->out, ')');
  if (m->slot) {
    buf_putc(p->out, '[');
    print_operand(p, m->slot);
    buf_putc(p->out, ']');
  }
}

/* `first` becomes false; keeps fields apart. */
static void print_field(Printer *p, bool *first, const char *name) {
  buf_puts(p->out, *first ? "" : ", ");
  buf_puts(p->out, name);
  buf_putc(p->out, '=');
  *first = false;
}

static void print_dims_field(Printer *p, bool *first, const char *name, Expr *const *dims, int n) {
  print_field(p, first, name);
  buf_putc(p->out, '[');
  print_dims(p, dims, n);
  buf_putc(p->out, ']');
}

static void print_tensor_view(Printer *p, const Type *t) {
  const TensorView *v = t->tensor_view;
  bool first = true;
  buf_puts(p->out, "pl.TensorView(");
  if (v->nvalid && !dims_equal(v->valid_shape, v->nvalid, t->shape, t->rank))
    print_dims_field(p, &first, "valid_shape", v->valid_shape, v->nvalid);
  if (!first || v->nstride || v->layout != LAYOUT_ND || v->pad != PAD_NULL) {
    print_dims_field(p, &first, "stride", v->stride, v->nstride);
    print_field(p, &first, "layout");
    print_enum(p, ENUM_LAYOUT, v->layout);
    if (v->pad != PAD_NULL) {
      print_field(p, &first, "pad");
      print_enum(p, ENUM_PAD, v->pad);
    }
  }
  buf_putc(p->out, ')');
}

/* Fields that say more than the shape and the memory space, or all of the layout if `full`. */
static void print_tile_view(Printer *p, const Type *t, const TileView *v, bool full) {
  TileView implied = tile_view_implied(p->ir, t->shape, t->rank, t->dtype, t->space);
  bool first = true;
  buf_puts(p->out, "pl.TileView(");
  if (v->nvalid && !dims_equal(v->valid_shape, v->nvalid, t->shape, t->rank))
    print_dims_field(p, &first, "valid_shape", v->valid_shape, v->nvalid);
  if (v->nstride) print_dims_field(p, &first, "stride", v->stride, v->nstride);
  if (v->start_offset) {
    print_field(p, &first, "start_offset");
    print_dim(p, v->start_offset);
  }
  if (full || v->blayout != implied.blayout) {
    print_field(p, &first, "blayout");
    print_enum(p, ENUM_TILE_LAYOUT, v->blayout);
  }
  if (full || v->slayout != implied.slayout) {
    print_field(p, &first, "slayout");
    print_enum(p, ENUM_TILE_LAYOUT, v->slayout);
  }
  if (full || v->fractal != implied.fractal) {
    print_field(p, &first, "fractal");
    buf_int(p->out, v->fractal);
  }
  if (v->pad != PAD_NULL) {
    print_field(p, &first, "pad");
    print_enum(p, ENUM_PAD, v->pad);
  }
  if (v->compact != COMPACT_NULL) {
    print_field(p, &first, "compact");
    print_enum(p, ENUM_COMPACT, v->compact);
  }
  buf_putc(p->out, ')');
}

static void print_shaped_head(Printer *p, const char *head, const Type *t) {
  buf_puts(p->out, head);
  buf_puts(p->out, "[[");
  print_dims(p, t->shape, t->rank);
  buf_puts(p->out, "], ");
  print_dtype(p, t->dtype);
}

static void print_tensor(Printer *p, const Type *t) {
  bool distributed = t->kind == TYPE_DIST_TENSOR;
  print_shaped_head(p, distributed ? "pld.DistributedTensor" : "pl.Tensor", t);
  if (t->tensor_view) {
    buf_puts(p->out, ", ");
    print_tensor_view(p, t);
  }
  if (t->memref) {
    buf_puts(p->out, ", ");
    print_memref(p, t->memref);
  }
  /* Says which window, and is skipped when read: the window follows from pld.tensor.window. */
  if (distributed && t->window && p->opts.explicit_layout)
    buf_printf(p->out, ", \"window_buffer=%s\"", t->window->name);
  buf_putc(p->out, ']');
}

static void print_tile(Printer *p, const Type *t) {
  print_shaped_head(p, "pl.Tile", t);
  if (t->memref) {
    buf_puts(p->out, ", ");
    print_memref(p, t->memref);
  }
  if (t->space != MEM_NONE) {
    buf_puts(p->out, ", ");
    print_enum(p, ENUM_MEM, t->space);
  }
  if (t->tile_view || p->opts.explicit_layout) {
    TileView v = tile_view_of(p->ir, t);
    buf_puts(p->out, ", ");
    print_tile_view(p, t, &v, p->opts.explicit_layout);
  }
  buf_putc(p->out, ']');
}

static void print_tuple(Printer *p, const Type *t) {
  buf_puts(p->out, "pl.Tuple[");
  if (!t->nelems) buf_puts(p->out, "()");
  for (int i = 0; i < t->nelems; i++) {
    if (i > 0) buf_puts(p->out, ", ");
    print_type_in(p, t->elems[i]);
  }
  buf_putc(p->out, ']');
}

static void print_reg(Printer *p, const Type *t) {
  buf_puts(p->out, "pl.Reg[");
  print_dims(p, t->shape, t->rank);
  buf_puts(p->out, ", ");
  print_dtype(p, t->dtype);
  if (t->reg != REG_VEC) {
    buf_puts(p->out, ", ");
    print_enum(p, ENUM_REG, t->reg);
  }
  buf_putc(p->out, ']');
}

/* Buffers are no part of the language that people write: every field is spelt out. */
static void print_buffer(Printer *p, const Type *t) {
  TileView v = tile_view_of(p->ir, t);
  buf_puts(p->out, "pypto.ir.BufferType([");
  print_dims(p, t->shape, t->rank);
  buf_printf(p->out, "], pypto.DataType.%s, pypto.ir.Mem.%s, valid_shape=[", dtype_name(t->dtype),
             mem_name(t->space));
  print_dims(p, v.valid_shape, v.nvalid);
  buf_printf(
      p->out, "], blayout=pypto.ir.TileLayout.%s, slayout=pypto.ir.TileLayout.%s, fractal=%u",
      enum_name(ENUM_TILE_LAYOUT, v.blayout), enum_name(ENUM_TILE_LAYOUT, v.slayout), v.fractal);
  buf_printf(p->out, ", pad=pypto.ir.PadValue.%s, compact=pypto.ir.CompactMode.%s)",
             enum_name(ENUM_PAD, v.pad), enum_name(ENUM_COMPACT, v.compact));
}

void print_type_in(Printer *p, const Type *t) {
  switch (t->kind) {
    case TYPE_SCALAR:
      buf_puts(p->out, "pl.Scalar[");
      print_dtype(p, t->dtype);
      buf_putc(p->out, ']');
      break;
    case TYPE_TENSOR:
    case TYPE_DIST_TENSOR: print_tensor(p, t); break;
    case TYPE_TILE: print_tile(p, t); break;
    case TYPE_ARRAY:
      buf_puts(p->out, "pl.Array[");
      print_dims(p, t->shape, t->rank);
      buf_puts(p->out, ", ");
      print_dtype(p, t->dtype);
      buf_putc(p->out, ']');
      break;
    case TYPE_TUPLE: print_tuple(p, t); break;
    case TYPE_REG: print_reg(p, t); break;
    case TYPE_BUFFER: print_buffer(p, t); break;
    case TYPE_MULTI_BUFFER:
      buf_puts(p->out, "pypto.ir.MultiBufferType(");
      print_type_in(p, t->elems[0]);
      buf_printf(p->out, ", slot_count=%u)", t->slots);
      break;
    case TYPE_PTR: buf_puts(p->out, "pl.Ptr"); break;
    case TYPE_WINDOW_BUFFER: buf_puts(p->out, "pld.WindowBufferType"); break;
    case TYPE_COMM_CTX: buf_puts(p->out, "pld.CommCtxType"); break;
    case TYPE_PREFETCH_CTX: buf_puts(p->out, "pl.PrefetchAsyncContext"); break;
    case TYPE_ASYNC_EVENT: buf_puts(p->out, "pl.AsyncEvent"); break;
    case TYPE_ASYNC_SESSION: buf_puts(p->out, "pl.AsyncSession"); break;
    case TYPE_VOID: buf_puts(p->out, "pl.VoidType"); break;
    case TYPE_PIPE:
    case TYPE_UNKNOWN: buf_puts(p->out, "pl.UnknownType"); break;
  }
}
