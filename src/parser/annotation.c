#include "parser/annotation.h"

#include <inttypes.h>
#include <string.h>

#include "ir/op.h"
#include "ir/print.h"
#include "ir/type_rules.h"
#include "ir/view.h"
#include "parser/annotation_int.h"

typedef enum Head {
  HEAD_NONE,
  HEAD_TENSOR,
  HEAD_DIST_TENSOR,
  HEAD_TILE,
  HEAD_SCALAR,
  HEAD_ARRAY,
  HEAD_TUPLE,
  HEAD_REG,
} Head;

static const char *const head_names[] = {
    [HEAD_TENSOR] = "Tensor", [HEAD_DIST_TENSOR] = "DistributedTensor",
    [HEAD_TILE] = "Tile",     [HEAD_SCALAR] = "Scalar",
    [HEAD_ARRAY] = "Array",   [HEAD_TUPLE] = "Tuple",
    [HEAD_REG] = "Reg",
};

enum { HEAD_COUNT = sizeof head_names / sizeof *head_names };

/* Types that are a name alone. */
static const struct {
  const char *name;
  TypeKind kind;
} simple_types[] = {
    {"UnknownType", TYPE_UNKNOWN},
    {"Ptr", TYPE_PTR},
    {"MemRefType", TYPE_PTR},
    {"WindowBufferType", TYPE_WINDOW_BUFFER},
    {"CommCtxType", TYPE_COMM_CTX},
    {"CommCtx", TYPE_COMM_CTX},
    {"PrefetchAsyncContext", TYPE_PREFETCH_CTX},
    {"PrefetchAsyncContextType", TYPE_PREFETCH_CTX},
    {"AsyncEvent", TYPE_ASYNC_EVENT},
    {"AsyncEventType", TYPE_ASYNC_EVENT},
    {"AsyncSession", TYPE_ASYNC_SESSION},
    {"AsyncSessionType", TYPE_ASYNC_SESSION},
    {"VoidType", TYPE_VOID},
};

static Head head_of(const SynExpr *e) {
  Name name = annot_head(e);
  for (int h = HEAD_TENSOR; name && h < HEAD_COUNT; h++)
    if (strcmp(head_names[h], name) == 0) return (Head)h;
  return HEAD_NONE;
}

/* Interns `t` if it is a type at all; else reports why not. */
static const Type *finish(Annot *a, const Type *t, Span at) {
  const char *problem = type_problem(a->ir, t);
  if (!problem) return type_intern(a->ir, t);
  diag_error(a->ir->diag, at, "%s", problem);
  return NULL;
}

/* The things between the brackets of `e`. */
static SynExpr *const *items_of(const SynExpr *e, size_t *n) {
  const SynExpr *rhs = e->rhs;
  if (rhs->kind == SYN_TUPLE && !(rhs->paren && rhs->nitems == 0)) {
    *n = rhs->nitems;
    return rhs->items;
  }
  *n = 1;
  return &((SynExpr *)e)->rhs;
}

/* ---------------------------------------------------------------- tensors */

/* A layout alone; DN is none that a user can mean, because it flips which dimension is which. */
static bool bare_layout(Annot *a, const SynExpr *e, const Type *t, TensorView *out) {
  int layout = annot_layout(a, e, true);
  const char *problem;
  if (layout < 0) {
    diag_error(a->ir->diag, e->at, "'%s' is not a layout, a TensorView or a MemRef",
               annot_text(a, e));
    return false;
  }
  if (layout == LAYOUT_DN) {
    diag_error(a->ir->diag, e->at,
               "a tensor cannot be annotated with the layout DN alone: write the shape as it lies "
               "row by row in memory");
    diag_note(
        a->ir->diag, e->at,
        "transpose where it is used, pl.transpose(x, -2, -1), or give strides with pl.TensorView");
    return false;
  }
  if (layout == LAYOUT_NZ && (problem = type_nz_problem(a->ir, t))) {
    diag_error(a->ir->diag, e->at, "%s", problem);
    return false;
  }
  *out = (TensorView){.layout = (TensorLayout)layout};
  return true;
}

/* The dump's note of the window behind a distributed tensor; it is found again from pld.tensor.window. */
static bool is_window_note(const SynExpr *e) {
  static const char prefix[] = "window_buffer=";
  return e->kind == SYN_STR && e->str.len >= sizeof prefix - 1 &&
         memcmp(e->str.data, prefix, sizeof prefix - 1) == 0;
}

