/* annotation_view.c -- dimensions, enumerations and views in annotations. */
#include <inttypes.h>
#include <string.h>

#include "ir/view.h"
#include "ir/visit.h"
#include "parser/annotation_int.h"

Name annot_head(const SynExpr *e) {
  if (e->kind == SYN_NAME) return e->name;
  return e->kind == SYN_ATTR && e->lhs->kind == SYN_NAME ? e->name : NULL;
}

bool annot_is_call(const Annot *a, const SynExpr *e, const char *name) {
  return e->kind == SYN_CALL && annot_head(e->lhs) == ir_name(a->ir, name);
}

const SynExpr *annot_bound(Annot *a, const SynExpr *e) {
  for (int i = 0; i < 16 && e->kind == SYN_NAME && a->binding; i++) {
    const SynExpr *to = a->binding(a->ctx, e->name);
    if (!to) break;
    e = to;
  }
  return e;
}

const char *annot_text(Annot *a, const SynExpr *e) { return syn_text(a->ir->arena, e); }

/* ---------------------------------------------------------------- numbers */

static bool is_typed_const(const SynExpr *e, void *ctx) {
  const Annot *a = ctx;
  bool typed =
      e->kind == SYN_CALL && e->lhs->kind == SYN_ATTR && e->lhs->name == ir_name(a->ir, "const");
  return !typed; /* false ends the walk */
}

/* Constants written with their type are not to be folded. */
static bool has_typed_const(Annot *a, const SynExpr *e) { return !syn_walk(e, is_typed_const, a); }

static bool fold_binary(SynOp op, int64_t x, int64_t y, int64_t *out) {
  switch (op) {
    case SYN_OP_ADD: return !__builtin_add_overflow(x, y, out);
    case SYN_OP_SUB: return !__builtin_sub_overflow(x, y, out);
    case SYN_OP_MUL: return !__builtin_mul_overflow(x, y, out);
    case SYN_OP_FLOORDIV:
    case SYN_OP_MOD:
      if (x < 0 || y <= 0) return false; /* nobody writes it, and C rounds another way */
      *out = op == SYN_OP_MOD ? x % y : x / y;
      return true;
    default: return false;
  }
}

/* The integer that `e` comes to, the types of its constants aside. */
static bool fold_int(Annot *a, const SynExpr *e, int64_t *out) {
  AttrValue v;
  int64_t x, y;
  if (!is_typed_const(e, a)) return e->nitems == 2 && fold_int(a, e->items[0], out);
  if (e->kind == SYN_BINARY)
    return fold_int(a, e->lhs, &x) && fold_int(a, e->rhs, &y) && fold_binary(e->op, x, y, out);
  if (!a->constant(a->ctx, e, &v) || v.kind != ATTR_INT) return false;
  *out = v.u.i;
  return true;
}

static bool is_integer(const Type *t) { return t->kind == TYPE_SCALAR && dtype_is_int(t->dtype); }

static Expr *checked_dim(Annot *a, const SynExpr *e, Expr *dim, const char *what) {
  if (!dim) return NULL;
  if (is_integer(dim->type)) return dim;
  diag_error(
      a->ir->diag, e->at, "%s must be an integer, but '%s' is %s", what, annot_text(a, e),
      dim->type->kind == TYPE_SCALAR ? dtype_name(dim->type->dtype) : type_kind_name(dim->type));
  return NULL;
}

/* The constant that `e` is, if it is one: 1 and *out, 0 if not, -1 after an error.  `fold` also takes
 * constants that were written with their type. */
static int constant_dim(Annot *a, const SynExpr *e, bool fold, const char *what, Expr **out) {
  AttrValue v;
  if (e->kind == SYN_INT && !e->big) {
    *out = expr_int(a->ir, e->integer, DT_INDEX, e->at);
    return 1;
  }
  if (has_typed_const(a, e)) {
    if (!fold || !fold_int(a, e, &v.u.i)) return 0;
    v.kind = ATTR_INT;
  } else if (!a->constant(a->ctx, e, &v)) {
    return 0;
  }
  if (v.kind == ATTR_INT) {
    *out = expr_int(a->ir, v.u.i, DT_INDEX, e->at);
    return 1;
  }
  if (v.kind == ATTR_EXPR) {
    *out = checked_dim(a, e, v.u.expr, what);
    return *out ? 1 : -1;
  }
  diag_error(a->ir->diag, e->at, "%s must be an integer, but '%s' is not", what, annot_text(a, e));
  return -1;
}

