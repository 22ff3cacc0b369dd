#include "annot_case.h"

#include <string.h>

#include "ir/print.h"

static bool fold(AnnotCase *c, const SynExpr *e, int64_t *out) {
  int64_t x, y;
  if (e->kind == SYN_INT) return *out = e->integer, true;
  if (e->kind == SYN_NAME && e->name == ir_name(&c->f.ir, "TILE")) return *out = 32, true;
  if (e->kind == SYN_UNARY && e->op == SYN_OP_NEG && fold(c, e->lhs, &x)) return *out = -x, true;
  if (e->kind != SYN_BINARY || !fold(c, e->lhs, &x) || !fold(c, e->rhs, &y)) return false;
  *out = e->op == SYN_OP_MUL ? x * y : e->op == SYN_OP_ADD ? x + y : x - y;
  return true;
}

static bool constant(void *ctx, const SynExpr *e, AttrValue *out) {
  AnnotCase *c = ctx;
  int64_t i;
  if (fold(c, e, &i)) return *out = attr_of_int(i), true;
  if (e->kind != SYN_NAME) return false;
  if (strcmp(e->name, "M") == 0) return *out = attr_of_expr(map_get(&c->vars, e->name)), true;
  if (strcmp(e->name, "HALF") == 0) return *out = attr_of_dtype(DT_FP16), true;
  if (strcmp(e->name, "ORDER") == 0) return *out = attr_of_enum(ENUM_LAYOUT, LAYOUT_NZ), true;
  if (strcmp(e->name, "SHAPE") != 0) return false;
  AttrValue *items = NEW_ARRAY(c->f.ir.arena, AttrValue, 2);
  items[0] = attr_of_int(4);
  items[1] = attr_of_int(8);
  *out = attr_of_list(items, 2);
  return true;
}

static const SynExpr *binding(void *ctx, Name name) {
  return map_get(&((AnnotCase *)ctx)->bindings, name);
}

static Expr *variable(void *ctx, Name name) {
  AnnotCase *c = ctx;
  return strcmp(name, "M") == 0 ? NULL : map_get(&c->vars, name);
}

static Expr *dimension(void *ctx, Name name, Span at) {
  AnnotCase *c = ctx;
  void **v = map_at(&c->vars, name);
  if (!*v) *v = expr_var(&c->f.ir, name, type_scalar(&c->f.ir, DT_INDEX), at);
  return *v;
}

static Expr *expression(void *ctx, const SynExpr *e) {
  AnnotCase *c = ctx;
  Ir *ir = &c->f.ir;
  if (e->kind == SYN_INT) return expr_int(ir, e->integer, DT_INDEX, e->at);
  if (e->kind == SYN_NAME && map_get(&c->vars, e->name)) return map_get(&c->vars, e->name);
  if (e->kind == SYN_CALL && e->nitems == 2 && e->lhs->name == ir_name(ir, "const"))
    return expr_int(ir, e->items[0]->integer, dtype_by_name(e->items[1]->name), e->at);
  if (e->kind == SYN_BINARY) {
    Expr *l = expression(ctx, e->lhs), *r = l ? expression(ctx, e->rhs) : NULL;
    ExprKind k = e->op == SYN_OP_MUL ? EXPR_MUL : e->op == SYN_OP_MOD ? EXPR_FLOOR_MOD : EXPR_ADD;
    return r ? expr_binary(ir, k, l, r, l->type->dtype, e->at) : NULL;
  }
  diag_error(&c->f.diag, e->at, "unknown name '%s'", e->name ? e->name : "?");
  return NULL;
}

const SynExpr *annot_case_syntax(AnnotCase *c, const char *text) {
  c->f.source.text = arena_printf(&c->f.arena, "v = %s\n", text);
  c->f.source.len = strlen(c->f.source.text);
  SynModule *m = syntax_parse(&c->f.arena, &c->f.ir.names, &c->f.diag, &c->f.source);
  ck_assert_msg(m && m->body.len == 1, "%s: %s", text, fixture_messages(&c->f));
  return m->body.stmts[0]->value;
}

static void bind(AnnotCase *c, const char *name, const char *text) {
  map_set(&c->bindings, ir_name(&c->f.ir, name), (void *)annot_case_syntax(c, text));
}

void annot_case_init(AnnotCase *c) {
  memset(c, 0, sizeof *c);
  fixture_init(&c->f);
  c->annot = (Annot){.ir = &c->f.ir,
                     .ctx = c,
                     .constant = constant,
                     .binding = binding,
                     .variable = variable,
                     .expression = expression,
                     .dimension = dimension};
  const char *names[] = {"M", "n", "x"};
  for (int i = 0; i < 3; i++) {
    Name name = ir_name(&c->f.ir, names[i]);
    const Type *t = type_scalar(&c->f.ir, i == 2 ? DT_FP32 : DT_INDEX);
    map_set(&c->vars, name, expr_var(&c->f.ir, name, t, NO_SPAN));
  }
  bind(c, "scratch", "pl.MemRef()");
  bind(c, "pair", "pl.MemRef(slots=2)");
  bind(c, "also", "pair");
  bind(c, "STRIDED", "pl.TensorView(stride=[128, 1], layout=pl.TensorLayout.ND)");
}

void annot_case_free(AnnotCase *c) {
  annot_free(&c->annot);
  map_free(&c->vars);
  map_free(&c->bindings);
  fixture_free(&c->f);
}

const Type *annot_case_read(AnnotCase *c, const char *text) {
  return annot_type(&c->annot, annot_case_syntax(c, text));
}

void annot_prints(const char *text, const char *printed) {
  AnnotCase c;
  annot_case_init(&c);
  const Type *t = annot_case_read(&c, text);
  ck_assert_msg(t != NULL, "%s: %s", text, fixture_messages(&c.f));
  ck_assert_str_eq(type_str(&c.f.ir, t), printed);
  /* What is printed is read as the same type. */
  ck_assert_ptr_eq(annot_case_read(&c, printed), t);
  annot_case_free(&c);
}

void annot_fails(const char *text, const char *part) {
  AnnotCase c;
  annot_case_init(&c);
  ck_assert_msg(annot_case_read(&c, text) == NULL, "%s was accepted", text);
  ck_assert_msg(strstr(fixture_messages(&c.f), part) != NULL, "%s: '%s' is not in: %s", text, part,
                fixture_messages(&c.f));
  ck_assert_int_eq(c.f.diag.errors, 1);
  annot_case_free(&c);
}
