/* block_nz_tensor_views.c -- tensors in NZ order get the shape of their boxes, and so do the
 * windows that are loaded from them; see docs/passes/block-nz-tensor-views.md. */
#include <stdarg.h>

#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/type_rules.h"
#include "ir/view.h"
#include "passes/pass.h"

enum { BOX_ROWS = 16, MOST_ZEROS = 63 };

/* What is known of an integer: so many of its lowest bits are zero, whatever width it wraps at. */
typedef struct Fact {
  int zeros;
  bool nonneg;
} Fact;

typedef struct Blocker {
  Ir *ir;
  Map facts;   /* variable -> its Fact, packed, if anything is known */
  Map refused; /* types that an error has named already */
  Span at;     /* of the value whose type is being looked at */
  bool failed;
} Blocker;

static bool is_nz(const Type *t) {
  return type_is_tensor(t) && t->tensor_view && t->tensor_view->layout == LAYOUT_NZ;
}

/* Columns of a box: 32 bytes. */
static int64_t box_cols(DType d) { return 256 / dtype_bits(d); }

__attribute__((format(printf, 3, 4))) static void refuse(Blocker *b, Span at, const char *fmt,
                                                         ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_vreport(b->ir->diag, DIAG_ERROR, at, fmt, ap);
  va_end(ap);
  b->failed = true;
}

/* ---------------------------------------------------------------- what is known of offsets */

static Fact unpack(const Map *facts, const Expr *var) {
  int64_t packed = map_get_int(facts, var);
  return packed ? (Fact){(int)(packed >> 2), packed >> 1 & 1} : (Fact){0, false};
}

static void learn(Blocker *b, const Expr *var, Fact f) {
  if (f.zeros || f.nonneg) map_set(&b->facts, var, map_int(f.zeros << 2 | f.nonneg << 1 | 1));
}

static Fact fact_of(const Blocker *b, const Expr *e);

static Fact fact_of_binary(const Blocker *b, const Expr *e) {
  Fact x = fact_of(b, e->u.bin.lhs), y = fact_of(b, e->u.bin.rhs);
  int least = x.zeros < y.zeros ? x.zeros : y.zeros, sum = x.zeros + y.zeros;
  bool both = x.nonneg && y.nonneg;
  switch (e->kind) {
    case EXPR_ADD:
    case EXPR_MIN: return (Fact){least, both};
    case EXPR_MAX: return (Fact){least, x.nonneg || y.nonneg};
    case EXPR_SUB: return (Fact){least, false};
    case EXPR_MUL: return (Fact){sum < MOST_ZEROS ? sum : MOST_ZEROS, both};
    case EXPR_FLOOR_DIV: return (Fact){0, both};
    case EXPR_FLOOR_MOD: return (Fact){least, both};
    default: return (Fact){0, false};
  }
}

static Fact fact_of(const Blocker *b, const Expr *e) {
  if (e->kind == EXPR_INT)
    return (Fact){e->u.i ? __builtin_ctzll((uint64_t)e->u.i) : MOST_ZEROS, e->u.i >= 0};
  if (e->kind == EXPR_VAR) return unpack(&b->facts, e);
  if (expr_is_binary(e)) return fact_of_binary(b, e);
  const Op *op = expr_op(e);
  bool counts = op && (op->id == OP_TILE_GET_BLOCK_IDX || op->id == OP_TILE_GET_BLOCK_NUM ||
                       op->id == OP_TILE_GET_SUBBLOCK_IDX);
  return (Fact){0, counts};
}

/* ---------------------------------------------------------------- types */

/* Why a tensor in NZ order cannot be described, or NULL. */
static const char *nz_problem(Ir *ir, const Type *t) {
  const TensorView *v = t->tensor_view;
  if (t->kind == TYPE_DIST_TENSOR) return "a distributed tensor cannot be in NZ order";
  if (v->nstride) return "a tensor in NZ order has no strides of its own";
  if (v->nvalid || v->pad != PAD_NULL) return "a tensor in NZ order must be valid as a whole";
  return type_nz_problem(ir, t);
}

/* [batch, rows, cols] as [batch, cols/c0, rows/16, 16, c0]; without a batch it is 1. */
static void blocked(Ir *ir, DType d, const Type *t, Expr *batch, Expr *out[5]) {
  int64_t rows = 0, cols = 0, c0 = box_cols(d);
  expr_const_int(t->shape[t->rank - 2], &rows);
  expr_const_int(t->shape[t->rank - 1], &cols);
  out[0] = batch ? batch : expr_index(ir, 1);
  out[1] = expr_index(ir, cols / c0);
  out[2] = expr_index(ir, rows / BOX_ROWS);
  out[3] = expr_index(ir, BOX_ROWS);
  out[4] = expr_index(ir, c0);
}