static const Type *tensor_type(Annot *a, const SynExpr *e, SynExpr *const *items, size_t n,
                               Head head) {
  Type t = {.kind = head == HEAD_TENSOR ? TYPE_TENSOR : TYPE_DIST_TENSOR};
  TensorView view;
  int rank;
  if (head == HEAD_DIST_TENSOR && n > 2 && is_window_note(items[n - 1])) n--;
  if (n < 2 || n > 4) {
    diag_error(a->ir->diag, e->at,
               "a %s is written [[shape], dtype], then a layout or TensorView, then a MemRef",
               head_names[head]);
    return NULL;
  }
  if (!annot_shape(a, items[0], head == HEAD_DIST_TENSOR, &t.shape, &rank)) return NULL;
  t.rank = (uint16_t)rank;
  if ((t.dtype = annot_dtype(a, items[1])) == DT_NONE) return NULL;
  size_t next = 2;
  if (next < n && !annot_is_memref(a, items[next])) {
    const SynExpr *v = annot_bound(a, items[next]);
    bool ok = annot_is_call(a, v, "TensorView") ? annot_tensor_view(a, v, &view)
                                                : bare_layout(a, items[next], &t, &view);
    if (!ok) return NULL;
    t.tensor_view = &view;
    next++;
  }
  if (next < n && annot_is_memref(a, items[next])) {
    if (!(t.memref = annot_memref(a, items[next], MEM_DDR))) return NULL;
    next++;
  }
  if (next < n) {
    diag_error(a->ir->diag, items[next]->at, "'%s' has no place here in the type of a %s",
               annot_text(a, items[next]), head_names[head]);
    return NULL;
  }
  return finish(a, &t, e->at);
}

/* ---------------------------------------------------------------- tiles */

typedef struct TileParts {
  const SynExpr *memref, *view, *space;
} TileParts;

/* Sorts what follows the element type; the order is free. */
static bool tile_part(Annot *a, const SynExpr *e, TileParts *parts) {
  const SynExpr *bound = annot_bound(a, e), **slot = NULL;
  const char *what = NULL;
  if (annot_is_memref(a, e)) {
    slot = &parts->memref;
    what = "MemRef";
  } else if (annot_is_call(a, bound, "TileView")) {
    slot = &parts->view;
    what = "TileView";
    e = bound;
  } else if (annot_enum(a, e, ENUM_MEM, true) > 0) {
    slot = &parts->space;
    what = "memory space";
  } else if (annot_layout(a, e, true) >= 0) {
    diag_error(a->ir->diag, e->at, "a Tile has no layout '%s': tiles are laid out by pl.TileView",
               annot_text(a, e));
    return false;
  } else {
    if (e->kind == SYN_ATTR && e->lhs->kind != SYN_CALL &&
        enum_by_written(e->lhs->name) == ENUM_MEM)
      annot_enum(a, e, ENUM_MEM, false);
    else
      diag_error(a->ir->diag, e->at, "'%s' is not a MemRef, a memory space or a TileView",
                 annot_text(a, e));
    return false;
  }
  if (*slot) {
    diag_error(a->ir->diag, e->at, "a second %s for one Tile", what);
    return false;
  }
  *slot = e;
  return true;
}

static const Type *tile_type(Annot *a, const SynExpr *e, SynExpr *const *items, size_t n) {
  Type t = {.kind = TYPE_TILE};
  TileParts parts = {0};
  TileView view;
  int rank;
  if (n < 2 || n > 5) {
    diag_error(a->ir->diag, e->at,
               "a Tile is written [[shape], dtype], then MemRef, memory space and TileView");
    return NULL;
  }
  if (!annot_shape(a, items[0], false, &t.shape, &rank)) return NULL;
  t.rank = (uint16_t)rank;
  if ((t.dtype = annot_dtype(a, items[1])) == DT_NONE) return NULL;
  for (size_t i = 2; i < n; i++)
    if (!tile_part(a, items[i], &parts)) return NULL;
  if (parts.space) t.space = (MemSpace)annot_enum(a, parts.space, ENUM_MEM, false);
  if (parts.memref && !parts.space) {
    diag_error(a->ir->diag, parts.memref->at,
               "a Tile with a memory reference needs its memory space, pl.Mem.<space>");
    return NULL;
  }
  if (parts.memref && !(t.memref = annot_memref(a, parts.memref, t.space))) return NULL;
  if (parts.view) {
    if (!annot_tile_view(a, parts.view, &t, &view)) return NULL;
    t.tile_view = &view;
  }
  return finish(a, &t, e->at);
}

/* ---------------------------------------------------------------- the others */

static const Type *scalar_type(Annot *a, const SynExpr *e) {
  DType t = annot_dtype(a, e);
  return t == DT_NONE ? NULL : type_scalar(a->ir, t);
}

