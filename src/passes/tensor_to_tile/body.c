#include "passes/tensor_to_tile/body.h"

#include <ctype.h>
#include <string.h>

#include "ir/op.h"
#include "ir/ops/deduce_region.h"
#include "passes/tensor_to_tile/convert.h"
#include "passes/util/auto_name.h"

Name tile_name(Ir *ir, Name source) {
  return auto_name_build(ir, auto_name_parse(ir, source).base, ir_name(ir, ""), "tile", -1);
}

/* Marks a load that brings a matrix operand into Mat, for AutoTileMatmulL0. */
static Expr *mark_bridge(Conv *c, Expr *load, MemSpace space) {
  if (!load || space != MEM_MAT) return load;
  Expr *n = expr_copy(c->ir, load);
  n->u.call.attrs =
      conv_kw(c, n->u.call.attrs, "__compiler_tensor_to_tile_mat_bridge", attr_of_bool(true));
  return n;
}

/* ---------------------------------------------------------------- operands with a rule */

static Expr *load_operand(Conv *c, Expr *arg, MemSpace space, int i) {
  Expr *shape = conv_shape(c, arg->type);
  Expr *load = mark_bridge(c,
                           CONV_OP(c, OP_TILE_LOAD, conv_kw_space(c, space), arg,
                                   conv_zeros(c, arg->type->rank), shape, shape),
                           space);
  if (arg->kind != EXPR_VAR) return conv_bind(c, arena_printf(c->ir->arena, "bridged_%d", i), load);
  char *name = arena_printf(c->ir->arena, "%s_%s", arg->u.var.name, mem_name(space));
  for (char *s = name + strlen(arg->u.var.name); *s; s++) *s = (char)tolower((unsigned char)*s);
  return conv_bind(c, name, load);
}

static Expr *suffixed(Conv *c, Expr *var, const char *suffix, Expr *value) {
  return conv_bind(c, arena_printf(c->ir->arena, "%s%s", var->u.var.name, suffix), value);
}

/* The tile in Mat seen transposed, without a copy; one elsewhere is moved to Mat as it is first. */
static Expr *transposed(Conv *c, Expr *tile) {
  if (!tile || tile->kind != EXPR_VAR) return tile;
  if (tile->type->space != MEM_MAT)
    tile = suffixed(c, tile, "_mat", CONV_OP(c, OP_TILE_MOVE, conv_kw_space(c, MEM_MAT), tile));
  if (!tile) return NULL;
  return suffixed(c, tile, "_t", CONV_OP(c, OP_TILE_TRANSPOSE_VIEW, NO_KWARGS, tile));
}

/* Brings the operands where their rules want them; false after an error. */
static bool bridge_operands(Conv *c, const Conversion *conv) {
  Expr **args = c->args;
  for (int i = 0; i < c->nargs; i++) {
    const ConvertWant *want = conversion_want(conv, i);
    if (!want) continue;
    bool flip = want->transposed_by && conv_flag(c, want->transposed_by, false);
    Expr *arg = args[i];
    if (arg->type->kind == TYPE_TENSOR) arg = load_operand(c, arg, want->space, i);
    if (flip && arg) arg = transposed(c, arg);
    if (!arg) return false;
    if (arg == args[i]) continue;
    if (c->args == args) c->args = args = COPY_ARRAY(c->ir->arena, Expr *, args, c->nargs);
    args[i] = arg;
  }
  return true;
}

/* ---------------------------------------------------------------- statements */

/* Without a conversion an operator on tensors must be one that only looks at them. */
static bool may_stay(Ir *ir, const Expr *call) {
  const Op *op = call->u.call.op;
  if (op->id == OP_TENSOR_VIEW && !type_is_tensor(call->u.call.args[0]->type)) {
    diag_error(
        ir->diag, call->span,
        "tensor.view in an InCore function needs a tensor in global memory; its operand is a "
        "computed value");
    return false;
  }
  if (op->family != FAMILY_TENSOR || op->id == OP_TENSOR_DIM || op->id == OP_TENSOR_VIEW)
    return true;
  diag_error(ir->diag, call->span, "%s cannot run in an InCore function", op->name);
  return false;
}

static bool check_reinterpret(Ir *ir, const Expr *e) {
  if (!expr_is_op(e, OP_TENSOR_REINTERPRET_VIEW)) return true;
  const Type *t = e->u.call.args[0]->type;
  if (!t->tensor_view || t->tensor_view->layout == LAYOUT_ND) return true;
  diag_error(
      ir->diag, e->span,
      "tensor.reinterpret_view in an InCore function needs a packed ND tensor, not layout %s",
      enum_name(ENUM_LAYOUT, t->tensor_view->layout));
  return false;
}

