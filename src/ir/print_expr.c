/* print_expr.c -- expressions, calls and attribute values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ir/print_int.h"

static void print_list(Printer *p, Expr *const *es, int n) {
  for (int i = 0; i < n; i++) {
    if (i > 0) buf_puts(p->out, ", ");
    print_expr_in(p, es[i]);
  }
}

void print_var(Printer *p, const Expr *var) {
  const char *name = p->own_names ? NULL : map_get(&p->names, var);
  const char *dyn = name ? NULL : map_get(&p->dyn_names, var);
  buf_puts(p->out, name ? name : dyn ? dyn : var->u.var.name);
  if (!dyn && !p->own_names && map_has(&p->free_vars, var)) buf_puts(p->out, "__FREE_VAR");
}

void print_quoted(Printer *p, const char *s, char quote) {
  buf_putc(p->out, quote);
  for (; *s; s++) {
    if (*s == '\n') {
      buf_puts(p->out, "\\n");
      continue;
    }
    if (*s == quote || *s == '\\') buf_putc(p->out, '\\');
    buf_putc(p->out, *s);
  }
  buf_putc(p->out, quote);
}

void print_float(Buf *out, double v) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", v);
  buf_puts(out, text);
  if (isfinite(v) && !strpbrk(text, ".e")) buf_puts(out, ".0");
}

/* ---------------------------------------------------------------- arithmetic */

static int precedence(const Expr *e) {
  if (expr_is_binary(e) || expr_is_unary(e)) {
    int prec = scalar_op_precedence(e->kind);
    return prec ? prec : PREC_CALL;
  }
  return expr_is_call(e) ? PREC_CALL : PREC_ATOM;
}

static bool is_const_tree(const Expr *e) {
  if (e->kind == EXPR_INT) return true;
  return expr_is_binary(e) && is_const_tree(e->u.bin.rhs) && is_const_tree(e->u.bin.lhs);
}

static void print_parens(Printer *p, const Expr *e, bool parens) {
  if (parens) buf_putc(p->out, '(');
  print_expr_in(p, e);
  if (parens) buf_putc(p->out, ')');
}

static void print_binary(Printer *p, const Expr *e) {
  int prec = scalar_op_precedence(e->kind);
  if (!prec) {
    buf_printf(p->out, "pl.%s(", scalar_op_symbol(e->kind));
    print_expr_in(p, e->u.bin.lhs);
    buf_puts(p->out, ", ");
    print_expr_in(p, e->u.bin.rhs);
    buf_putc(p->out, ')');
    return;
  }
  /* Bare constants would be folded into one when read. */
  bool typed = p->typed_consts;
  p->typed_consts = typed || is_const_tree(e);
  int left = precedence(e->u.bin.lhs), right = precedence(e->u.bin.rhs);
  bool right_assoc = e->kind == EXPR_POW;
  print_parens(p, e->u.bin.lhs, left < prec || (left == prec && right_assoc));
  buf_printf(p->out, " %s ", scalar_op_symbol(e->kind));
  print_parens(p, e->u.bin.rhs, right < prec || (right == prec && !right_assoc));
  p->typed_consts = typed;
}

static void print_unary(Printer *p, const Expr *e) {
  const Expr *x = e->u.operand;
  switch (e->kind) {
    case EXPR_ABS:
      buf_puts(p->out, "abs(");
      print_expr_in(p, x);
      buf_putc(p->out, ')');
      return;
    case EXPR_CAST:
      buf_puts(p->out, "pl.cast(");
      print_expr_in(p, x);
      buf_printf(p->out, ", pl.%s)", dtype_name(e->type->dtype));
      return;
    default:
      buf_puts(p->out, scalar_op_symbol(e->kind));
      if (e->kind == EXPR_NOT) buf_putc(p->out, ' ');
      print_parens(p, x, precedence(x) < scalar_op_precedence(e->kind));
  }
}

static void print_int(Printer *p, const Expr *e) {
  if (e->type->dtype == DT_INDEX && !p->typed_consts) {
    buf_int(p->out, e->u.i);
    return;
  }
  buf_puts(p->out, "pl.const(");
  buf_int(p->out, e->u.i);
  buf_printf(p->out, ", pl.%s)", dtype_name(e->type->dtype));
}

