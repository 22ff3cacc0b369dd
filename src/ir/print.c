/* print.c -- programs and functions; the printer's entry points. */
#include "ir/print.h"

#include <string.h>

#include "ir/print_int.h"

static void printer_init(Printer *p, Ir *ir, Buf *out, const PrintOptions *opts) {
  memset(p, 0, sizeof *p);
  p->ir = ir;
  p->out = out;
  if (opts) p->opts = *opts;
#define X(key) p->keys.key = ir_name(ir, #key);
  PRINT_KEYS(X)
#undef X
}

static void printer_free(Printer *p) {
  map_free(&p->names);
  map_free(&p->dyn_names);
  map_free(&p->free_vars);
  map_free(&p->body_defs);
}

/* ---------------------------------------------------------------- functions */

/* Attributes that have to be known before the body is read stand in the decorator. */
static bool in_decorator(const Printer *p, const Attr *a) {
  return a->key == p->keys.auto_scope || a->key == p->keys.external_source;
}

static bool is_split_mode(const AttrValue *v) {
  return v->kind == ATTR_INT || (v->kind == ATTR_ENUM && v->enum_id == ENUM_SPLIT);
}

static void decorator_item(Printer *p, bool *any, const char *keyword) {
  buf_puts(p->out, *any ? ", " : "(");
  buf_printf(p->out, "%s=", keyword);
  *any = true;
}

static void print_decorator(Printer *p, const Function *f) {
  bool any = false;
  const AttrValue *source = attr_get(f->attrs, p->keys.external_source);
  print_indent(p);
  buf_puts(p->out, "@pl.function");
  if (f->type != FUNC_OPAQUE) {
    decorator_item(p, &any, "type");
    buf_printf(p->out, "pl.FunctionType.%s", enum_name(ENUM_FUNC, f->type));
  }
  if (f->level != LEVEL_NONE) {
    decorator_item(p, &any, "level");
    buf_printf(p->out, "pl.Level.%s", enum_name(ENUM_LEVEL, f->level));
  }
  if (f->role != ROLE_NONE) {
    decorator_item(p, &any, "role");
    buf_printf(p->out, "pl.Role.%s", enum_name(ENUM_ROLE, f->role));
  }
  if (!attr_bool(f->attrs, p->keys.auto_scope, true)) {
    decorator_item(p, &any, "auto_scope");
    buf_puts(p->out, "False");
  }
  if (source && source->kind == ATTR_STR && source->u.str[0]) {
    decorator_item(p, &any, "external_source");
    print_attr_value(p, source);
  }
  buf_puts(p->out, any ? ")\n" : "\n");
}

static void print_param(Printer *p, const Expr *var, ParamDir dir) {
  print_var(p, var);
  buf_puts(p->out, ": ");
  if (dir != PARAM_IN) buf_puts(p->out, dir == PARAM_OUT ? "pl.Out[" : "pl.InOut[");
  print_type_in(p, var->type);
  if (dir != PARAM_IN) buf_putc(p->out, ']');
}

static void print_signature(Printer *p, const Function *f) {
  bool self = p->program && f->role != ROLE_SUB_WORKER;
  print_indent(p);
  buf_printf(p->out, "def %s(%s", f->name, self ? "self" : "");
  for (int i = 0; i < f->nparams; i++) {
    if (self || i > 0) buf_puts(p->out, ", ");
    print_param(p, f->params[i], f->dirs[i]);
  }
  buf_putc(p->out, ')');
  if (f->nreturns) buf_puts(p->out, f->nreturns == 1 ? " -> " : " -> tuple[");
  for (int i = 0; i < f->nreturns; i++) {
    if (i > 0) buf_puts(p->out, ", ");
    print_type_in(p, f->returns[i]);
  }
  if (f->nreturns > 1) buf_putc(p->out, ']');
  buf_puts(p->out, ":\n");
}