static const Type *array_type(Annot *a, const SynExpr *e, SynExpr *const *items, size_t n) {
  Type t = {.kind = TYPE_ARRAY, .rank = 1};
  int64_t extent;
  if (n != 2) {
    diag_error(a->ir->diag, e->at, "an Array is written [extent, dtype]");
    return NULL;
  }
  if (!annot_int(a, items[0], "the extent of an Array", 1, &extent)) return NULL;
  if ((t.dtype = annot_dtype(a, items[1])) == DT_NONE) return NULL;
  Expr *dim = expr_int(a->ir, extent, DT_INDEX, items[0]->at);
  t.shape = &dim;
  return finish(a, &t, e->at);
}

static const Type *reg_type(Annot *a, const SynExpr *e, SynExpr *const *items, size_t n) {
  Type t = {.kind = TYPE_REG, .rank = 1, .reg = REG_VEC};
  int64_t lanes;
  if (n != 2 && n != 3) {
    diag_error(a->ir->diag, e->at,
               "a Reg is written [lanes, dtype] or [lanes, dtype, pl.RegKind.X]");
    return NULL;
  }
  if (!annot_int(a, items[0], "the number of lanes of a Reg", 1, &lanes)) return NULL;
  if ((t.dtype = annot_dtype(a, items[1])) == DT_NONE) return NULL;
  int kind = n == 3 ? annot_enum(a, items[2], ENUM_REG, false) : REG_VEC;
  if (kind < 0) return NULL;
  t.reg = (RegKind)kind;
  Expr *dim = expr_int(a->ir, lanes, DT_INDEX, items[0]->at);
  t.shape = &dim;
  return finish(a, &t, e->at);
}

static const Type *tuple_of(Annot *a, const SynExpr *e, SynExpr *const *items, size_t n) {
  const Type **elems = NEW_ARRAY(a->ir->arena, const Type *, n);
  for (size_t i = 0; i < n; i++)
    if (!(elems[i] = annot_type(a, items[i]))) return NULL;
  return finish(a, &(Type){.kind = TYPE_TUPLE, .elems = elems, .nelems = (uint16_t)n}, e->at);
}

static const Type *tuple_type(Annot *a, const SynExpr *e, SynExpr *const *items, size_t n) {
  bool empty = n == 1 && items[0]->kind == SYN_TUPLE && !items[0]->nitems;
  return tuple_of(a, e, items, empty ? 0 : n);
}

static const Type *by_head(Annot *a, const SynExpr *e, Head head, SynExpr *const *items, size_t n) {
  switch (head) {
    case HEAD_TENSOR:
    case HEAD_DIST_TENSOR: return tensor_type(a, e, items, n, head);
    case HEAD_TILE: return tile_type(a, e, items, n);
    case HEAD_ARRAY: return array_type(a, e, items, n);
    case HEAD_REG: return reg_type(a, e, items, n);
    case HEAD_TUPLE: return tuple_type(a, e, items, n);
    case HEAD_SCALAR:
      if (n == 1) return scalar_type(a, items[0]);
      diag_error(a->ir->diag, e->at, "a Scalar is written [dtype]");
      return NULL;
    case HEAD_NONE: break;
  }
  return NULL;
}

/* Old notation: pl.Tensor((64, 128), pl.FP16), pl.Scalar(pl.FP32), pl.Tuple([A, B]). */
static const Type *called_type(Annot *a, const SynExpr *e) {
  Head head = head_of(e->lhs);
  bool list = head == HEAD_TUPLE && e->nitems == 1 && e->items[0]->kind == SYN_LIST;
  if (head != HEAD_NONE && !e->nkwargs) {
    if (list) return tuple_of(a, e, e->items[0]->items, e->items[0]->nitems);
    if (head == HEAD_TUPLE) {
      diag_error(a->ir->diag, e->at,
                 "a Tuple that is called takes one list of types; pl.Tuple[A, B] is shorter");
      return NULL;
    }
    return by_head(a, e, head, e->items, e->nitems);
  }
  diag_error(a->ir->diag, e->at, "'%s' is not a type", annot_text(a, e));
  return NULL;
}

static void not_a_type(Annot *a, const SynExpr *e) {
  Name head = annot_head(e);
  diag_error(a->ir->diag, e->at, "'%s' is not a type", annot_text(a, e));
  if (!head) return;
  if (dtype_by_name(head) != DT_NONE) {
    diag_note(a->ir->diag, e->at, "a single value of that element type is pl.Scalar[pl.%s]", head);
    return;
  }
  const char *near = diag_suggest(head, head_names + 1, HEAD_COUNT - 1);
  if (near) diag_note(a->ir->diag, e->at, "did you mean 'pl.%s'?", near);
}

