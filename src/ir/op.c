#include "ir/op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ops/deduce.h"

/* The rows as written, in the order of OpId; each Ir has a copy with its strings read. */
static const Op rows[OP_COUNT] = {
#define OP(opid, opname, ...) [OP_##opid] = {.id = OP_##opid, .name = opname, __VA_ARGS__},
#include "ir/ops/all.def"
#undef OP
};

/* ---------------------------------------------------------------- reading the rows */

/* "name:kind=default", with "?" or "*" at its end, up to the next blank. */
static OpParam read_param(Ir *ir, const char *s, size_t len) {
  OpParam p = {0};
  if (len && s[len - 1] == '?') p.optional = true, len--;
  if (len && s[len - 1] == '*') p.variadic = true, len--;
  const char *eq = memchr(s, '=', len);
  if (eq) {
    p.dflt = name_ofn(&ir->names, eq + 1, len - (size_t)(eq + 1 - s));
    p.optional = true;
    len = (size_t)(eq - s);
  }
  const char *colon = memchr(s, ':', len);
  p.kind = colon ? name_ofn(&ir->names, colon + 1, len - (size_t)(colon + 1 - s)) : ir_name(ir, "any");
  p.name = name_ofn(&ir->names, s, colon ? (size_t)(colon - s) : len);
  return p;
}

static OpParam *read_params(Ir *ir, const char *spec, int *n) {
  VEC(OpParam) list = {0};
  for (const char *s = spec ? spec : ""; *s;) {
    size_t len = strcspn(s, " ");
    if (len) vec_push(&list, read_param(ir, s, len));
    s += len + strspn(s + len, " ");
  }
  *n = (int)list.len;
  return vec_to_arena(&list, ir->arena);
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

void ops_init(Ir *ir) {
  ir->ops = COPY_ARRAY(ir->arena, Op, rows, OP_COUNT);
  for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
    Op *op = &ir->ops[i];
    op->name = ir_name(ir, op->name);
    op->arg_params = read_params(ir, op->args, &op->nargs);
    op->kwarg_params = read_params(ir, op->kwargs, &op->nkwargs);
    op->written_params = read_params(ir, op->written, &op->nwritten);
    map_set(&ir->op_names, op->name, op);
  }
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

OpEffect op_arg_effect(const Expr *call, int i) {
  const Op *op = call->u.call.op;
  if (op->effect_fn) return op->effect_fn(call, i);
  size_t len;
  const char *s = word(op->effects, i, &len);
  if (len == 2) return EFFECT_READ_WRITE;
  return len == 1 && *s == 'w' ? EFFECT_WRITE : EFFECT_READ;
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

/* The result's memory space by the row: a fixed one, the first tile argument's, or a keyword's. */
static const Type *place_result(OpCall *c, const Type *t) {
  const char *rule = c->op->out_mem;
  if (!rule || t->kind != TYPE_TILE) return t;
  MemSpace space = MEM_NONE;
  if (strcmp(rule, "=") == 0) {
    for (int i = 0; i < c->nargs && space == MEM_NONE; i++)
      if (type_is_tile(c->args[i]->type)) space = c->args[i]->type->space;
  } else if (strncmp(rule, "kw:", 3) == 0) {
    const AttrValue *v = op_kwarg(c, rule + 3);
    if (v && v->kind == ATTR_ENUM) space = (MemSpace)v->u.i;
  } else {
    space = (MemSpace)enum_value(ENUM_MEM, rule);
  }
  return space == MEM_NONE || space == t->space ? t : type_with_space(c->ir, t, space);
}

Expr *op_call(Ir *ir, const Op *op, Expr *const *args, int nargs, AttrList kwargs, Span span) {
  OpCall c = {ir, op, (Expr **)args, nargs, kwargs, span};
  if (!op->deduce) return op_error(&c, "the operator's result type is not known to this version");
  const Type *type = op->deduce(&c);
  if (!type) return NULL;
  return expr_call_op(ir, op, args, nargs, kwargs, place_result(&c, type), span);
}
