#include "ir/op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ops/bind.h"
#include "ir/ops/deduce.h"
#include "ir/print.h"
#include "ir/view.h"

/* The rows as written, in the order of OpId; each Ir has a copy with its strings read. */
static const Op rows[OP_COUNT] = {
#define OP(opid, opname, ...) [OP_##opid] = {.id = OP_##opid, .name = opname, __VA_ARGS__},
#include "ir/ops/all.def"
#undef OP
};

/* ---------------------------------------------------------------- reading the rows */

/* "name:kind", then "*" or "?", then "=default". */
static OpParam read_param(Ir *ir, const char *s, size_t len) {
  OpParam p = {0};
  const char *eq = memchr(s, '=', len);
  if (eq) {
    p.dflt = name_ofn(&ir->names, eq + 1, len - (size_t)(eq + 1 - s));
    p.optional = true;
    len = (size_t)(eq - s);
  }
  if (len > 1 && s[len - 1] == '?') p.optional = true, p.elide = eq != NULL, len--;
  if (len > 1 && s[len - 1] == '*') p.variadic = true, len--;
  const char *colon = memchr(s, ':', len);
  p.kind =
      colon ? name_ofn(&ir->names, colon + 1, len - (size_t)(colon + 1 - s)) : ir_name(ir, "any");
  p.name = name_ofn(&ir->names, s, colon ? (size_t)(colon - s) : len);
  p.code = (uint8_t)param_kind(p.kind);
  if (p.code == KIND_COUNT) diag_internal(ir->diag, "operator rows: unknown kind '%s'", p.kind);
  return p;
}

OpParam *op_read_params(Ir *ir, const char *spec, int *n) {
  VEC(OpParam) list = {0};
  for (const char *s = spec ? spec : ""; *s;) {
    size_t len = strcspn(s, " ");
    if (len) vec_push(&list, read_param(ir, s, len));
    s += len + strspn(s + len, " ");
  }
  *n = (int)list.len;
  return vec_to_arena(&list, ir->home);
}

static int count_words(const char *s) {
  int n = 0;
  for (s = s ? s : ""; *(s += strspn(s, " ")); s += strcspn(s, " ")) n++;
  return n;
}

/* Operands and keywords, in one array. */
static void read_printed_params(Ir *ir, Op *op) {
  const char *all =
      arena_printf(ir->home, "%s %s", op->args ? op->args : "", op->kwargs ? op->kwargs : "");
  int n;
  op->arg_params = op_read_params(ir, all, &n);
  op->nargs = count_words(op->args);
  op->nkwargs = n - op->nargs;
  op->kwarg_params = op->arg_params + op->nargs;
}

static uint32_t read_spaces(const char *s, size_t len) {
  uint32_t set = 0;
  while (len) {
    const char *bar = memchr(s, '|', len);
    size_t n = bar ? (size_t)(bar - s) : len;
    for (int m = 0; m < MEM_COUNT; m++)
      if (strlen(mem_name(m)) == n && memcmp(mem_name(m), s, n) == 0) set |= 1u << m;
    s += n + !!bar;
    len -= n + !!bar;
  }
  return set;
}

static OpFamily family_of(const char *name) {
  static const struct {
    const char *prefix;
    OpFamily family;
  } prefixes[] = {
      {"tensor.", FAMILY_TENSOR},   {"tile.", FAMILY_TILE},         {"array.", FAMILY_ARRAY},
      {"system.", FAMILY_SYSTEM},   {"prefetch.", FAMILY_PREFETCH}, {"pld.", FAMILY_PLD},
      {"builtin.", FAMILY_BUILTIN}, {"buffer.", FAMILY_BUFFER},     {"reg.", FAMILY_REG},
  };
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
    if (strncmp(name, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0)
      return prefixes[i].family;
  return FAMILY_BUILTIN;
}

/* Other names of the operator, in its family: "tile.ci" is also "tile.arange". */
static void add_other_names(Ir *ir, Op *op) {
  int family = (int)(strrchr(op->name, '.') - op->name);
  for (const char *s = op->also ? op->also : ""; *s;) {
    int len = (int)strcspn(s, " ");
    map_set(&ir->op_names, name_printf(&ir->names, "%.*s.%.*s", family, op->name, len, s), op);
    s += len + (int)strspn(s + len, " ");
  }
}

void ops_init(Ir *ir) {
  ir->ops = COPY_ARRAY(ir->home, Op, rows, OP_COUNT);
  for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
    Op *op = &ir->ops[i];
    op->family = family_of(op->name);
    op->name = ir_name(ir, op->name);
    read_printed_params(ir, op);
    op->written_params = op_read_params(ir, op->written, &op->nwritten);
    map_set(&ir->op_names, op->name, op);
    add_other_names(ir, op);
  }
  short_names_init(ir);
}

/* ---------------------------------------------------------------- questions */

const Op *op_get(const Ir *ir, OpId id) { return &ir->ops[id]; }
const Op *op_by_name(const Ir *ir, Name name) { return map_get(&ir->op_names, name); }

/* The i-th blank-separated word of `s`, or an empty one. */
static const char *word(const char *s, int i, size_t *len) {
  s = s ? s : "";
  for (; i > 0 && *s; i--) {
    s += strcspn(s, " ");
    s += strspn(s, " ");
  }
  *len = strcspn(s, " ");
  return s;
}

uint32_t op_arg_spaces(const Op *op, int i) {
  size_t len;
  const char *s = word(op->in_mem, i, &len);
  return read_spaces(s, len);
}

