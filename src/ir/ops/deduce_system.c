/* deduce_system.c -- arrays, synchronisation, pipes, tasks and prefetch. */
#include <string.h>

#include "ir/ops/bind.h"
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"

/* ---------------------------------------------------------------- results without a rule */

const Type *deduce_nothing(OpCall *c) { return type_unknown(c->ir); }
const Type *deduce_i32(OpCall *c) { return type_scalar(c->ir, DT_INT32); }
const Type *deduce_i64(OpCall *c) { return type_scalar(c->ir, DT_INT64); }
const Type *deduce_bool(OpCall *c) { return type_scalar(c->ir, DT_BOOL); }
const Type *deduce_task_id(OpCall *c) { return type_scalar(c->ir, DT_TASK_ID); }

/* ---------------------------------------------------------------- arrays */

static bool is_array_element(DType t) { return dtype_is_int(t) || t == DT_BOOL || t == DT_TASK_ID; }

const Type *deduce_array_create(OpCall *c) {
  DType dtype = kwarg_dtype(c, "dtype");
  int64_t n;
  if (!is_array_element(dtype))
    return op_error(c, "an array holds integers, BOOL or TASK_ID, not %s", dtype_name(dtype));
  if (!expr_const_int(c->args[0], &n)) return op_error(c, "'extent' must be a constant");
  if (n <= 0) return op_error(c, "'extent' must be positive, it is %lld", (long long)n);
  return type_array(c->ir, dtype, c->args[0]);
}

const Type *deduce_array_get(OpCall *c) { return type_scalar(c->ir, c->args[0]->type->dtype); }

const Type *deduce_array_update(OpCall *c) {
  DType has = c->args[0]->type->dtype, value = c->args[2]->type->dtype;
  bool index = (value == DT_INDEX && dtype_is_int(has)) || (has == DT_INDEX && dtype_is_int(value));
  if (value != has && !index)
    return op_error(c, "cannot put %s into an array of %s", dtype_name(value), dtype_name(has));
  return c->args[0]->type;
}

/* ---------------------------------------------------------------- synchronisation */

enum { FFTS_WORKSPACE = 256, EVENTS = 14 };

const Type *deduce_system_set_ffts(OpCall *c) {
  const Type *t = c->args[0]->type;
  int64_t n;
  if (t->dtype != DT_INT64 || t->rank != 1 || !expr_const_int(t->shape[0], &n) ||
      n < FFTS_WORKSPACE)
    return op_error(c,
                    "the workspace must be a tensor [n] of INT64 with a constant n of at least %d, "
                    "not %s of %s",
                    FFTS_WORKSPACE, dims_str(c->ir, dims_of(t)), dtype_name(t->dtype));
  return deduce_nothing(c);
}

static bool is_core(const char *s) { return strcmp(s, "aic") == 0 || strcmp(s, "aiv") == 0; }

/* The event's number is a keyword if it is written event_id=N, an operand otherwise. */
bool bind_system_sync(Written *w, OpCall *c) {
  Binding b;
  if (!bind_match(w, c, &b)) return false;
  BoundArg *event = bind_arg(&b, "event_id");
  bool number = event->given && event->keyword && event->value.kind == ATTR_INT;
  if (event->given && !number) event->name = ir_name(w->ir, "event_id_dyn");
  return bind_finish(&b, w->op);
}

const Type *deduce_system_sync(OpCall *c) {
  const AttrValue *event = op_kwarg(c, "event_id"), *mode = op_kwarg(c, "ffts_mode"),
                  *core = op_kwarg(c, "core_type");
  if (event && (event->u.i < 0 || event->u.i >= EVENTS))
    return op_error(c, "'event_id' must be from 0 to %d, it is %lld", EVENTS - 1,
                    (long long)event->u.i);
  if (mode && (mode->u.i < 0 || mode->u.i > 2))
    return op_error(c, "'ffts_mode' must be 0, 1 or 2, it is %lld", (long long)mode->u.i);
  if (core && !is_core(core->u.str))
    return op_error(c, "'core_type' must be 'aic' or 'aiv', not '%s'", core->u.str);
  if (!event == !c->nargs) return op_error(c, "needs one event_id, a number or an INDEX value");
  if (c->nargs && c->args[0]->type->dtype != DT_INDEX)
    return op_error(c, "an event_id known only at run time must be INDEX, not %s",
                    dtype_name(c->args[0]->type->dtype));
  return deduce_nothing(c);
}