/* pl.func_attr({...}): the attributes that do not stand in the decorator. */
static void print_prologue(Printer *p, const Function *f) {
  bool any = false;
  for (int i = 0; i < f->attrs.len; i++) {
    const Attr *a = &f->attrs.items[i];
    bool split = a->key == p->keys.split && is_split_mode(&a->value);
    if (in_decorator(p, a) || (split && a->value.u.i == SPLIT_NONE)) continue;
    if (!any) print_indent(p);
    buf_puts(p->out, any ? ", " : "pl.func_attr({");
    any = true;
    print_quoted(p, a->key, '"');
    buf_puts(p->out, ": ");
    if (split)
      buf_printf(p->out, "pl.SplitMode.%s", enum_name(ENUM_SPLIT, (int)a->value.u.i));
    else
      print_attr_value(p, &a->value);
  }
  if (any) buf_puts(p->out, "})\n");
}

static void print_function(Printer *p, const Function *f) {
  print_name_function(p, f);
  print_decorator(p, f);
  p->in_signature = true;
  print_signature(p, f);
  p->in_signature = false;
  p->indent++;
  print_prologue(p, f);
  if (f->requires_runtime_binding || !f->body.len) {
    print_indent(p);
    buf_puts(p->out, f->requires_runtime_binding ? "..." : "pass");
  } else {
    print_body(p, f->body);
  }
  p->indent--;
}

/* ---------------------------------------------------------------- programs */

/* Sorts the names of the dynamic dimensions. */
static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void print_dims_block(Printer *p) {
  VEC(const char *) names = {0};
  for (MapEntry *e = NULL; (e = map_next(&p->dyn_names, e));) vec_push(&names, e->value);
  if (names.len) qsort(names.data, names.len, sizeof *names.data, by_text);
  for (size_t i = 0; i < names.len; i++)
    buf_printf(p->out, "%s = pl.dynamic(\"%s\")\n", names.data[i], names.data[i]);
  if (names.len) buf_putc(p->out, '\n');
  vec_free(&names);
}

/* A function that belongs to no program: no class around it, no `self`. */
static void print_lone_function(Buf *out, Ir *ir, const Program *prog, const PrintOptions *opts) {
  Printer p;
  printer_init(&p, ir, out, opts);
  print_function(&p, prog->funcs[0]);
  printer_free(&p);
}

void print_program(Buf *out, Ir *ir, const Program *prog, const PrintOptions *opts) {
  Printer p;
  if (prog->lone_function && prog->nfuncs == 1) {
    print_lone_function(out, ir, prog, opts);
    return;
  }
  const char *name = prog->name && prog->name[0] ? prog->name : "Program";
  printer_init(&p, ir, out, opts);
  p.program = prog;
  print_name_dims(&p);
  buf_printf(out, "# pypto.program: %s\n", name);
  if (p.has_buffers) buf_puts(out, "import pypto\n");
  buf_puts(out, "import pypto.language as pl\n\n");
  print_dims_block(&p);
  buf_printf(out, "@pl.program\nclass %s:\n", name);
  p.indent++;
  Function **order = print_order(ir, prog);
  for (int i = 0; i < prog->nfuncs; i++) {
    if (i > 0) buf_putc(out, '\n');
    print_function(&p, order[i]);
  }
  printer_free(&p);
}

void print_type(Buf *out, Ir *ir, const Type *t) {
  Printer p;
  printer_init(&p, ir, out, NULL);
  print_type_in(&p, t);
  printer_free(&p);
}

void print_expr(Buf *out, Ir *ir, const Expr *e) {
  Printer p;
  printer_init(&p, ir, out, NULL);
  print_expr_in(&p, e);
  printer_free(&p);
}

void print_stmt(Buf *out, Ir *ir, const Stmt *s, int indent) {
  Printer p;
  Stmt *only = (Stmt *)s;
  printer_init(&p, ir, out, NULL);
  print_name_block(&p, (Block){&only, 1});
  p.indent = indent / 4;
  print_stmt_in(&p, only);
  printer_free(&p);
}

static const char *take(Ir *ir, Buf *text) {
  const char *s = arena_strndup(ir->arena, buf_str(text), text->len);
  buf_free(text);
  return s;
}

const char *type_str(Ir *ir, const Type *t) {
  Buf text = {0};
  print_type(&text, ir, t);
  return take(ir, &text);
}

const char *expr_str(Ir *ir, const Expr *e) {
  Buf text = {0};
  print_expr(&text, ir, e);
  return take(ir, &text);
}