MemSpace op_arg_space(const Op *op, int i) {
  size_t len;
  const char *s = word(op->in_mem, i, &len);
  const char *bar = memchr(s, '|', len);
  uint32_t set = read_spaces(s, bar ? (size_t)(bar - s) : len);
  return set ? (MemSpace)__builtin_ctz(set) : MEM_NONE;
}

/* r, w, rw or -; a word that is missing gives `otherwise`. */
static OpEffect effect_word(const char *words, int i, OpEffect otherwise) {
  size_t len;
  const char *s = word(words, i, &len);
  if (len == 2) return EFFECT_READ_WRITE;
  if (len == 0) return otherwise;
  return *s == 'w' ? EFFECT_WRITE : *s == '-' ? EFFECT_NONE : EFFECT_READ;
}

OpEffect op_arg_effect(const Expr *call, int i) {
  const Op *op = call->u.call.op;
  return op->effect_fn ? op->effect_fn(call, i) : effect_word(op->effects, i, EFFECT_READ);
}

OpEffect op_arg_meta_effect(const Expr *call, int i) {
  return effect_word(call->u.call.op->meta, i, EFFECT_NONE);
}

const AttrValue *op_kwarg(const OpCall *c, const char *name) {
  return attr_get(c->kwargs, ir_name(c->ir, name));
}

void *op_error(const OpCall *c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_error(c->ir->diag, c->span, "%s: %s", c->op->name, arena_vprintf(c->ir->arena, fmt, ap));
  va_end(ap);
  return NULL;
}

/* ---------------------------------------------------------------- calls */

/* The space that the row gives to results: a fixed one, a keyword's, or that of the first tile
 * argument that has one. */
static MemSpace result_space(const OpCall *c) {
  const char *rule = c->op->out_mem;
  if (strncmp(rule, "kw:", 3) == 0) {
    const char *eq = strchr(rule, '=');
    const AttrValue *v =
        attr_get(c->kwargs, name_ofn(&c->ir->names, rule + 3, strcspn(rule + 3, "=")));
    if (v && v->kind == ATTR_ENUM) return (MemSpace)v->u.i;
    if (eq) return (MemSpace)enum_value(ENUM_MEM, eq + 1);
  } else if (strcmp(rule, "=") != 0) {
    return (MemSpace)enum_value(ENUM_MEM, rule);
  }
  for (int i = 0; i < c->nargs; i++) {
    const Type *t = c->args[i]->type;
    if (type_is_tile(t) && t->space != MEM_NONE) return t->space;
  }
  return MEM_NONE;
}

static const Type *place_tile(OpCall *c, const Type *t) {
  if (!type_is_tile(t) || t->space != MEM_NONE) return t;
  MemSpace space = result_space(c);
  return space == MEM_NONE ? t : type_with_space(c->ir, t, space);
}

/* Result tiles that the deduction put nowhere go where the row says; those of a tuple one by one. */
static const Type *place_result(OpCall *c, const Type *t) {
  if (!c->op->out_mem) return t;
  if (t->kind != TYPE_TUPLE) return place_tile(c, t);
  const Type **elems = NEW_ARRAY(c->ir->arena, const Type *, t->nelems ? t->nelems : 1);
  for (int i = 0; i < t->nelems; i++) elems[i] = place_tile(c, t->elems[i]);
  return type_tuple(c->ir, elems, t->nelems);
}

Expr *op_call(Ir *ir, const Op *op, Expr *const *args, int nargs, AttrList kwargs, Span span) {
  OpCall c = {ir, op, (Expr **)args, nargs, kwargs, span};
  if (!op->deduce) return op_error(&c, "the operator's result type is not known to this version");
  if (!op_check_operands(&c)) return NULL; /* passes build calls too */
  const Type *type = op->deduce(&c);
  if (!type) return NULL;
  return expr_call_op(ir, op, args, nargs, kwargs, place_result(&c, type), span);
}

Expr *op_call_typed(Ir *ir, const Op *op, Expr *const *args, int nargs, AttrList kwargs,
                    const Type *type, Span span) {
  OpCall c = {ir, op, (Expr **)args, nargs, kwargs, span};
  if (!op->check_type) return op_error(&c, "the operator's result type is deduced, not given");
  if (!op_check_operands(&c) || !op->check_type(&c, type)) return NULL;
  return expr_call_op(ir, op, args, nargs, kwargs, type, span);
}

/* Shape and element type; what else a type says may have been decided since. */
static bool same_value(const Type *a, const Type *b) {
  if (a == b || a->kind == TYPE_UNKNOWN) return true;
  if (a->kind != b->kind || a->dtype != b->dtype || a->nelems != b->nelems) return false;
  for (int i = 0; i < a->nelems; i++)
    if (!same_value(a->elems[i], b->elems[i])) return false;
  if (!type_is_shaped(a)) return true;
  return dims_equal(a->shape, a->rank, b->shape, b->rank);
}

bool op_recheck(Ir *ir, const Expr *call) {
  const Op *op = call->u.call.op;
  OpCall c = {ir, op, call->u.call.args, call->u.call.nargs, call->u.call.kwargs, call->span};
  if (!op_check_operands(&c)) return false;
  if (op->check_type) return op->check_type(&c, call->type);
  if (!op->deduce) return true;
  const Type *type = op->deduce(&c);
  if (!type) return false;
  if (same_value(type, call->type)) return true;
  op_error(&c, "has type %s where its operands give %s", type_str(ir, call->type),
           type_str(ir, type));
  return false;
}
