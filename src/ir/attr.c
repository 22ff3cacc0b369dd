/* attr.c -- keyword arguments and metadata: ordered lists of typed values. */
#include "ir/expr.h"
#include "ir/ir.h"

const AttrValue *attr_get(AttrList list, Name key) {
  for (int i = 0; i < list.len; i++)
    if (list.items[i].key == key) return &list.items[i].value;
  return NULL;
}

bool attr_bool(AttrList list, Name key, bool otherwise) {
  const AttrValue *v = attr_get(list, key);
  return v && v->kind == ATTR_BOOL ? v->u.b : otherwise;
}

int64_t attr_int(AttrList list, Name key, int64_t otherwise) {
  const AttrValue *v = attr_get(list, key);
  int64_t i;
  if (v && v->kind == ATTR_EXPR && expr_const_int(v->u.expr, &i)) return i;
  return v && (v->kind == ATTR_INT || v->kind == ATTR_ENUM) ? v->u.i : otherwise;
}

AttrList attr_with(Ir *ir, AttrList list, Name key, AttrValue value) {
  int at = 0;
  while (at < list.len && list.items[at].key != key) at++;
  AttrList n = {NEW_ARRAY(ir->arena, Attr, list.len + 1), list.len};
  for (int i = 0; i < list.len; i++) n.items[i] = list.items[i];
  n.items[at] =
      (Attr){.key = key, .value = value, .span = at < list.len ? list.items[at].span : NO_SPAN};
  if (at == list.len) n.len++;
  return n;
}

AttrList attr_without(Ir *ir, AttrList list, Name key) {
  if (!attr_get(list, key)) return list;
  AttrList n = {NEW_ARRAY(ir->arena, Attr, list.len), 0};
  for (int i = 0; i < list.len; i++)
    if (list.items[i].key != key) n.items[n.len++] = list.items[i];
  return n;
}

bool attr_equal(const AttrValue *a, const AttrValue *b) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case ATTR_NONE: return true;
    case ATTR_BOOL: return a->u.b == b->u.b;
    case ATTR_INT: return a->u.i == b->u.i;
    case ATTR_FLOAT: return a->u.f == b->u.f;
    case ATTR_STR: return a->u.str == b->u.str;
    case ATTR_DTYPE: return a->u.dtype == b->u.dtype;
    case ATTR_ENUM: return a->enum_id == b->enum_id && a->u.i == b->u.i;
    case ATTR_EXPR: return expr_same(a->u.expr, b->u.expr);
    case ATTR_LIST:
      if (a->u.list.len != b->u.list.len) return false;
      for (int i = 0; i < a->u.list.len; i++)
        if (!attr_equal(&a->u.list.items[i], &b->u.list.items[i])) return false;
      return true;
  }
  return false;
}

static const Name key_names[NUM_ATTR_KEYS] = {
#define ATTR_KEY(id, text) [KEY_##id] = text,
#include "ir/attrs.def"
#undef ATTR_KEY
};

Name key_name(AttrKey key) { return key_names[key]; }

void attr_keys_init(Ir *ir) {
  for (int k = KEY_NONE + 1; k < NUM_ATTR_KEYS; k++) name_enter(&ir->names, key_names[k]);
}

const AttrValue *key_get(AttrList list, AttrKey key) { return attr_get(list, key_name(key)); }

bool key_bool(AttrList list, AttrKey key, bool otherwise) {
  return attr_bool(list, key_name(key), otherwise);
}

int64_t key_int(AttrList list, AttrKey key, int64_t otherwise) {
  return attr_int(list, key_name(key), otherwise);
}

AttrList key_with(Ir *ir, AttrList list, AttrKey key, AttrValue value) {
  return attr_with(ir, list, key_name(key), value);
}

AttrList key_without(Ir *ir, AttrList list, AttrKey key) {
  return attr_without(ir, list, key_name(key));
}

AttrValue attr_of_bool(bool b) { return (AttrValue){.kind = ATTR_BOOL, .u.b = b}; }
AttrValue attr_of_int(int64_t i) { return (AttrValue){.kind = ATTR_INT, .u.i = i}; }
AttrValue attr_of_float(double f) { return (AttrValue){.kind = ATTR_FLOAT, .u.f = f}; }
AttrValue attr_of_str(Name s) { return (AttrValue){.kind = ATTR_STR, .u.str = s}; }
AttrValue attr_of_dtype(DType t) { return (AttrValue){.kind = ATTR_DTYPE, .u.dtype = t}; }
AttrValue attr_of_expr(Expr *e) { return (AttrValue){.kind = ATTR_EXPR, .u.expr = e}; }

AttrValue attr_of_enum(EnumId e, int value) {
  return (AttrValue){.kind = ATTR_ENUM, .enum_id = e, .u.i = value};
}

AttrValue attr_of_list(AttrValue *items, int len) {
  return (AttrValue){.kind = ATTR_LIST, .u.list = {items, len}};
}