static const Type *named_type(Annot *a, const SynExpr *e) {
  Name name = annot_head(e);
  for (size_t i = 0; name && i < sizeof simple_types / sizeof *simple_types; i++)
    if (strcmp(simple_types[i].name, name) == 0) return type_simple(a->ir, simple_types[i].kind);
  if (name && strcmp(name, "TaskId") == 0) return type_scalar(a->ir, DT_TASK_ID);
  if (head_of(e) != HEAD_NONE) {
    diag_error(a->ir->diag, e->at, "'%s' alone is not a type: it needs its shape or element type",
               annot_text(a, e));
    return NULL;
  }
  not_a_type(a, e);
  return NULL;
}

const Type *annot_type(Annot *a, const SynExpr *e) {
  size_t n;
  e = annot_bound(a, e);
  if (e->kind == SYN_STR) return type_unknown(a->ir);
  if (e->kind == SYN_CALL) return called_type(a, e);
  if (e->kind != SYN_SUBSCRIPT) return named_type(a, e);
  Head head = head_of(e->lhs);
  if (head == HEAD_NONE) {
    not_a_type(a, e->lhs);
    return NULL;
  }
  SynExpr *const *items = items_of(e, &n);
  return by_head(a, e, head, items, n);
}

const Type *annot_param(Annot *a, const SynExpr *e, ParamDir *dir) {
  *dir = PARAM_IN;
  e = annot_bound(a, e);
  if (e->kind == SYN_SUBSCRIPT) {
    Name head = annot_head(e->lhs);
    if (head == ir_name(a->ir, "Out")) *dir = PARAM_OUT;
    if (head == ir_name(a->ir, "InOut")) *dir = PARAM_INOUT;
    if (*dir != PARAM_IN) e = e->rhs;
  }
  const Type *t = annot_type(a, e);
  if (t && t->kind == TYPE_SCALAR && *dir == PARAM_INOUT) {
    diag_error(a->ir->diag, e->at,
               "a Scalar parameter cannot be InOut: only tensors and tiles are "
               "written through");
    return NULL;
  }
  if (t && t->kind == TYPE_VOID) {
    diag_error(a->ir->diag, e->at, "a parameter needs a value: VoidType has none");
    return NULL;
  }
  return t;
}

const Type **annot_returns(Annot *a, const SynExpr *e, int *n) {
  size_t count = 1;
  SynExpr *const *items = (SynExpr *const *)&e;
  if (e->kind == SYN_NONE)
    count = 0;
  else if (e->kind == SYN_SUBSCRIPT && e->lhs->kind == SYN_NAME &&
           e->lhs->name == ir_name(a->ir, "tuple"))
    items = items_of(e, &count);
  const Type **out = NEW_ARRAY(a->ir->arena, const Type *, count + 1);
  for (size_t i = 0; i < count; i++) {
    if (!(out[i] = annot_type(a, items[i]))) return NULL;
    if (out[i]->kind != TYPE_VOID) continue;
    diag_error(a->ir->diag, items[i]->at, "a function cannot return VoidType: it is no value");
    return NULL;
  }
  *n = (int)count;
  return out;
}

/* ---------------------------------------------------------------- annotation and value */

/* Kinds whose annotation only repeats what the value is. */
static bool says_nothing(const Type *t) {
  return t->kind == TYPE_UNKNOWN || t->kind == TYPE_PTR || t->kind == TYPE_WINDOW_BUFFER ||
         t->kind == TYPE_COMM_CTX;
}

/* INDEX is what literals and loop variables are; people annotate them with any integer type. */
static bool dtypes_agree(DType a, DType b) {
  return a == b || (a == DT_INDEX && dtype_is_int(b)) || (b == DT_INDEX && dtype_is_int(a));
}

/* A printed load or create whose tile was flattened, or a copy that was a reshape: only the annotation has the new
 * shape. */
static bool is_flattened(const Annot *a, const Type *annotated, const Expr *value) {
  const Type *t = value->type;
  if (annotated->kind != TYPE_TILE || t->kind != TYPE_TILE) return false;
  if (a->printed && expr_is_var(value) && t->rank != annotated->rank)
    return type_num_elements(t) >= 0 && type_num_elements(t) == type_num_elements(annotated);
  return annotated->rank <= 2 && t->rank > 2 &&
         (expr_is_op(value, OP_TILE_LOAD) || expr_is_op(value, OP_TILE_CREATE));
}

