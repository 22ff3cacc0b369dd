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

/* "Vec", or MEM_NONE if there is no such space. */
static MemSpace read_space(const char *s, size_t len) {
  for (int m = 0; m < MEM_COUNT; m++)
    if (strlen(mem_name(m)) == len && memcmp(mem_name(m), s, len) == 0) return (MemSpace)m;
  return MEM_NONE;
}

/* "Vec|Acc", the preferred one first, or "-"; false if a space is unknown. */
static bool read_spaces(OpParam *p, const char *s, size_t len) {
  if (len == 1 && *s == '-') return true;
  for (const char *end = s + len; s < end;) {
    const char *bar = memchr(s, '|', (size_t)(end - s));
    size_t n = (size_t)((bar ? bar : end) - s);
    MemSpace space = read_space(s, n);
    if (space == MEM_NONE) return false;
    if (!p->spaces) p->space = space;
    p->spaces |= 1u << space;
    s += n + (bar != NULL);
  }
  return true;
}

/* r, w, rw or -; nothing leaves *effect as it is.  False if it is another word. */
static bool read_effect(OpEffect *effect, const char *s, size_t len) {
  static const struct {
    const char *word;
    OpEffect effect;
  } words[] = {
      {"r", EFFECT_READ}, {"w", EFFECT_WRITE}, {"rw", EFFECT_READ_WRITE}, {"-", EFFECT_NONE}};
  if (!len) return true;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strlen(words[i].word) == len && memcmp(words[i].word, s, len) == 0) {
      *effect = words[i].effect;
      return true;
    }
  return false;
}

/* What the row says of operand `i` beside its name and kind. */
static const char *read_operand(Ir *ir, const Op *op, int i) {
  OpParam *p = &op->arg_params[i];
  p->space = MEM_NONE;
  p->meta_effect = EFFECT_NONE;
  size_t len;
  const char *s = word(op->in_mem, i, &len);
  if (!read_spaces(p, s, len))
    return arena_printf(ir->home, "unknown space in '%.*s'", (int)len, s);
  s = word(op->effects, i, &len);
  if (!read_effect(&p->effect, s, len))
    return arena_printf(ir->home, "unknown effect '%.*s'", (int)len, s);
  s = word(op->meta, i, &len);
  if (!read_effect(&p->meta_effect, s, len))
    return arena_printf(ir->home, "unknown effect '%.*s'", (int)len, s);
  return NULL;
}

/* "Vec", "=", "kw:target_memory" or "kw:target_memory=Vec". */
static const char *read_place(Ir *ir, Op *op) {
  const char *rule = op->out_mem;
  op->place = (OpPlace){PLACE_NONE, MEM_NONE, NULL};
  if (!rule) return NULL;
  if (strcmp(rule, "=") == 0) {
    op->place.kind = PLACE_FIRST_TILE;
    return NULL;
  }
  const char *space = rule;
  op->place.kind = PLACE_SPACE;
  if (strncmp(rule, "kw:", 3) == 0) {
    size_t len = strcspn(rule + 3, "=");
    op->place.kind = PLACE_KEYWORD;
    op->place.keyword = name_ofn(&ir->names, rule + 3, len);
    bool known = false;
    for (int i = 0; i < op->nkwargs; i++) known |= op->kwarg_params[i].name == op->place.keyword;
    if (!known) return arena_printf(ir->home, "no keyword '%s'", op->place.keyword);
    space = rule + 3 + len;
    if (!*space++) return NULL;
  }
  op->place.space = read_space(space, strlen(space));
  return op->place.space == MEM_NONE ? arena_printf(ir->home, "unknown space '%s'", space) : NULL;
}

const char *op_read_row(Ir *ir, Op *op) {
  read_printed_params(ir, op);
  op->written_params = op_read_params(ir, op->written, &op->nwritten);
  if (count_words(op->in_mem) > op->nargs) return "a space for an operand that is not there";
  if (count_words(op->effects) > op->nargs || count_words(op->meta) > op->nargs)
    return "an effect on an operand that is not there";
  for (int i = 0; i < op->nargs; i++) {
    const char *fault = read_operand(ir, op, i);
    if (fault) return fault;
  }
  return read_place(ir, op);
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
    const char *fault = op_read_row(ir, op);
    if (fault) diag_internal(ir->diag, "operator row %s: %s", op->name, fault);
    map_set(&ir->op_names, op->name, op);
    add_other_names(ir, op);
  }
  short_names_init(ir);
}

/* ---------------------------------------------------------------- questions */

const Op *op_get(const Ir *ir, OpId id) { return &ir->ops[id]; }
const Op *op_by_name(const Ir *ir, Name name) { return map_get(&ir->op_names, name); }

uint32_t op_arg_spaces(const Op *op, int i) { return i < op->nargs ? op->arg_params[i].spaces : 0; }

MemSpace op_arg_space(const Op *op, int i) {
  return i < op->nargs ? op->arg_params[i].space : MEM_NONE;
}

OpEffect op_arg_effect(const Expr *call, int i) {
  const Op *op = call->u.call.op;
  if (op->effect_fn) return op->effect_fn(call, i);
  return i < op->nargs ? op->arg_params[i].effect : EFFECT_READ;
}

OpEffect op_arg_meta_effect(const Expr *call, int i) {
  const Op *op = call->u.call.op;
  return i < op->nargs ? op->arg_params[i].meta_effect : EFFECT_NONE;
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

MemSpace op_result_space(const Op *op, AttrList kwargs) {
  const AttrValue *v = op->place.kind == PLACE_KEYWORD ? attr_get(kwargs, op->place.keyword) : NULL;
  return v && v->kind == ATTR_ENUM ? (MemSpace)v->u.i : op->place.space;
}

/* The same, else that of the first tile argument that has one. */
static MemSpace result_space(const OpCall *c) {
  MemSpace said = op_result_space(c->op, c->kwargs);
  for (int i = 0; said == MEM_NONE && i < c->nargs; i++) {
    const Type *t = c->args[i]->type;
    if (type_is_tile(t)) said = t->space;
  }
  return said;
}

static const Type *place_tile(OpCall *c, const Type *t) {
  if (!type_is_tile(t) || t->space != MEM_NONE) return t;
  MemSpace space = result_space(c);
  return space == MEM_NONE ? t : type_with_space(c->ir, t, space);
}

/* Result tiles that the deduction put nowhere go where the row says; those of a tuple one by one. */
static const Type *place_result(OpCall *c, const Type *t) {
  if (c->op->place.kind == PLACE_NONE) return t;
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
