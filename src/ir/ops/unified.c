/* unified.c -- short names: which operator pl.NAME is for the values at hand. */
#include <string.h>

#include "ir/ops/convert.h"

typedef struct ShortRow {
  const char *name, *params;
  OpId tensor, tile;
  ExprKind scalar;
} ShortRow;

static const ShortRow rows[] = {
#define SHORT(name, params, tensor, tile, scalar) {name, params, OP_##tensor, OP_##tile, scalar},
#define ALIAS(name, op)
#define REMEDY(name, param, text)
#include "ir/ops/unified.def"
#undef SHORT
#undef ALIAS
#undef REMEDY
};

static const struct {
  const char *name;
  OpId op;
} aliases[] = {
#define SHORT(name, params, tensor, tile, scalar)
#define ALIAS(name, op) {name, OP_##op},
#define REMEDY(name, param, text)
#include "ir/ops/unified.def"
#undef SHORT
#undef ALIAS
#undef REMEDY
};

static const struct {
  const char *name, *param, *text;
} remedies[] = {
#define SHORT(name, params, tensor, tile, scalar)
#define ALIAS(name, op)
#define REMEDY(name, param, text) {name, param, text},
#include "ir/ops/unified.def"
#undef SHORT
#undef ALIAS
#undef REMEDY
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

/* A row with its parameters read, as an Ir keeps it. */
typedef struct ShortName {
  const ShortRow *row;
  OpParam *params;
  int n;
} ShortName;

void short_names_init(Ir *ir) {
  for (size_t i = 0; i < LEN(rows); i++) {
    ShortName *s = NEW(ir->home, ShortName);
    s->row = &rows[i];
    if (rows[i].params) s->params = op_read_params(ir, rows[i].params, &s->n);
    map_set(&ir->short_names, ir_name(ir, rows[i].name), s);
  }
  for (size_t i = 0; i < LEN(aliases); i++)
    map_set(&ir->op_names, ir_name(ir, aliases[i].name), (void *)op_get(ir, aliases[i].op));
}

const OpParam *short_params(Ir *ir, Name short_name, int *n) {
  const ShortName *s = map_get(&ir->short_names, short_name);
  *n = s ? s->n : 0;
  return s ? s->params : NULL;
}

const char *short_remedy(Ir *ir, Name short_name, Name param) {
  (void)ir;
  for (size_t i = 0; i < LEN(remedies); i++)
    if (strcmp(remedies[i].name, short_name) == 0 && strcmp(remedies[i].param, param) == 0)
      return remedies[i].text;
  return NULL;
}

/* The value that decides about the level: the first parameter's. */
static const AttrValue *first_value(const Written *w, const ShortName *s) {
  if (w->npos) return &w->pos[0];
  for (int i = 0; i < w->kw.len; i++)
    if (!s->n || w->kw.items[i].key == s->params[0].name) return &w->kw.items[i].value;
  return NULL;
}

static bool is_scalar_value(const AttrValue *v) {
  return v->kind == ATTR_INT || v->kind == ATTR_FLOAT ||
         (v->kind == ATTR_EXPR && type_is_scalar(v->u.expr->type));
}

const Op *op_resolve_short(Ir *ir, Name short_name, Written *w, bool *known) {
  const ShortName *s = map_get(&ir->short_names, short_name);
  *known = s != NULL;
  if (!s) return NULL;
  const ShortRow *row = s->row;
  const AttrValue *v = first_value(w, s);
  OpId id = OP_NONE;
  if (!row->tensor || !row->tile) {
    id = row->tensor ? row->tensor : row->tile;
  } else if (v && v->kind == ATTR_EXPR && type_is_tensor(v->u.expr->type)) {
    id = row->tensor;
  } else if (v && v->kind == ATTR_EXPR && type_is_tile(v->u.expr->type)) {
    id = row->tile;
  }
  w->short_name = id && s->params ? short_name : NULL;
  w->scalar_form = !id && v && is_scalar_value(v) ? row->scalar : 0;
  if (id) return w->op = op_get(ir, id);
  if (w->scalar_form) return NULL;
  const char *got = !v                     ? "nothing"
                    : v->kind == ATTR_EXPR ? type_str_short(ir, v->u.expr->type)
                                           : "a constant";
  diag_error(ir->diag, w->span, "%s: the first operand must be a Tensor or a Tile%s, not %s",
             short_name, row->scalar ? " or a Scalar" : "", got);
  return NULL;
}