static bool disagree(Annot *a, Span at, const Type *is, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static bool disagree(Annot *a, Span at, const Type *is, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_error(a->ir->diag, at, "%s", arena_vprintf(a->ir->arena, fmt, ap));
  va_end(ap);
  diag_note(a->ir->diag, at, "the value is %s", type_str(a->ir, is));
  return false;
}

/* NormalizeReturnOrder moves the results of a call, but not their types in the annotation of the whole tuple: what
 * is printed for a single result counts. */
static bool is_printed_result(const Annot *a, const Type *t, const Expr *value) {
  return a->verbatim && value->kind == EXPR_TUPLE_GET && type_is_tensor(t) &&
         type_is_tensor(value->type);
}

bool annot_check(Annot *a, const Type *t, const Expr *value, Name name, Span at) {
  const Type *is = value->type;
  int64_t x, y;
  if (says_nothing(t) || is->kind == TYPE_UNKNOWN || is_printed_result(a, t, value)) return true;
  if (t->kind != is->kind)
    return disagree(a, at, is, "'%s' is annotated as a %s, but its value is a %s", name,
                    type_kind_name(t), type_kind_name(is));
  if (!dtypes_agree(t->dtype, is->dtype))
    return disagree(a, at, is, "'%s' is annotated with %s, but its value has %s", name,
                    dtype_name(t->dtype), dtype_name(is->dtype));
  if (is_flattened(a, t, value)) return true;
  if (t->rank != is->rank)
    return disagree(a, at, is, "'%s' is annotated with %d dimensions, but its value has %d", name,
                    t->rank, is->rank);
  for (int i = 0; i < t->rank; i++)
    if (expr_const_int(t->shape[i], &x) && expr_const_int(is->shape[i], &y) && x != y)
      return disagree(a, at, is,
                      "dimension %d of '%s' is annotated as %" PRId64
                      ", but in its value it is %" PRId64,
                      i, name, x, y);
  return true;
}

static const Type *merge_tile(Annot *a, const Type *t, const Expr *value) {
  const Type *is = value->type;
  Type merged = *t;
  bool flattened = is_flattened(a, t, value);
  if (merged.space == MEM_NONE) merged.space = is->space;
  /* A flattened tile keeps no view of more dimensions than it has.  Where the printer writes no view, the one that
   * the memory space implies is meant. */
  bool says_view = t->tile_view || flattened || (a->verbatim && t->space != MEM_NONE);
  if (!says_view) merged.tile_view = is->tile_view;
  bool same_shape = flattened || dims_equal(t->shape, t->rank, is->shape, is->rank);
  if (!merged.memref && merged.space == MEM_NONE && !merged.tile_view && same_shape && !flattened)
    return is;
  return type_intern(a->ir, &merged);
}

/* The results of a call: a printed tuple says what is known of them here, where the function called may have other
 * names for its dimensions.  Places in memory are mostly not written there. */
static const Type *merge_tuple(Annot *a, const Type *t, const Type *is) {
  Type merged = *t;
  if (!a->verbatim) return is;
  merged.elems = NEW_ARRAY(a->ir->arena, const Type *, t->nelems);
  for (int i = 0; i < t->nelems; i++) {
    merged.elems[i] = t->elems[i];
    if (i >= is->nelems || is->elems[i]->kind != t->elems[i]->kind) continue;
    Type elem = *t->elems[i];
    elem.window = is->elems[i]->window;
    merged.elems[i] = type_is_shaped(&elem) ? type_intern(a->ir, &elem) : is->elems[i];
  }
  return type_intern(a->ir, &merged);
}

const Type *annot_merge(Annot *a, const Type *t, const Expr *value) {
  const Type *is = value->type;
  if (says_nothing(t)) return is;
  if (is->kind == TYPE_UNKNOWN) return t;
  if (t->kind == TYPE_TILE && is->kind == TYPE_TILE) return merge_tile(a, t, value);
  if (t->kind == TYPE_TUPLE && is->kind == TYPE_TUPLE) return merge_tuple(a, t, is);
  bool says_more = t->memref || t->tensor_view || is_printed_result(a, t, value) ||
                   (a->printed && !dims_equal(t->shape, t->rank, is->shape, is->rank));
  if (type_is_tensor(t) && says_more) {
    Type merged = *t;
    merged.window = is->window; /* no annotation says it */
    return type_intern(a->ir, &merged);
  }
  if (t->kind == TYPE_SCALAR && is->kind == TYPE_SCALAR && is->dtype == DT_INDEX) return t;
  return is;
}