static void print_float_const(Printer *p, const Expr *e) {
  bool typed = e->type->dtype != DT_FP32;
  if (typed) buf_puts(p->out, "pl.const(");
  print_float(p->out, e->u.f);
  if (typed) buf_printf(p->out, ", pl.%s)", dtype_name(e->type->dtype));
}

/* ---------------------------------------------------------------- attributes */

static void print_enum_value(Printer *p, EnumId e, int64_t value) {
  buf_printf(p->out, "pl.%s.%s", enum_written(e), enum_name(e, (int)value));
}

static void print_value(Printer *p, const AttrValue *v, char quote) {
  switch (v->kind) {
    case ATTR_NONE: buf_puts(p->out, "None"); break;
    case ATTR_BOOL: buf_puts(p->out, v->u.b ? "True" : "False"); break;
    case ATTR_INT: buf_int(p->out, v->u.i); break;
    case ATTR_FLOAT: print_float(p->out, v->u.f); break;
    case ATTR_STR: print_quoted(p, v->u.str, quote); break;
    case ATTR_DTYPE: buf_printf(p->out, "pl.%s", dtype_name(v->u.dtype)); break;
    case ATTR_ENUM: print_enum_value(p, v->enum_id, v->u.i); break;
    case ATTR_EXPR: print_expr_in(p, v->u.expr); break;
    case ATTR_LIST:
      buf_putc(p->out, '[');
      for (int i = 0; i < v->u.list.len; i++) {
        if (i > 0) buf_puts(p->out, ", ");
        print_value(p, &v->u.list.items[i], quote);
      }
      buf_putc(p->out, ']');
      break;
  }
}

void print_attr_value(Printer *p, const AttrValue *v) { print_value(p, v, '"'); }

void print_attrs(Printer *p, AttrList attrs, bool (*keep)(Printer *p, Name key),
                 const char *separator) {
  bool any = false;
  for (int i = 0; i < attrs.len; i++) {
    const Attr *a = &attrs.items[i];
    if (keep && !keep(p, a->key)) continue;
    buf_puts(p->out, any ? ", " : separator);
    if (!any) buf_puts(p->out, "attrs={");
    any = true;
    print_quoted(p, a->key, '"');
    buf_puts(p->out, ": ");
    print_attr_value(p, &a->value);
  }
  if (any) buf_putc(p->out, '}');
}

/* ---------------------------------------------------------------- calls of functions */

static bool in_list(const AttrValue *list, const Expr *var) {
  if (!list || list->kind != ATTR_LIST) return false;
  for (int i = 0; i < list->u.list.len; i++)
    if (list->u.list.items[i].kind == ATTR_EXPR && list->u.list.items[i].u.expr == var) return true;
  return false;
}

/* Arguments that are to be dumped, in the order of the arguments; false if there are none. */
static bool print_dumps(Printer *p, const Expr *call, const char *before) {
  const AttrValue *dumps = attr_get(call->u.call.attrs, p->keys.dump_vars);
  bool any = false;
  for (int i = 0; i < call->u.call.nargs; i++) {
    const Expr *arg = call->u.call.args[i];
    if (!expr_is_var(arg) || !in_list(dumps, arg)) continue;
    buf_puts(p->out, any ? ", " : before);
    print_var(p, arg);
    any = true;
  }
  if (any) buf_putc(p->out, ']');
  return any;
}

static bool nonempty_list(const AttrValue *v) { return v && v->kind == ATTR_LIST && v->u.list.len; }

