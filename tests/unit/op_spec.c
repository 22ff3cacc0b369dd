#include "op_spec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ir/print.h"
#include "ir/view.h"

typedef struct Spec {
  Fixture *f;
  Map vars; /* Name -> Expr */
  const char *at;
} Spec;

static Expr *variable(Spec *s, Name name, const Type *type) {
  void **slot = map_at(&s->vars, name);
  if (!*slot) *slot = expr_var(&s->f->ir, name, type, NO_SPAN);
  return *slot;
}

static bool eat(Spec *s, char c) {
  if (*s->at != c) return false;
  s->at++;
  return true;
}

static Name word(Spec *s) {
  size_t n = 0;
  while (isalnum((unsigned char)s->at[n]) || s->at[n] == '_') n++;
  Name w = name_ofn(&s->f->ir.names, s->at, n);
  s->at += n;
  return w;
}

static DType dtype_word(Spec *s) {
  Name w = word(s);
  DType t = dtype_by_name(w);
  ck_assert_msg(t != DT_NONE, "no element type %s", w);
  return t;
}

/* A constant, or an INDEX variable. */
static Expr *extent(Spec *s) {
  Ir *ir = &s->f->ir;
  if (isdigit((unsigned char)*s->at) || *s->at == '-') {
    char *end;
    long v = strtol(s->at, &end, 10);
    s->at = end;
    return expr_int(ir, v, DT_INDEX, NO_SPAN);
  }
  Name name = name_ofn(&ir->names, s->at, 1); /* one letter: "Nx32" is two extents */
  s->at++;
  return variable(s, name, type_scalar(ir, DT_INDEX));
}

static int extents(Spec *s, Expr **out) {
  int n = 0;
  do out[n++] = extent(s);
  while (eat(s, 'x'));
  return n;
}

/* A tile, or a buffer of the device stage. */
static Expr *tile(Spec *s, int number, TypeKind kind) {
  Ir *ir = &s->f->ir;
  Expr *shape[8], *valid[8];
  int rank = extents(s, shape);
  ck_assert(eat(s, ':'));
  DType dtype = dtype_word(s);
  MemSpace space = MEM_NONE;
  if (eat(s, '@')) space = (MemSpace)enum_value(ENUM_MEM, word(s));
  TileView v = tile_view_implied(ir, shape, rank, dtype, space);
  if (eat(s, '/')) {
    v.nvalid = (uint16_t)extents(s, valid);
    v.valid_shape = valid;
  } else if (kind == TYPE_BUFFER) {
    v.nvalid = (uint16_t)rank;
    v.valid_shape = shape;
  }
  if (eat(s, '^')) {
    Name l = word(s);
    v.blayout = strcmp(l, "col") == 0 ? TILE_LAYOUT_COL_MAJOR : TILE_LAYOUT_ROW_MAJOR;
  }
  Type t = {.kind = kind,
            .dtype = dtype,
            .space = space,
            .rank = (uint16_t)rank,
            .shape = shape,
            .tile_view = &v};
  return expr_var(ir, name_printf(&ir->names, "t%d", number), type_intern(ir, &t), NO_SPAN);
}

static Expr *tensor(Spec *s, int number, TypeKind kind) {
  Ir *ir = &s->f->ir;
  Expr *shape[8], *valid[8];
  int rank = extents(s, shape);
  ck_assert(eat(s, ':'));
  const Type *t = type_tensor(ir, shape, rank, dtype_word(s));
  TensorView v = {.layout = LAYOUT_ND};
  bool written = false;
  if (eat(s, '/')) {
    v.nvalid = (uint16_t)extents(s, valid);
    v.valid_shape = valid;
    written = true;
  }
  if (eat(s, '^')) {
    v.layout = (TensorLayout)enum_value(ENUM_LAYOUT, word(s));
    written = true;
  }
  if (written) t = type_with_tensor_view(ir, t, &v);
  Type own = *t;
  own.kind = kind;
  return expr_var(ir, name_printf(&ir->names, "g%d", number), type_intern(ir, &own), NO_SPAN);
}