typedef struct NameSearch {
  Name name;
  Expr *found;
} NameSearch;

static bool is_named(Visitor *v, Expr *e) {
  NameSearch *s = v->ctx;
  if (!s->found && expr_is_var(e) && e->u.var.name == s->name) s->found = e;
  return !s->found;
}

/* The variable of that name in the type of the value, or NULL. */
static Expr *named_in_value(const Annot *a, Name name) {
  NameSearch s = {name, NULL};
  Visitor v = {.ctx = &s, .expr = is_named};
  if (a->value) visit_type(&v, a->value);
  return s.found;
}

Expr *annot_dim(Annot *a, const SynExpr *e, bool open) {
  Expr *dim = NULL;
  int known = constant_dim(a, e, false, "a dimension", &dim);
  if (known < 0) return NULL;
  if (!known && e->kind == SYN_NAME) {
    dim = a->variable(a->ctx, e->name);
    if (!dim) dim = named_in_value(a, e->name);
    if (!dim && open) dim = a->dimension(a->ctx, e->name, e->at);
  }
  if (!dim) dim = a->expression(a->ctx, e);
  dim = checked_dim(a, e, dim, "a dimension");
  if (dim && dim->kind == EXPR_INT && dim->u.i < 0) {
    diag_error(a->ir->diag, e->at, "a dimension cannot be negative, but this is %" PRId64,
               dim->u.i);
    return NULL;
  }
  return dim;
}

static bool shape_from_values(Annot *a, const SynExpr *e, const AttrValue *list, Expr ***out,
                              int *n) {
  *n = list->u.list.len;
  *out = NEW_ARRAY(a->ir->arena, Expr *, *n);
  for (int i = 0; i < *n; i++) {
    const AttrValue *v = &list->u.list.items[i];
    if (v->kind == ATTR_INT)
      (*out)[i] = expr_int(a->ir, v->u.i, DT_INDEX, e->at);
    else if (v->kind == ATTR_EXPR && is_integer(v->u.expr->type))
      (*out)[i] = v->u.expr;
    else {
      diag_error(a->ir->diag, e->at, "element %d of shape '%s' is not an integer", i,
                 annot_text(a, e));
      return false;
    }
  }
  return true;
}

enum { MAX_RANK = 64 };

bool annot_shape(Annot *a, const SynExpr *e, bool open, Expr ***out, int *n) {
  AttrValue v;
  if (e->kind != SYN_LIST && e->kind != SYN_TUPLE) {
    if (a->constant(a->ctx, e, &v) && v.kind == ATTR_LIST)
      return shape_from_values(a, e, &v, out, n);
    diag_error(a->ir->diag, e->at, "a shape is a list of dimensions like [64, 128], not '%s'",
               annot_text(a, e));
    return false;
  }
  if (e->nitems > MAX_RANK) {
    diag_error(a->ir->diag, e->at, "a shape has at most %d dimensions, not %u", MAX_RANK,
               e->nitems);
    return false;
  }
  *n = (int)e->nitems;
  *out = NEW_ARRAY(a->ir->arena, Expr *, e->nitems);
  for (size_t i = 0; i < e->nitems; i++)
    if (!((*out)[i] = annot_dim(a, e->items[i], open))) return false;
  return true;
}

static bool is_not_yield(const SynExpr *e, void *ctx) {
  const Annot *a = ctx;
  return !(e->kind == SYN_CALL && annot_head(e->lhs) == ir_name(a->ir, "yield_"));
}

Expr *annot_index(Annot *a, const SynExpr *e, const char *what) {
  bool name = e->kind == SYN_NAME;
  Expr *index = name && !a->verbatim ? a->variable(a->ctx, e->name) : NULL;
  if (!index) {
    int known = constant_dim(a, e, !a->verbatim, what, &index);
    if (known < 0) return NULL;
    if (!known && name && a->verbatim) index = a->variable(a->ctx, e->name);
    if (!known && !index && name) index = named_in_value(a, e->name);
    if (!known && !index && name) index = a->dimension(a->ctx, e->name, e->at);
  }
  if (!index && !syn_walk(e, is_not_yield, a)) {
    diag_error(a->ir->diag, e->at, "%s cannot yield: it is part of a type", what);
    return NULL;
  }
  if (!index) index = a->expression(a->ctx, e);
  return checked_dim(a, e, index, what);
}

