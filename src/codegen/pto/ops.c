/* ops.c -- the table of operators, and what their forms share. */
#include <string.h>

#include "codegen/pto/emit.h"
#include "codegen/pto/forms.h"

/* .max counts only where it differs from .min. */
static const PtoOp pto_ops[OP_COUNT] = {
#define PTO(id, f, ...) [OP_##id] = {.form = form_##f, __VA_ARGS__},
#include "codegen/pto/ops.def"
#include "codegen/pto/ops_more.def"
#undef PTO
};

const PtoOp *pto_op_of(PtoFn *f, const Expr *call) {
  const Op *op = expr_op(call);
  if (!op || !pto_ops[op->id].form) return NULL;
  return (op->flags & OPF_A5_ONLY) && !f->m->target->mx_matmul ? NULL : &pto_ops[op->id];
}

/* Does the chip's instruction take the element type of the call's tile?  Reports it if not. */
static bool takes_type(PtoFn *f, const Op *op, const Expr *call) {
  const Target *t = f->m->target;
  const InstructionTypes *row = &t->instruction_types[op->id];
  if (!row->types) return true;
  const Type *tile = row->operand < 0 ? call->type : call->u.call.args[row->operand]->type;
  if (!type_is_tile(tile) || ((row->types >> tile->dtype) & 1)) return true;
  Buf names = {0};
  for (int d = 0; d < DT_COUNT; d++)
    if ((row->types >> d) & 1)
      buf_printf(&names, "%s%s", names.len ? ", " : "", dtype_name((DType)d));
  pto_error(f, call->span, "'%s' takes %s on %s, not %s; cast it first", op->name, buf_str(&names),
            t->name, dtype_name(tile->dtype));
  buf_free(&names);
  return false;
}

void pto_call(PtoFn *f, Expr *call) {
  const PtoOp *row = pto_op_of(f, call);
  const Op *op = expr_op(call);
  if (!row) {
    pto_error(f, call->span, "'%s' cannot be %s in a kernel on %s",
              op ? op->name : call->u.call.callee, op ? "used" : "called", f->m->target->name);
    return;
  }
  int n = call->u.call.nargs, max = row->max > row->min ? row->max : row->min;
  if (n < row->min || n > max) {
    pto_error(f, call->span, "'%s' has %d operands in a kernel, not %d", op->name, row->min, n);
    return;
  }
  Span outer = f->loc;
  /* A call that a pass rebuilt may carry the place of something that encloses the statement. */
  if (call->span.line && (!outer.line || call->span.line >= outer.line)) f->loc = call->span;
  if (takes_type(f, op, call)) row->form(f, row, call);
  f->loc = outer;
}

/* ---- keywords ---- */

static const AttrValue *kwarg(PtoFn *f, const Expr *call, const char *key) {
  return attr_get(call->u.call.kwargs, ir_name(f->ir, key));
}

bool pto_has_kwarg(PtoFn *f, const Expr *call, const char *key) {
  const AttrValue *v = kwarg(f, call, key);
  return v && v->kind != ATTR_NONE;
}

int64_t pto_kwarg_int(PtoFn *f, const Expr *call, const char *key, int64_t otherwise) {
  return attr_int(call->u.call.kwargs, ir_name(f->ir, key), otherwise);
}

bool pto_kwarg_bool(PtoFn *f, const Expr *call, const char *key, bool otherwise) {
  return attr_bool(call->u.call.kwargs, ir_name(f->ir, key), otherwise);
}

const char *pto_kwarg_str(PtoFn *f, const Expr *call, const char *key) {
  const AttrValue *v = kwarg(f, call, key);
  return v && v->kind == ATTR_STR ? v->u.str : NULL;
}

/* ---- instructions ---- */

PtoArg pto_arg(PtoFn *f, Expr *e) {
  Name value = pto_value(f, e);
  return (PtoArg){value, pto_type_of(f, e)};
}

Name pto_res_type(PtoFn *f) {
  const PtoValue *known = f->res ? pto_value_known(f, f->res) : NULL;
  if (known && known->tile_type) return known->tile_type;
  return f->res_tile ? pto_tile_type(f, f->res_tile) : NULL;
}

void pto_put_types(Buf *b, const PtoArg *args, int n) {
  const char *before = " : ";
  for (int i = 0; i < n; i++) {
    if (!args[i].type) continue;
    buf_printf(b, "%s%s", before, args[i].type);
    before = ", ";
  }
}

void pto_put_outs(PtoFn *f, Buf *b) {
  Name type = pto_res_type(f);
  buf_printf(b, " outs(%s", f->res ? f->res : "");
  if (type) buf_printf(b, " : %s", type);
  buf_putc(b, ')');
}

void pto_ins_outs(PtoFn *f, const char *inst, const PtoArg *args, int n, const char *inner,
                  const char *outer) {
  Buf b = {0};
  buf_printf(&b, "%s ins(", inst);
  for (int i = 0; i < n; i++) buf_printf(&b, "%s%s", i ? ", " : "", args[i].value);
  if (inner) buf_printf(&b, " %s", inner);
  pto_put_types(&b, args, n);
  buf_putc(&b, ')');
  pto_put_outs(f, &b);
  if (outer) buf_printf(&b, " %s", outer);
  pto_line(f, "%s", buf_str(&b));
  buf_free(&b);
}

PtoArg *pto_args(PtoFn *f, const Expr *call) {
  int n = call->u.call.nargs;
  PtoArg *args = NEW_ARRAY(f->ir->arena, PtoArg, n);
  for (int i = 0; i < n; i++) args[i].value = pto_value(f, call->u.call.args[i]);
  for (int i = 0; i < n; i++) args[i].type = pto_type_of(f, call->u.call.args[i]);
  return args;
}

Name pto_partition(PtoFn *f, const char *hint, Name view, Name view_type, Name type,
                   const Name *offsets, const Name *sizes, int n) {
  Name value = pto_new_named(f, "%s_pview", hint);
  Buf o = {0}, s = {0};
  pto_join(&o, offsets, n);
  pto_join(&s, sizes, n);
  pto_line(f, "%s = pto.partition_view %s, offsets = [%s], sizes = [%s] : %s -> %s", value, view,
           buf_str(&o), buf_str(&s), view_type, type);
  buf_free(&o);
  buf_free(&s);
  return value;
}

Expr **pto_tuple(PtoFn *f, const Expr *call, int arg, int *n) {
  Expr *e = arg < call->u.call.nargs ? call->u.call.args[arg] : NULL;
  if (e && e->kind == EXPR_TUPLE) {
    *n = e->u.tuple.len;
    return e->u.tuple.elems;
  }
  pto_error(f, call->span, "operand %d of '%s' must be a list in a kernel", arg + 1,
            expr_op(call)->name);
  *n = 0;
  return NULL;
}
