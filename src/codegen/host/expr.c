#include <string.h>

#include "codegen/host/host_int.h"

const char *host_name(Host *h, Name name) {
  if (!strchr(name, '.')) return name;
  char *copy = arena_strndup(h->ir->arena, name, strlen(name));
  for (char *p = copy; *p; p++)
    if (*p == '.') *p = '_';
  return copy;
}

static const char *infix(ExprKind kind) {
  if (kind == EXPR_XOR) return "^";
  return kind == EXPR_MIN || kind == EXPR_MAX ? NULL : scalar_op_symbol(kind);
}

static void put(Host *h, Buf *b, const Expr *e);

static void put_wrapped(Host *h, Buf *b, const char *before, const Expr *e) {
  buf_puts(b, before);
  put(h, b, e);
  buf_putc(b, ')');
}

static void put_binary(Host *h, Buf *b, const Expr *e) {
  const char *symbol = infix(e->kind);
  if (symbol)
    buf_putc(b, '(');
  else
    buf_printf(b, "%s(", scalar_op_symbol(e->kind));
  put(h, b, e->u.bin.lhs);
  if (symbol)
    buf_printf(b, " %s ", symbol);
  else
    buf_puts(b, ", ");
  put(h, b, e->u.bin.rhs);
  buf_putc(b, ')');
}

static const char *python_cast(DType t) {
  return dtype_is_float(t) ? "float(" : t == DT_BOOL ? "bool(" : "int(";
}

static void put_var(Host *h, Buf *b, const Expr *e) {
  const Expr *value = h->inline_values ? map_get(&h->values, e) : NULL;
  if (value && value != e)
    put(h, b, value);
  else
    buf_puts(b, host_name(h, e->u.var.name));
}

static void put(Host *h, Buf *b, const Expr *e) {
  switch (e->kind) {
    case EXPR_VAR: put_var(h, b, e); return;
    case EXPR_INT: buf_int(b, e->u.i); return;
    case EXPR_FLOAT: buf_printf(b, "%f", e->u.f); return;
    case EXPR_BOOL: buf_puts(b, e->u.b ? "True" : "False"); return;
    case EXPR_NEG: put_wrapped(h, b, "(-", e->u.operand); return;
    case EXPR_NOT: put_wrapped(h, b, "(not ", e->u.operand); return;
    case EXPR_BIT_NOT: put_wrapped(h, b, "(~", e->u.operand); return;
    case EXPR_ABS: put_wrapped(h, b, "abs(", e->u.operand); return;
    case EXPR_CAST: put_wrapped(h, b, python_cast(e->type->dtype), e->u.operand); return;
    default: break;
  }
  if (expr_is_binary(e)) {
    put_binary(h, b, e);
  } else if (expr_is_op(e, OP_PLD_SYSTEM_WORLD_SIZE)) {
    buf_puts(b, "world_size");
  } else {
    const Op *op = expr_op(e);
    if (op && op->family == FAMILY_BUILTIN)
      host_error(h, e->span,
                 "this collective of the host would run a kernel built into the runtime, which "
                 "pyptoc does not write; call it in a kernel (pl.FunctionType.InCore)");
    else
      host_error(h, e->span, "%s%s%s has no form in a host orchestration", op ? "'" : "",
                 op ? op->name : "this expression", op ? "'" : "");
    buf_putc(b, '0');
  }
}

const char *host_expr(Host *h, const Expr *e) {
  Buf b = {0};
  put(h, &b, e);
  const char *text = arena_strndup(h->ir->arena, buf_str(&b), b.len);
  buf_free(&b);
  return text;
}

const char *host_shape(Host *h, Expr *const *dims, int n) {
  Buf b = {0};
  buf_putc(&b, '(');
  for (int i = 0; i < n; i++) {
    if (i) buf_puts(&b, ", ");
    put(h, &b, dims[i]);
  }
  buf_puts(&b, n == 1 ? ",)" : ")");
  const char *text = arena_strndup(h->ir->arena, buf_str(&b), b.len);
  buf_free(&b);
  return text;
}