bool annot_int(Annot *a, const SynExpr *e, const char *what, int64_t least, int64_t *out) {
  AttrValue v;
  if (!a->constant(a->ctx, e, &v) || v.kind != ATTR_INT) {
    diag_error(a->ir->diag, e->at, "%s must be an integer constant, not '%s'", what,
               annot_text(a, e));
    return false;
  }
  if (v.u.i < least) {
    diag_error(a->ir->diag, e->at, "%s must be at least %" PRId64 ", not %" PRId64, what, least,
               v.u.i);
    return false;
  }
  *out = v.u.i;
  return true;
}

/* ---------------------------------------------------------------- names with a meaning */

static void suggest(Annot *a, Span at, const char *word, const char *const *all, size_t n) {
  const char *near = diag_suggest(word, all, n);
  if (near) diag_note(a->ir->diag, at, "did you mean '%s'?", near);
}

DType annot_dtype(Annot *a, const SynExpr *e) {
  const char *names[DT_COUNT];
  Name head = annot_head(e);
  AttrValue v;
  DType t = head ? dtype_by_name(head) : DT_NONE;
  if (t != DT_NONE) return t;
  if (a->constant(a->ctx, e, &v)) {
    if (v.kind == ATTR_DTYPE) return v.u.dtype;
    diag_error(a->ir->diag, e->at, "'%s' is not an element type", annot_text(a, e));
    return DT_NONE;
  }
  diag_error(a->ir->diag, e->at, "unknown element type '%s'", annot_text(a, e));
  for (int i = DT_NONE + 1; i < DT_COUNT; i++) names[i - 1] = dtype_name((DType)i);
  if (head) suggest(a, e->at, head, names, DT_COUNT - 1);
  return DT_NONE;
}

/* Reports that `e` is no value of the enumeration. */
static void enum_error(Annot *a, const SynExpr *e, EnumId id) {
  const char *names[64];
  size_t n = 0;
  for (int i = 0; i < enum_count(id) && n < 64; i++)
    if (enum_name(id, i)[0]) names[n++] = enum_name(id, i);
  diag_error(a->ir->diag, e->at, "'%s' is not a pl.%s value", annot_text(a, e), enum_written(id));
  if (e->kind == SYN_ATTR) suggest(a, e->at, e->name, names, n);
}

int annot_enum(Annot *a, const SynExpr *e, EnumId id, bool quiet) {
  AttrValue v;
  if (e->kind == SYN_ATTR && (e->lhs->kind == SYN_ATTR || e->lhs->kind == SYN_NAME) &&
      enum_by_written(e->lhs->name) == (int)id) {
    int value = enum_value(id, e->name);
    if (value < 0 && !quiet) enum_error(a, e, id);
    return value;
  }
  if (e->kind != SYN_ATTR && a->constant(a->ctx, e, &v) && v.kind == ATTR_ENUM && v.enum_id == id)
    return (int)v.u.i;
  if (!quiet) enum_error(a, e, id);
  return -1;
}

int annot_layout(Annot *a, const SynExpr *e, bool quiet) {
  Name head = annot_head(e);
  int value = head ? enum_value(ENUM_LAYOUT, head) : -1;
  return value >= 0 ? value : annot_enum(a, e, ENUM_LAYOUT, quiet);
}

/* ---------------------------------------------------------------- views */

static bool index_list(Annot *a, const SynExpr *e, const char *what, Expr ***out, uint16_t *n) {
  if ((e->kind != SYN_LIST && e->kind != SYN_TUPLE) || e->nitems > MAX_RANK) {
    diag_error(a->ir->diag, e->at, "%s is a list like [64, 32], not '%s'", what, annot_text(a, e));
    return false;
  }
  *n = (uint16_t)e->nitems;
  *out = NEW_ARRAY(a->ir->arena, Expr *, e->nitems);
  for (size_t i = 0; i < e->nitems; i++)
    if (!((*out)[i] = annot_index(a, e->items[i], what))) return false;
  return true;
}