/* The dictionary of a call's metadata: what has a place of its own is left out or comes first. */
static void print_call_attrs(Printer *p, const Expr *e, bool dumps_here, const char *separator) {
  AttrList attrs = e->u.call.attrs;
  Name dump_vars = p->keys.dump_vars, dirs_key = p->keys.arg_directions;
  Name device = e->kind == EXPR_CALL ? p->keys.device : NULL;
  const AttrValue *dirs = attr_get(attrs, dirs_key);
  size_t start = p->out->len;
  buf_puts(p->out, separator);
  buf_puts(p->out, "attrs={");
  bool any = dumps_here && print_dumps(p, e, "\"dump_vars\": [");
  if (nonempty_list(dirs)) {
    buf_puts(p->out, any ? ", \"arg_directions\": " : "\"arg_directions\": ");
    print_attr_value(p, dirs);
    any = true;
  }
  for (int i = 0; i < attrs.len; i++) {
    const Attr *a = &attrs.items[i];
    if (a->key == dump_vars || a->key == dirs_key || a->key == device) continue;
    if (any) buf_puts(p->out, ", ");
    any = true;
    print_quoted(p, a->key, '"');
    buf_puts(p->out, ": ");
    print_attr_value(p, &a->value);
  }
  if (any)
    buf_putc(p->out, '}');
  else
    p->out->len = start;
}

static void print_function_call(Printer *p, const Expr *e) {
  if (p->program) buf_puts(p->out, "self.");
  buf_puts(p->out, e->u.call.callee);
  buf_putc(p->out, '(');
  print_list(p, e->u.call.args, e->u.call.nargs);
  const char *comma = e->u.call.nargs ? ", " : "";
  for (int i = 0; i < e->u.call.kwargs.len; i++) {
    const Attr *a = &e->u.call.kwargs.items[i];
    buf_printf(p->out, "%s%s=", comma, a->key);
    print_value(p, &a->value, '\'');
    comma = ", ";
  }
  const AttrValue *device = attr_get(e->u.call.attrs, p->keys.device);
  if (device) {
    buf_printf(p->out, "%sdevice=", comma);
    print_attr_value(p, device);
    comma = ", ";
  }
  print_call_attrs(p, e, true, comma);
  buf_putc(p->out, ')');
}

static void print_submit(Printer *p, const Expr *e) {
  static const Launch plain = {0};
  const Launch *l = e->u.call.launch ? e->u.call.launch : &plain;
  buf_puts(p->out, l->core_num ? "pl.spmd_submit(" : "pl.submit(");
  if (p->program) buf_puts(p->out, "self.");
  buf_puts(p->out, e->u.call.callee);
  for (int i = 0; i < e->u.call.nargs; i++) {
    buf_puts(p->out, ", ");
    print_expr_in(p, e->u.call.args[i]);
  }
  if (l->ndeps) {
    buf_puts(p->out, ", deps=[");
    print_list(p, l->deps, l->ndeps);
    buf_putc(p->out, ']');
  }
  print_dumps(p, e, ", dumps=[");
  if (l->core_num) {
    buf_puts(p->out, ", core_num=");
    print_expr_in(p, l->core_num);
    if (l->sync_start) buf_puts(p->out, ", sync_start=True");
  }
  if (l->allow_early_resolve) buf_puts(p->out, ", allow_early_resolve=True");
  if (l->predicate) {
    buf_puts(p->out, ", predicate=(");
    print_expr_in(p, l->predicate);
    buf_putc(p->out, ')');
  }
  print_call_attrs(p, e, false, ", ");
  buf_putc(p->out, ')');
}

/* ---------------------------------------------------------------- calls of operators */