/* A slice of a tensor whose result is wanted in a space is loaded there at once. */
static Expr *load_slice(Conv *c, Name name, MemSpace space) {
  SliceWindow w;
  if (!conv_slice_window(c, &w)) return NULL;
  Expr *load = mark_bridge(c,
                           CONV_OP(c, OP_TILE_LOAD, conv_kw_space(c, space), c->args[0],
                                   w.offset_arg, w.shape_arg, conv_tuple(c, w.valid.at, w.valid.n)),
                           space);
  if (!w.ndrop || !load) return load;
  Dims kept = dims_without(c->ir, w.shape, w.drop);
  Expr *full =
      conv_bind(c, arena_printf(c->ir->arena, "%s_full_rank", tile_name(c->ir, name)), load);
  return CONV_OP(c, OP_TILE_RESHAPE, NO_KWARGS, full, conv_tuple(c, kept.at, kept.n));
}

/* The space that a slice of a tensor is loaded to at once, MEM_NONE for any other call. */
static MemSpace slice_space(const BodyConverter *b, const Expr *call, const Expr *var) {
  if (!var || !expr_is_op(call, OP_TENSOR_SLICE) || !type_is_tensor(call->u.call.args[0]->type))
    return MEM_NONE;
  return wants_space(b->wants, var);
}

/* What the call becomes; statements before it go to `out`, converted themselves. */
static Expr *convert_value(BodyConverter *b, Expr *call, const Expr *var, StmtList *out) {
  Rewriter *r = &b->rewriter;
  const Conversion *conv = conversion_of(call->u.call.op);
  StmtList bridges = {0}, before = {0};
  Conv c = {.ir = r->ir,
            .target = b->target,
            .op = call->u.call.op,
            .args = call->u.call.args,
            .nargs = call->u.call.nargs,
            .kwargs = call->u.call.kwargs,
            .span = call->span,
            .out = &bridges};
  MemSpace space = slice_space(b, call, var);
  Expr *value;
  if (space != MEM_NONE) {
    value = load_slice(&c, var->u.var.name, space);
  } else {
    value = NULL;
    if (bridge_operands(&c, conv)) {
      c.out = &before;
      value = convert_call(conv, &c);
    }
  }
  for (size_t i = 0; i < bridges.len; i++) vec_push(out, bridges.data[i]);
  for (size_t i = 0; value && i < before.len; i++) rewrite_stmt(r, before.data[i], out);
  vec_free(&bridges);
  vec_free(&before);
  return value ? rewrite_expr(r, value) : NULL;
}

static void on_assign(BodyConverter *b, Stmt *s, StmtList *out) {
  Rewriter *r = &b->rewriter;
  Expr *var = s->u.assign.var;
  if (!check_reinterpret(r->ir, s->u.assign.value)) return;
  Expr *value = rewrite_expr(r, s->u.assign.value);
  const Op *op = expr_op(value);
  if (!conversion_of(op)) {
    if (!op || may_stay(r->ir, value)) retype_assign(r, s, value, out);
    return;
  }
  Expr *to = convert_value(b, value, var, out);
  if (!to) return;
  Expr *tile = expr_var(r->ir, tile_name(r->ir, var->u.var.name), to->type, var->span);
  map_set(&r->subst, var, tile);
  Stmt *n = stmt_assign(r->ir, tile, to, s->span);
  /* One load is still the same statement, with its comments; conversions make new ones. */
  if (expr_is_op(to, OP_TILE_LOAD) && slice_space(b, value, var) != MEM_NONE) {
    n->comments = s->comments;
    n->ncomments = s->ncomments;
  }
  vec_push(out, n);
}

static void on_eval(BodyConverter *b, Stmt *s, StmtList *out) {
  Rewriter *r = &b->rewriter;
  if (!check_reinterpret(r->ir, s->u.eval)) return;
  Expr *value = rewrite_expr(r, s->u.eval);
  if (conversion_of(expr_op(value))) {
    value = convert_value(b, value, NULL, out);
    if (value) vec_push(out, stmt_eval(r->ir, value, s->span));
    return;
  }
  if (value == s->u.eval) {
    vec_push(out, s);
    return;
  }
  Stmt *n = stmt_copy(r->ir, s);
  n->u.eval = value;
  vec_push(out, n);
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  BodyConverter *b = r->ctx;
  if (r->ir->diag->errors > b->errors) { /* one error a function: what follows would only echo it */
    vec_push(out, s);
    return;
  }
  switch (s->kind) {
    case STMT_ASSIGN: on_assign(b, s, out); break;
    case STMT_EVAL: on_eval(b, s, out); break;
    default: retype_stmt(r, s, out);
  }
}

void body_converter_init(BodyConverter *b, Ir *ir, const Target *target, const Wants *wants) {
  b->target = target;
  b->wants = wants;
  b->errors = ir->diag->errors;
  retype_init(&b->rewriter, ir, b);
  b->rewriter.stmt = on_stmt;
}

void body_converter_free(BodyConverter *b) { rewriter_free(&b->rewriter); }