static bool only_keywords(Annot *a, const SynExpr *call, const char *const *known, size_t n) {
  if (call->nitems) {
    diag_error(a->ir->diag, call->items[0]->at, "%s takes keyword arguments only",
               annot_text(a, call->lhs));
    return false;
  }
  for (size_t i = 0; i < call->nkwargs; i++) {
    const SynKeyword *k = &call->kwargs[i];
    bool ok = false;
    for (size_t j = 0; j < n; j++) ok = ok || (k->name && strcmp(k->name, known[j]) == 0);
    if (ok) continue;
    diag_error(a->ir->diag, k->at, "%s has no argument '%s'", annot_text(a, call->lhs),
               k->name ? k->name : "**");
    if (k->name) suggest(a, k->at, k->name, known, n);
    return false;
  }
  return true;
}

static const SynExpr *keyword(const Annot *a, const SynExpr *call, const char *name) {
  const SynKeyword *k = syn_keyword(call, ir_name(a->ir, name));
  return k ? k->value : NULL;
}

/* An enumeration as keyword; *out stays when it is not given.  False after an error. */
static bool enum_keyword(Annot *a, const SynExpr *call, const char *name, EnumId id, int *out) {
  const SynExpr *e = keyword(a, call, name);
  if (!e) return true;
  int value = id == ENUM_LAYOUT ? annot_layout(a, e, false) : annot_enum(a, e, id, false);
  if (value >= 0) *out = value;
  return value >= 0;
}

bool annot_tensor_view(Annot *a, const SynExpr *call, TensorView *out) {
  static const char *const known[] = {"stride", "layout", "valid_shape", "pad"};
  const SynExpr *stride, *valid;
  int layout = LAYOUT_ND, pad = PAD_NULL;
  *out = (TensorView){0};
  if (!only_keywords(a, call, known, sizeof known / sizeof *known)) return false;
  stride = keyword(a, call, "stride");
  valid = keyword(a, call, "valid_shape");
  if (call->nkwargs && !keyword(a, call, "layout")) {
    diag_error(a->ir->diag, call->at,
               "a TensorView that gives stride, valid_shape or pad needs layout=");
    return false;
  }
  if (stride && !index_list(a, stride, "a stride", &out->stride, &out->nstride)) return false;
  if (valid && !index_list(a, valid, "a valid_shape", &out->valid_shape, &out->nvalid))
    return false;
  if (!enum_keyword(a, call, "layout", ENUM_LAYOUT, &layout)) return false;
  if (!enum_keyword(a, call, "pad", ENUM_PAD, &pad)) return false;
  out->layout = (TensorLayout)layout;
  out->pad = (PadValue)pad;
  return true;
}

bool annot_tile_view(Annot *a, const SynExpr *call, const Type *tile, TileView *out) {
  static const char *const known[] = {"valid_shape", "stride",  "start_offset", "blayout",
                                      "slayout",     "fractal", "pad",          "compact"};
  const SynExpr *e;
  if (!only_keywords(a, call, known, sizeof known / sizeof *known)) return false;
  /* What is not written follows from shape and space, as the printer leaves it out. */
  *out = tile_view_implied(a->ir, tile->shape, tile->rank, tile->dtype, tile->space);
  int blayout = out->blayout, slayout = out->slayout, pad = out->pad, compact = out->compact;
  int64_t fractal = out->fractal;
  if ((e = keyword(a, call, "valid_shape")) &&
      !index_list(a, e, "a valid_shape", &out->valid_shape, &out->nvalid))
    return false;
  if ((e = keyword(a, call, "stride")) &&
      !index_list(a, e, "a stride", &out->stride, &out->nstride))
    return false;
  if ((e = keyword(a, call, "start_offset")) &&
      !(out->start_offset = annot_index(a, e, "a start_offset")))
    return false;
  if ((e = keyword(a, call, "fractal")) && !annot_int(a, e, "fractal", 1, &fractal)) return false;
  if (!enum_keyword(a, call, "blayout", ENUM_TILE_LAYOUT, &blayout) ||
      !enum_keyword(a, call, "slayout", ENUM_TILE_LAYOUT, &slayout) ||
      !enum_keyword(a, call, "pad", ENUM_PAD, &pad) ||
      !enum_keyword(a, call, "compact", ENUM_COMPACT, &compact))
    return false;
  out->blayout = (TileLayout)blayout;
  out->slayout = (TileLayout)slayout;
  out->pad = (PadValue)pad;
  out->compact = (CompactMode)compact;
  out->fractal = (uint32_t)fractal;
  return true;
}