static bool check_window(OpCall *c, int arg) {
  Dims d;
  int rank = c->args[0]->type->rank;
  if (!arg_int_list(c, arg, &d)) return false;
  if (d.n == rank) return true;
  op_error(c, "'%s' has %d elements, the tensor %d dimensions", arg_name(c, arg), d.n, rank);
  return false;
}

const Type *deduce_system_cacheinvalid(OpCall *c) {
  if (!c->nargs) return deduce_nothing(c);
  if (c->nargs != 3) return op_error(c, "takes nothing, or a tensor with shapes and offsets");
  if (!arg_tensor(c, 0)) return NULL;
  return check_window(c, 1) && check_window(c, 2) ? deduce_nothing(c) : NULL;
}

/* In hardware: core_type= only.  By polling: mode="soft" with a workspace and the number of cores,
 * 0 for all of them. */
bool bind_system_syncall(Written *w, OpCall *c) {
  Binding b;
  if (!bind_match(w, c, &b)) return false;
  BoundArg *mode = bind_arg(&b, "mode"), *space = bind_arg(&b, "gm_workspace"),
           *cores = bind_arg(&b, "used_cores");
  bool soft = mode->given && mode->value.kind == ATTR_STR && strcmp(mode->value.u.str, "soft") == 0;
  int64_t n;
  if (!soft && (space->given || cores->given)) {
    op_error(c, "'gm_workspace' and 'used_cores' are for mode=\"soft\"");
    return false;
  }
  if (soft && (!space->given || !cores->given)) {
    op_error(c, "mode=\"soft\" needs 'gm_workspace' and 'used_cores'");
    return false;
  }
  if (soft && bound_int(cores, &n)) {
    if (n < 0 || n > INT32_MAX) {
      op_error(c, "'used_cores' must be from 0 to %d, it is %lld", INT32_MAX, (long long)n);
      return false;
    }
    if (n == 0)
      cores->given = false;
    else
      cores->value = attr_of_expr(expr_int(w->ir, n, DT_INT32, w->span));
  }
  return bind_finish(&b, w->op);
}

const Type *deduce_system_syncall(OpCall *c) {
  const char *core = op_kwarg(c, "core_type") ? op_kwarg(c, "core_type")->u.str : "mix";
  const AttrValue *mode = op_kwarg(c, "mode");
  if (strcmp(core, "aiv_only") != 0 && strcmp(core, "aic_only") != 0 && strcmp(core, "mix") != 0)
    return op_error(c, "'core_type' must be 'aiv_only', 'aic_only' or 'mix', not '%s'", core);
  if (mode && strcmp(mode->u.str, "soft") != 0 && strcmp(mode->u.str, "hard") != 0)
    return op_error(c, "'mode' must be 'hard' or 'soft', not '%s'", mode->u.str);
  if (c->nargs == 2 && c->args[1]->type->dtype != DT_INT32)
    return op_error(c, "'used_cores' must be INT32, not %s", dtype_name(c->args[1]->type->dtype));
  return deduce_nothing(c);
}

OpEffect effect_syncall(const Expr *call, int i) {
  for (int k = 0; i == 0 && k < call->u.call.kwargs.len; k++) {
    const AttrValue *v = &call->u.call.kwargs.items[k].value;
    if (v->kind == ATTR_STR && strcmp(v->u.str, "soft") == 0) return EFFECT_READ_WRITE;
  }
  return EFFECT_READ;
}

/* ---------------------------------------------------------------- prefetch */

const Type *deduce_prefetch(OpCall *c) { return type_simple(c->ir, (TypeKind)c->op->param); }

const Type *deduce_prefetch_start(OpCall *c) {
  const Type *t = c->args[0]->type;
  if (!expr_is_var(c->args[0])) return op_error(c, "'src' must be a variable");
  if (!t->rank) return op_error(c, "'src' must have a dimension");
  for (int i = 0; i < t->rank; i++) {
    if (t->shape[i]->kind != EXPR_INT)
      return op_error(
          c, "dimension %d of 'src' must be a constant: the number of bytes must be known", i);
    if (i + 1 < t->rank && !extent_is_const(t->shape[i], 1))
      return op_error(c, "'src' must be one run of elements, [N] or [1, ..., N], not %s",
                      dims_str(c->ir, dims_of(t)));
  }
  return type_simple(c->ir, TYPE_ASYNC_EVENT);
}