static const Type *block_type(Rewriter *r, const Type *t) {
  Blocker *b = r->ctx;
  t = rewrite_type_children(r, t);
  if (!is_nz(t) || tensor_is_blocked_nz(t)) return t;
  const char *problem = nz_problem(b->ir, t);
  if (problem) {
    if (map_set(&b->refused, t, map_int(1))) refuse(b, b->at, "%s", problem);
    return t;
  }
  Expr *shape[5];
  blocked(b->ir, t->dtype, t, t->rank == 3 ? t->shape[0] : NULL, shape);
  return type_with_shape(b->ir, t, shape, 5);
}

/* ---------------------------------------------------------------- loads */

static const char *load_name(const Expr *load) { return load->u.call.op->name; }

/* The parts of the list that argument `i` is; false after an error. */
static bool read_list(Blocker *b, const Expr *load, int i, int rank, Expr *const **out) {
  const Expr *list = load->u.call.args[i];
  if (list->kind == EXPR_TUPLE && list->u.tuple.len == rank) {
    *out = list->u.tuple.elems;
    return true;
  }
  refuse(b, load->span, "%s from a tensor in NZ order must name its window in %d dimensions",
         load_name(load), rank);
  return false;
}

/* How many boxes a window takes along rows or columns; 0 after an error. */
static int64_t boxes(Blocker *b, const Expr *load, const Expr *size, const Expr *valid, int64_t box,
                     const char *what) {
  int64_t n, v;
  if (!expr_const_int(size, &n) || n <= 0 || n % box)
    refuse(b, load->span, "%s from a tensor in NZ order must take a constant multiple of %lld %s",
           load_name(load), (long long)box, what);
  else if (!expr_const_int(valid, &v) || v != n)
    refuse(b, load->span, "%s from a tensor in NZ order must take only valid %s", load_name(load),
           what);
  else
    return n / box;
  return 0;
}

/* The offset counted in boxes; NULL after an error.  Only the offset as a whole is divided:
 * dividing a factor of it instead would be another number where the product wraps. */
static Expr *box_offset(Blocker *b, const Expr *load, Expr *offset, int64_t box, const char *what) {
  int64_t n;
  Fact f = fact_of(b, offset);
  if (f.zeros < __builtin_ctzll((uint64_t)box)) {
    refuse(b, load->span, "%s from a tensor in NZ order must begin at a multiple of %lld %s%s",
           load_name(load), (long long)box, what,
           offset->kind == EXPR_INT ? "" : ", and this offset is not known to be one");
    return NULL;
  }
  if (!f.nonneg) {
    refuse(b, load->span, "the offset of %s into a tensor in NZ order %s", what,
           offset->kind == EXPR_INT ? "is negative"
                                    : "must surely be zero or more, and this one may be negative");
    return NULL;
  }
  if (expr_const_int(offset, &n)) return expr_int(b->ir, n / box, DT_INDEX, offset->span);
  DType d = offset->type->dtype;
  return expr_binary(b->ir, EXPR_FLOOR_DIV, offset, expr_int(b->ir, box, d, offset->span), d,
                     offset->span);
}

/* Does the load give a matrix as it lies in Mat for products? */
static bool gives_operand(Blocker *b, const Expr *load) {
  const Type *tile = load->type;
  if (!type_is_tile(tile) || tile->space != MEM_MAT) {
    refuse(b, load->span,
           "a tensor in NZ order is only loaded as an operand of matrix products, into Mat");
    diag_note(b->ir->diag, load->span,
              "write target_memory=pl.Mem.Mat, or annotate the tensor without pl.NZ");
    return false;
  }
  TileView v = tile_view_of(b->ir, tile);
  if (tile->rank == 2 && v.blayout == TILE_LAYOUT_COL_MAJOR && v.slayout == TILE_LAYOUT_ROW_MAJOR)
    return true;
  refuse(b, load->span,
         "a tensor in NZ order is only loaded into a matrix of column-major blocks and row-major "
         "boxes");
  return false;
}