static Expr *array(Spec *s, int number) {
  Ir *ir = &s->f->ir;
  Expr *n = extent(s);
  ck_assert(eat(s, ':'));
  return expr_var(ir, name_printf(&ir->names, "a%d", number), type_array(ir, dtype_word(s), n),
                  NO_SPAN);
}

/* A variable of a type without fields, by its name here; NULL if there is none. */
static Expr *handle(Spec *s, Name w) {
  static const struct {
    const char *name;
    TypeKind kind;
  } handles[] = {{"ptr", TYPE_PTR},
                 {"comm", TYPE_COMM_CTX},
                 {"prefetch", TYPE_PREFETCH_CTX},
                 {"event", TYPE_ASYNC_EVENT},
                 {"session", TYPE_ASYNC_SESSION}};
  for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++)
    if (strcmp(handles[i].name, w) == 0)
      return expr_var(&s->f->ir, w, type_simple(&s->f->ir, handles[i].kind), NO_SPAN);
  return NULL;
}

static Expr *number(Spec *s) {
  Ir *ir = &s->f->ir;
  char *end;
  double v = strtod(s->at, &end);
  bool fraction = memchr(s->at, '.', (size_t)(end - s->at)) != NULL;
  s->at = end;
  DType t = eat(s, ':') ? dtype_word(s) : fraction ? DT_FP32 : DT_INDEX;
  return fraction ? expr_float(ir, v, t, NO_SPAN) : expr_int(ir, (int64_t)v, t, NO_SPAN);
}

static Expr *list(Spec *s) {
  Expr *elems[16];
  int n = 0;
  if (*s->at != ']') {
    do elems[n++] = extent(s);
    while (eat(s, ','));
  }
  ck_assert(eat(s, ']'));
  return expr_tuple(&s->f->ir, elems, n, NO_SPAN);
}

static Expr *operand(Spec *s, int i) {
  Ir *ir = &s->f->ir;
  if (eat(s, 'T')) return tile(s, i, TYPE_TILE);
  if (s->at[0] == 'B' && s->at[1] != 'i') {
    s->at++;
    return tile(s, i, TYPE_BUFFER);
  }
  if (eat(s, 'G')) return tensor(s, i, TYPE_TENSOR);
  if (eat(s, 'W')) return tensor(s, i, TYPE_DIST_TENSOR);
  if (s->at[0] == 'A' && isdigit((unsigned char)s->at[1])) {
    s->at++;
    return array(s, i);
  }
  if (eat(s, '[')) return list(s);
  if (s->at[0] == 'S' && s->at[1] == ':') {
    s->at += 2;
    return expr_var(ir, name_printf(&ir->names, "s%d", i), type_scalar(ir, dtype_word(s)), NO_SPAN);
  }
  if (isdigit((unsigned char)*s->at) || *s->at == '-') return number(s);
  Name w = word(s);
  Expr *h = handle(s, w);
  if (h) return h;
  int mem = enum_value(ENUM_MEM, w);
  return mem > 0 ? expr_index(ir, mem) : variable(s, w, type_scalar(ir, DT_INDEX));
}

static AttrValue value(Spec *s) {
  static const EnumId enums[] = {ENUM_MEM,    ENUM_PAD,    ENUM_TILE_LAYOUT,
                                 ENUM_ATOMIC, ENUM_LAYOUT, ENUM_PIPE};
  if (isdigit((unsigned char)*s->at) || *s->at == '-') {
    char *end;
    long v = strtol(s->at, &end, 10);
    s->at = end;
    return attr_of_int(v);
  }
  if (eat(s, '\'')) {
    AttrValue v = attr_of_str(word(s));
    ck_assert(eat(s, '\''));
    return v;
  }
  Name w = word(s);
  if (strcmp(w, "True") == 0 || strcmp(w, "False") == 0) return attr_of_bool(*w == 'T');
  if (dtype_by_name(w) != DT_NONE) return attr_of_dtype(dtype_by_name(w));
  for (size_t i = 0; i < sizeof enums / sizeof enums[0]; i++) {
    int v = enum_value(enums[i], w);
    if (v >= 0) return attr_of_enum(enums[i], v);
  }
  ck_abort_msg("no value %s", w);
}