static bool is_python_keyword(const char *word) {
  static const char *const keywords[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (strcmp(word, keywords[i]) == 0) return true;
  return false;
}

static void print_op_name(Printer *p, const char *name) {
  if (strncmp(name, "pld.", 4) != 0) buf_puts(p->out, "pl.");
  buf_puts(p->out, name);
  const char *leaf = strrchr(name, '.');
  if (leaf && is_python_keyword(leaf + 1)) buf_putc(p->out, '_');
  buf_putc(p->out, '(');
}

static const char *const rounding_modes[] = {"none", "rint",  "round", "floor",
                                             "ceil", "trunc", "odd"};

/* A keyword's value; rounding modes are kept as numbers. */
static void print_kwarg_value(Printer *p, const Attr *a) {
  const AttrValue *v = &a->value;
  int modes = sizeof rounding_modes / sizeof *rounding_modes;
  if (v->kind == ATTR_INT && a->key == p->keys.mode && v->u.i >= 0 && v->u.i < modes)
    print_quoted(p, rounding_modes[v->u.i], '\'');
  else
    print_value(p, v, '\'');
}

/* Separates what is between the parentheses of a call. */
typedef struct Comma {
  Printer *p;
  bool needed;
} Comma;

static void next_item(Comma *c, const char *keyword) {
  if (c->needed) buf_puts(c->p->out, ", ");
  c->needed = true;
  if (keyword) buf_printf(c->p->out, "%s=", keyword);
}

static void print_operand_as(Comma *c, const char *keyword, const Expr *e) {
  next_item(c, keyword);
  print_expr_in(c->p, e);
}

static void print_operands(Comma *c, const Expr *e, int from, int to) {
  for (int i = from; i < to; i++) print_operand_as(c, NULL, e->u.call.args[i]);
}

static void print_kwargs_but(Comma *c, const Expr *e, Name left_out) {
  for (int i = 0; i < e->u.call.kwargs.len; i++) {
    const Attr *a = &e->u.call.kwargs.items[i];
    if (a->key == left_out) continue;
    next_item(c, a->key);
    print_kwarg_value(c->p, a);
  }
}

static void print_kwarg(Comma *c, const Expr *e, Name key) {
  const AttrValue *v = attr_get(e->u.call.kwargs, key);
  if (!v) return;
  next_item(c, key);
  print_value(c->p, v, '\'');
}

/* The value without the type that another keyword gives it. */
static void print_bare(Comma *c, const char *keyword, const Expr *e) {
  next_item(c, keyword);
  if (e->kind == EXPR_FLOAT)
    print_float(c->p->out, e->u.f);
  else if (e->kind == EXPR_INT)
    buf_int(c->p->out, e->u.i);
  else
    print_expr_in(c->p, e);
}

static bool soft_syncall(Printer *p, const Expr *e) {
  const AttrValue *mode = attr_get(e->u.call.kwargs, p->keys.mode);
  int n = e->u.call.nargs;
  return mode && mode->kind == ATTR_STR && mode->u.str == p->keys.soft && (n == 1 || n == 2);
}

static void print_soft_syncall(Comma *c, const Expr *e) {
  const AttrValue *core = attr_get(e->u.call.kwargs, c->p->keys.core_type);
  buf_puts(c->p->out, "mode=\"soft\", core_type=");
  print_quoted(c->p, core && core->kind == ATTR_STR ? core->u.str : "mix", '"');
  c->needed = true;
  print_operand_as(c, "gm_workspace", e->u.call.args[0]);
  if (e->u.call.nargs == 2) {
    print_bare(c, "used_cores", e->u.call.args[1]);
  } else {
    next_item(c, "used_cores");
    buf_putc(c->p->out, '0');
  }
}

static void print_mgather(Comma *c, const Expr *e) {
  int n = e->u.call.nargs, next = 2;
  bool coalesce = attr_int(e->u.call.kwargs, c->p->keys.coalesce, 0) == 1;
  print_operands(c, e, 0, n < 2 ? n : 2);
  if (coalesce && n > next) print_operand_as(c, "scratch", e->u.call.args[next++]);
  if (n > next) print_operand_as(c, "valid_shape", e->u.call.args[next]);
  print_kwargs_but(c, e, NULL);
}

static void print_task_dummy(Comma *c, const Expr *e) {
  const AttrValue *deps = attr_get(e->u.call.attrs, c->p->keys.manual_dep_edges);
  print_operands(c, e, 0, e->u.call.nargs);
  next_item(c, "deps");
  if (deps)
    print_attr_value(c->p, deps);
  else
    buf_puts(c->p->out, "[]");
  print_kwargs_but(c, e, NULL);
}

static void print_alloc(Comma *c, const Expr *e) {
  int64_t space;
  int n = e->u.call.nargs;
  if (n && expr_const_int(e->u.call.args[0], &space) && space > MEM_NONE && space < MEM_COUNT) {
    next_item(c, NULL);
    print_enum_value(c->p, ENUM_MEM, space);
    print_operands(c, e, 1, n);
  } else {
    print_operands(c, e, 0, n);
  }
  print_kwargs_but(c, e, NULL);
}

static void print_operands_and_kwargs(Comma *c, const Expr *e) {
  const Op *op = e->u.call.op;
  int n = e->u.call.nargs;
  switch (op->print) {
    case PRINT_REINTERPRET:
      print_operands(c, e, 0, 1);
      print_kwarg(c, e, c->p->keys.dtype);
      if (n > 1) print_operand_as(c, "shape", e->u.call.args[1]);
      return;
    case PRINT_FULL:
      if (n < 2) break;
      print_operands(c, e, 0, 1);
      print_kwarg(c, e, c->p->keys.dtype);
      print_bare(c, "value", e->u.call.args[1]);
      return;
    case PRINT_SYNCALL:
      if (!soft_syncall(c->p, e)) break;
      print_soft_syncall(c, e);
      return;
    case PRINT_GATHER_ROW:
      print_operands(c, e, 0, n < 5 ? n : 5);
      if (n == 6) print_operand_as(c, "valid_shape", e->u.call.args[5]);
      print_kwargs_but(c, e, NULL);
      return;
    case PRINT_MGATHER: print_mgather(c, e); return;
    case PRINT_ALLOC: print_alloc(c, e); return;
    case PRINT_TASK_DUMMY: print_task_dummy(c, e); return;
    case PRINT_NO_NAME:
      print_operands(c, e, 0, n);
      print_kwargs_but(c, e, c->p->keys.name);
      return;
    case PRINT_NO_SPLIT:
      print_operands(c, e, 0, n);
      print_kwargs_but(c, e, c->p->split_regions ? c->p->keys.split : NULL);
      return;
    case PRINT_REMOTE_LOAD:
      print_operands(c, e, 0, n);
      print_kwargs_but(c, e, c->p->keys.allow_physical_tail_padding);
      return;
    case PRINT_CALL:
    case PRINT_ADDS: break;
  }
  print_operands(c, e, 0, n);
  print_kwargs_but(c, e, NULL);
}

/* The name that the language has for the call, which for a few depends on the operands. */
static const char *written_name(Printer *p, const Expr *e) {
  const Op *op = e->u.call.op;
  if (op->print == PRINT_ADDS && e->u.call.nargs == 2) {
    ExprKind k = e->u.call.args[1]->kind;
    if (k == EXPR_INT || k == EXPR_FLOAT) return op->print_as;
  }
  if (op->print == PRINT_REMOTE_LOAD &&
      attr_bool(e->u.call.kwargs, p->keys.allow_physical_tail_padding, false))
    return op->print_as;
  return op->name;
}

static bool not_task_attr(Printer *p, Name key) {
  return key != p->keys.manual_dep_edges && key != p->keys.dummy_task;
}

static void print_op_call(Printer *p, const Expr *e) {
  Comma c = {.p = p};
  print_op_name(p, written_name(p, e));
  print_operands_and_kwargs(&c, e);
  bool dummy = e->u.call.op->print == PRINT_TASK_DUMMY;
  print_attrs(p, e->u.call.attrs, dummy ? not_task_attr : NULL, c.needed ? ", " : "");
  buf_putc(p->out, ')');
}

void print_expr_in(Printer *p, const Expr *e) {
  switch (e->kind) {
    case EXPR_VAR: print_var(p, e); break;
    case EXPR_INT: print_int(p, e); break;
    case EXPR_FLOAT: print_float_const(p, e); break;
    case EXPR_BOOL: buf_puts(p->out, e->u.b ? "True" : "False"); break;
    case EXPR_CALL:
      if (e->u.call.op)
        print_op_call(p, e);
      else
        print_function_call(p, e);
      break;
    case EXPR_SUBMIT: print_submit(p, e); break;
    case EXPR_TUPLE:
      buf_putc(p->out, '[');
      print_list(p, e->u.tuple.elems, e->u.tuple.len);
      buf_putc(p->out, ']');
      break;
    case EXPR_TUPLE_GET:
      print_expr_in(p, e->u.get.tuple);
      buf_printf(p->out, "[%d]", e->u.get.index);
      break;
    default:
      if (expr_is_unary(e))
        print_unary(p, e);
      else
        print_binary(p, e);
  }
}