static Expr *block_load(Rewriter *r, Expr *load) {
  Blocker *b = r->ctx;
  Ir *ir = b->ir;
  const Type *tensor = load->u.call.args[0]->type;
  int rank = tensor->rank;
  int64_t one;
  Expr *const *offset, *const *size, *const *valid, *zero = expr_index(ir, 0);
  if (load->u.call.nargs != 4 || nz_problem(ir, tensor) || !gives_operand(b, load)) return load;
  if (!read_list(b, load, 1, rank, &offset) || !read_list(b, load, 2, rank, &size) ||
      !read_list(b, load, 3, rank, &valid))
    return load;
  if (rank == 3 && (!expr_const_int(size[0], &one) || one != 1)) {
    refuse(b, load->span, "%s from a tensor in NZ order takes one page of the batch at a time",
           load_name(load));
    return load;
  }
  int64_t c0 = box_cols(tensor->dtype),
          rows = boxes(b, load, size[rank - 2], valid[rank - 2], BOX_ROWS, "rows");
  int64_t cols = rows ? boxes(b, load, size[rank - 1], valid[rank - 1], c0, "columns") : 0;
  if (!cols) return load;
  Expr *row = box_offset(b, load, rewrite_expr(r, offset[rank - 2]), BOX_ROWS, "rows");
  Expr *col = row ? box_offset(b, load, rewrite_expr(r, offset[rank - 1]), c0, "columns") : NULL;
  if (!col) return load;
  Expr *at[] = {rank == 3 ? rewrite_expr(r, offset[0]) : zero, col, row, zero, zero};
  Expr *part[] = {expr_index(ir, 1), expr_index(ir, cols), expr_index(ir, rows),
                  expr_index(ir, BOX_ROWS), expr_index(ir, c0)};
  Expr *window = expr_tuple(ir, part, 5, load->span);
  Expr *args[] = {rewrite_expr(r, load->u.call.args[0]), expr_tuple(ir, at, 5, load->span), window,
                  window};
  Expr *n = expr_call_op(ir, load->u.call.op, args, 4, load->u.call.kwargs, load->type, load->span);
  n->u.call.attrs = load->u.call.attrs;
  return n;
}

/* ---------------------------------------------------------------- the program */

/* Only loads read a tensor in NZ order, and functions pass it on. */
static bool misuses(Blocker *b, const Expr *call) {
  const Op *op = expr_op(call);
  for (int i = 0; op && i < call->u.call.nargs; i++) {
    if (!is_nz(call->u.call.args[i]->type) || (op->id == OP_TILE_LOAD && i == 0)) continue;
    refuse(b, call->span, "%s cannot have a tensor in NZ order: it is only read, by %s", op->name,
           op_get(b->ir, OP_TILE_LOAD)->name);
    return true;
  }
  return false;
}

static Expr *block_expr(Rewriter *r, Expr *e) {
  Blocker *b = r->ctx;
  if (!expr_is_call(e)) return rewrite_expr_children(r, e);
  b->at = e->span;
  if (misuses(b, e)) return e;
  const Expr *source = expr_is_op(e, OP_TILE_LOAD) ? e->u.call.args[0] : NULL;
  if (source && is_nz(source->type) && !tensor_is_blocked_nz(source->type)) return block_load(r, e);
  return rewrite_expr_children(r, e);
}

static Expr *block_def(Rewriter *r, Expr *var) {
  Blocker *b = r->ctx;
  b->at = var->span;
  return rewrite_def_default(r, var);
}

static void block_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Blocker *b = r->ctx;
  if (b->failed) return;
  Stmt *n = NULL;
  if (s->kind == STMT_FOR) {
    Fact start = fact_of(b, s->u.loop.start), step = fact_of(b, s->u.loop.step);
    Fact var = {start.zeros < step.zeros ? start.zeros : step.zeros, start.nonneg && step.nonneg};
    learn(b, s->u.loop.var, var);
  }
  n = rewrite_stmt_children(r, s);
  if (n->kind == STMT_ASSIGN && type_is_scalar(n->u.assign.var->type))
    learn(b, n->u.assign.var, fact_of(b, n->u.assign.value));
  vec_push(out, n);
}

static Function *block_func(void *context, Function *f) {
  PassCtx *ctx = context;
  Blocker b = {.ir = ctx->ir, .at = f->span};
  for (int i = 0; i < f->nparams && !b.failed; i++)
    if (is_nz(f->params[i]->type) && f->dirs[i] != PARAM_IN)
      refuse(&b, f->params[i]->span, "a tensor in NZ order is only read: '%s' cannot be an output",
             f->params[i]->u.var.name);
  Rewriter r;
  rewriter_init(&r, ctx->ir, &b);
  r.type = block_type;
  r.expr = block_expr;
  r.def = block_def;
  r.stmt = block_stmt;
  Function *g = b.failed ? NULL : rewrite_func(&r, f);
  rewriter_free(&r);
  map_free(&b.facts);
  map_free(&b.refused);
  return b.failed ? NULL : g;
}

bool program_has_nz_tensors(const Program *p) {
  for (int i = 0; i < p->nfuncs; i++)
    for (int k = 0; k < p->funcs[i]->nparams; k++)
      if (is_nz(p->funcs[i]->params[k]->type)) return true;
  return false;
}

Program *block_nz_tensor_views(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, block_func, ctx);
}