Expr *op_spec_call(Fixture *f, const OpCase *t) {
  Ir *ir = &f->ir;
  Spec s = {.f = f, .at = t->args};
  Expr *args[16];
  int n = 0;
  while (*s.at) {
    args[n] = operand(&s, n);
    n++;
    ck_assert_msg(!*s.at || *s.at == ' ', "%s: cannot read '%s'", t->op, s.at);
    while (eat(&s, ' ')) {
    }
  }
  AttrList kwargs = {0};
  s.at = t->kwargs ? t->kwargs : "";
  while (*s.at) {
    Name key = word(&s);
    ck_assert(eat(&s, '='));
    kwargs = attr_with(ir, kwargs, key, value(&s));
    while (eat(&s, ' ')) {
    }
  }
  map_free(&s.vars);
  const Op *op = op_by_name(ir, ir_name(ir, t->op));
  ck_assert_msg(op != NULL, "no operator %s", t->op);
  if (!op->check_type) return op_call(ir, op, args, n, kwargs, NO_SPAN);
  ck_assert_msg(n > 0, "%s: the last operand must show the result's type", t->op);
  return op_call_typed(ir, op, args, n - 1, kwargs, args[n - 1]->type, NO_SPAN);
}

/* ---------------------------------------------------------------- calls as people write them */

static AttrValue written_list(Spec *s, int i);

/* A value by position: an element type, an enumeration, a truth value, a text, a list, or an
 * operand. */
static AttrValue written_value(Spec *s, int i) {
  static const char *const words[] = {"True", "False", "Mem.", "'"};
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
    if (strncmp(s->at, words[k], strlen(words[k])) == 0) {
      if (words[k][0] == 'M') s->at += 4;
      return value(s);
    }
  if (strncmp(s->at, "None", 4) == 0 && s->at[4] != '_') {
    s->at += 4;
    return (AttrValue){.kind = ATTR_NONE};
  }
  size_t n = strcspn(s->at, " ");
  DType t = dtype_by_name(name_ofn(&s->f->ir.names, s->at, n));
  if (t != DT_NONE) {
    s->at += n;
    return attr_of_dtype(t);
  }
  if (eat(s, '[')) return written_list(s, i);
  return attr_of_expr(operand(s, i));
}

static AttrValue written_list(Spec *s, int i) {
  AttrValue *items = NEW_ARRAY(s->f->ir.arena, AttrValue, 16);
  int n = 0;
  if (*s->at != ']') {
    do items[n++] = eat(s, '[') ? written_list(s, i) : attr_of_expr(extent(s));
    while (eat(s, ','));
  }
  ck_assert(eat(s, ']'));
  return attr_of_list(items, n);
}

/* A value by keyword: numbers are plain, variables and lists are not. */
static AttrValue written_keyword(Spec *s) {
  static const char *const marks[] = {"[", "T1", "T8", "G", "S:", "None"};
  for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++)
    if (strncmp(s->at, marks[k], strlen(marks[k])) == 0 && strncmp(s->at, "None_", 5) != 0)
      return written_value(s, 9);
  char *end;
  double f = strtod(s->at, &end);
  if (end == s->at || !memchr(s->at, '.', (size_t)(end - s->at))) return value(s);
  s->at = end;
  return attr_of_float(f);
}

static Written written(Fixture *f, const OpCase *t) {
  Ir *ir = &f->ir;
  Spec s = {.f = f, .at = t->args};
  Written w = {.ir = ir, .pos = NEW_ARRAY(ir->arena, AttrValue, 16)};
  for (; *s.at; w.npos++) {
    w.pos[w.npos] = written_value(&s, w.npos);
    ck_assert_msg(!*s.at || *s.at == ' ', "%s: cannot read '%s'", t->op, s.at);
    while (eat(&s, ' ')) {
    }
  }
  s.at = t->kwargs ? t->kwargs : "";
  while (*s.at) {
    Name key = word(&s);
    ck_assert(eat(&s, '='));
    w.kw = attr_with(ir, w.kw, key, written_keyword(&s));
    ck_assert_msg(!*s.at || *s.at == ' ', "%s: cannot read '%s'", t->op, s.at);
    while (eat(&s, ' ')) {
    }
  }
  map_free(&s.vars);
  return w;
}

