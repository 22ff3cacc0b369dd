/* hints.c -- what is right, but could be faster: transfers in short rows. */
#include "base/vec.h"
#include "ir/op.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/verify.h"

/* A kind of transfer at one place of the source; expanded loops make many of them. */
typedef struct Transfer {
  Span at;
  OpId op;
  DType dtype;
  MemSpace space;
  int64_t extent;     /* innermost, elements */
  int64_t rows, cols; /* that move; 0: not known */
  int count;
} Transfer;

typedef VEC(Transfer) Transfers;

typedef struct Hints {
  Ir *ir;
  const Target *target;
  Transfers found;
} Hints;

static int64_t row_bytes(DType d, int64_t elements) { return (elements * dtype_bits(d) + 7) / 8; }

/* What moves: the valid part, rows of the innermost dimension; leaves it at 0 if it is not
 * constant. */
static void count_rows(Transfer *t, const Type *tile) {
  int n;
  Expr *const *valid = type_valid_shape(tile, &n);
  int64_t rows = 1, extent;
  if (n == 0) return;
  for (int i = 0; i < n - 1; i++) {
    if (!expr_const_int(valid[i], &extent) || extent <= 0 || extent > INT32_MAX || rows > INT32_MAX)
      return;
    rows *= extent;
  }
  if (!expr_const_int(valid[n - 1], &extent) || extent <= 0 || extent > INT32_MAX) return;
  t->rows = rows;
  t->cols = extent;
}

static bool same_transfer(const Transfer *a, const Transfer *b) {
  return a->at.line == b->at.line && a->at.col == b->at.col && a->op == b->op &&
         a->dtype == b->dtype && a->space == b->space && a->extent == b->extent &&
         a->rows == b->rows && a->cols == b->cols;
}

static bool inspect(Visitor *v, Expr *e) {
  Hints *h = v->ctx;
  bool load = expr_is_op(e, OP_TILE_LOAD), store = expr_is_op(e, OP_TILE_STORE);
  if (!load && !store) return true;
  const Type *tile = load ? e->type : e->u.call.args[0]->type;
  Transfer t = {.at = e->span, .op = load ? OP_TILE_LOAD : OP_TILE_STORE, .count = 1};
  if (!type_is_tile(tile) || tile->rank == 0 ||
      !expr_const_int(tile->shape[tile->rank - 1], &t.extent))
    return true;
  t.dtype = tile->dtype;
  t.space = tile->space;
  if (t.extent <= 0 || t.extent > INT32_MAX ||
      row_bytes(t.dtype, t.extent) >= h->target->innermost_bytes)
    return true;
  count_rows(&t, tile);
  /* What was expanded from one statement stands together, so looking back a little finds it. */
  enum { LOOK_BACK = 16 };
  for (size_t i = h->found.len, n = 0; t.at.line && i > 0 && n < LOOK_BACK; i--, n++) {
    if (!same_transfer(&h->found.data[i - 1], &t)) continue;
    h->found.data[i - 1].count++;
    return true;
  }
  vec_push(&h->found, t);
  return true;
}

static void report(const Hints *h, const Transfer *t) {
  Ir *ir = h->ir;
  const char *space =
      t->space == MEM_NONE ? "" : arena_printf(ir->arena, " in %s", enum_name(ENUM_MEM, t->space));
  const char *volume = "", *times = "";
  int64_t bytes = row_bytes(t->dtype, t->cols);
  if (t->rows)
    volume = arena_printf(ir->arena, "; %lld bytes move in %lld rows of %lld",
                          (long long)(t->rows * bytes), (long long)t->rows, (long long)bytes);
  if (t->count > 1) times = arena_printf(ir->arena, " (%d such transfers)", t->count);
  diag_hint(ir->diag, t->at, "PH001",
            "%s: the innermost extent of the tile%s is %lld bytes (%lld of %s)%s; %s wants rows of "
            "at least %d bytes%s",
            op_get(ir, t->op)->name, space, (long long)row_bytes(t->dtype, t->extent),
            (long long)t->extent, dtype_name(t->dtype), volume, h->target->name,
            h->target->innermost_bytes, times);
}

void hint_program(Ir *ir, const Target *target, const Program *p) {
  if (!ir->diag->hints) return;
  Hints h = {.ir = ir, .target = target};
  Visitor v = {.ctx = &h, .expr = inspect};
  for (int i = 0; i < p->nfuncs; i++) visit_block(&v, p->funcs[i]->body);
  for (size_t i = 0; i < h.found.len; i++) report(&h, &h.found.data[i]);
  vec_free(&h.found);
}