const char *op_spec_bind(Fixture *f, const OpCase *t) {
  Ir *ir = &f->ir;
  Written w = written(f, t);
  const char *name = t->op;
  bool is_short = strncmp(name, "pl.", 3) == 0;
  bool known = true;
  if (is_short) {
    op_resolve_short(ir, ir_name(ir, name + 3), &w, &known);
    if (w.scalar_form) return "scalars";
  } else {
    w.op = op_by_name(ir, ir_name(ir, name));
  }
  ck_assert_msg(known && (is_short || w.op), "no operator %s", name);
  Expr *call = w.op ? op_bind(&w) : NULL;
  return call ? expr_str(ir, call) : NULL;
}

void op_cases_bind(const OpCase *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    Fixture f;
    fixture_init(&f);
    const char *got = op_spec_bind(&f, &cases[i]);
    if (!got) got = fixture_messages(&f);
    ck_assert_msg(strstr(got, cases[i].result) != NULL, "%s %s | %s\n  gives  %s\n  not    %s",
                  cases[i].op, cases[i].args, cases[i].kwargs ? cases[i].kwargs : "", got,
                  cases[i].result);
    fixture_free(&f);
  }
}

/* Is there a case of that operator? */
static bool have(const OpCase *cases, size_t n, const char *op) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(cases[i].op, op) == 0) return true;
  return false;
}

void op_cases_cover(unsigned families, const OpCase *right, size_t nright, const OpCase *wrong,
                    size_t nwrong) {
  Fixture f;
  fixture_init(&f);
  for (int id = OP_NONE + 1; id < OP_COUNT; id++) {
    const Op *op = op_get(&f.ir, (OpId)id);
    if (!(families >> op->family & 1) || !op->deduce || op->flags & OPF_WRITTEN) continue;
    ck_assert_msg(have(right, nright, op->name), "no right use of %s", op->name);
    ck_assert_msg(have(wrong, nwrong, op->name), "no wrong use of %s", op->name);
  }
  fixture_free(&f);
}

void op_cases_type(const OpCase *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    Fixture f;
    fixture_init(&f);
    Expr *call = op_spec_call(&f, &cases[i]);
    ck_assert_msg(call != NULL, "%s %s: %s", cases[i].op, cases[i].args, fixture_messages(&f));
    const char *got = type_str(&f.ir, call->type);
    ck_assert_msg(strcmp(got, cases[i].result) == 0, "%s %s %s\n  gives  %s\n  not    %s",
                  cases[i].op, cases[i].args, cases[i].kwargs ? cases[i].kwargs : "", got,
                  cases[i].result);
    fixture_free(&f);
  }
}

void op_cases_fail(const OpCase *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    Fixture f;
    fixture_init(&f);
    Expr *call = op_spec_call(&f, &cases[i]);
    ck_assert_msg(call == NULL, "%s %s is accepted", cases[i].op, cases[i].args);
    ck_assert_msg(strstr(fixture_messages(&f), cases[i].result) != NULL,
                  "%s %s\n  says    %s  not     %s", cases[i].op, cases[i].args,
                  fixture_messages(&f), cases[i].result);
    fixture_free(&f);
  }
}

void op_cases_fail_exactly(const OpCase *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    Fixture f;
    fixture_init(&f);
    Expr *call = op_spec_call(&f, &cases[i]);
    ck_assert_msg(call == NULL, "%s %s is accepted", cases[i].op, cases[i].args);
    const char *wanted =
        arena_printf(&f.arena, "test.pir: error: %s: %s\n", cases[i].op, cases[i].result);
    ck_assert_msg(strncmp(fixture_messages(&f), wanted, strlen(wanted)) == 0,
                  "%s %s\n  says    %s  not     %s", cases[i].op, cases[i].args,
                  fixture_messages(&f), wanted);
    fixture_free(&f);
  }
}
