/* split_vector_kernel.c -- what the two vector cores of a mixed kernel do; see
 * docs/passes/split-vector-kernel.md. */
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/pass.h"
#include "passes/split_axis/halve.h"
#include "passes/util/clone.h"
#include "passes/util/retype.h"

typedef struct Names {
  Name split, split_aiv, dual, external;
} Names;

typedef struct Kernels {
  Ir *ir;
  const Target *target;
  Names names;
} Kernels;

/* ---------------------------------------------------------------- attributes */

/* `f` with its mode and the mark for both vector cores at the end of its attributes. */
static Function *with_marks(Kernels *k, Function *f, bool on_both) {
  const AttrValue *mode = attr_get(f->attrs, k->names.split);
  AttrList a = attr_without(k->ir, f->attrs, k->names.dual);
  if (mode && mode->u.i != SPLIT_NONE)
    a = attr_with(k->ir, attr_without(k->ir, a, k->names.split), k->names.split, *mode);
  if (on_both) a = attr_with(k->ir, a, k->names.dual, attr_of_bool(true));
  Function *g = func_copy(k->ir, f);
  g->attrs = a;
  return g;
}

static Function *external_kernel(Kernels *k, Function *f) {
  bool has_mode = attr_int(f->attrs, k->names.split, SPLIT_NONE) != SPLIT_NONE;
  bool by_author =
      attr_bool(f->attrs, k->names.split_aiv, false) && !attr_bool(f->attrs, k->names.dual, false);
  return f->type == FUNC_AIV && (has_mode || by_author) ? with_marks(k, f, true) : f;
}

/* ---------------------------------------------------------------- kernels to be cut in halves */

typedef struct FindMode {
  Kernels *k;
  SplitMode mode;     /* of the function, or of the transfers before */
  const Expr *before; /* the transfer that gave it; NULL: the function */
  bool failed;
} FindMode;

static const char *mode_name(SplitMode m) { return m == SPLIT_UP_DOWN ? "up_down" : "left_right"; }

/* The modes of all transfers must agree.  Codes 3 and 4 are modes 1 and 2, for odd extents. */
static bool find_mode(Visitor *v, Expr *e) {
  FindMode *f = v->ctx;
  const Op *op = expr_op(e);
  if (f->failed || !op || (op->cross_role != CROSS_PUSH && op->cross_role != CROSS_POP))
    return !f->failed;
  Diag *diag = f->k->ir->diag;
  int64_t code = attr_int(e->u.call.kwargs, f->k->names.split, SPLIT_NONE);
  if (code == SPLIT_NONE) return true;
  f->failed = true;
  if (code < 0 || code > SPLIT_LEFT_RIGHT + 2) {
    diag_error(diag, e->span,
               "'split' must be 0 (no axis), 1 or 3 (rows), 2 or 4 (columns), not %lld",
               (long long)code);
    return false;
  }
  SplitMode mode = code % 2 ? SPLIT_UP_DOWN : SPLIT_LEFT_RIGHT;
  if (f->mode != SPLIT_NONE && f->mode != mode) {
    diag_error(diag, e->span, "%s is split %s, but its %s %s", op->name, mode_name(mode),
               f->before ? "function's other transfer is split" : "function is split",
               mode_name(f->mode));
    if (f->before) diag_note(diag, f->before->span, "the other transfer is here");
    return false;
  }
  f->failed = false;
  if (f->mode == SPLIT_NONE) f->before = e;
  f->mode = mode;
  return true;
}

static bool note_name(Map *used, const Expr *var) {
  return map_set(used, var->u.var.name, (void *)var->u.var.name);
}
static void note_def(Visitor *v, Expr *var) { note_name(v->ctx, var); }

static Function *halved(Kernels *k, Function *f, SplitMode mode) {
  Ir *ir = k->ir;
  Map used = {0};
  Visitor v = {.ctx = &used, .def = note_def};
  visit_func(&v, f);
  bool vector = f->type == FUNC_AIV;
  Block body;
  bool ok =
      halve_block(ir, f->body, mode, vector ? HALVE_VECTOR : HALVE_CUBE, &used, f->span, &body);
  map_free(&used);
  if (!ok) return NULL;
  Function *g = func_copy(ir, f);
  g->body = body;
  AttrList a = attr_without(ir, attr_without(ir, f->attrs, k->names.dual), k->names.split);
  a = attr_with(ir, a, k->names.split, attr_of_int(mode));
  g->attrs = vector ? attr_with(ir, a, k->names.dual, attr_of_bool(true)) : a;
  return g;
}

/* ---------------------------------------------------------------- core 1 of an unsplit kernel */

static const Type *with_zero_valid(Ir *ir, const Type *t) {
  if (!type_is_tile(t)) return t;
  TileView v = tile_view_of(ir, t);
  v.valid_shape = NEW_ARRAY(ir->arena, Expr *, t->rank);
  v.nvalid = t->rank;
  for (int i = 0; i < t->rank; i++) v.valid_shape[i] = expr_index(ir, 0);
  return type_with_tile_view(ir, t, &v);
}

static Expr *created(Ir *ir, Expr *shape, const Type *t, Span at) {
  AttrList kw = key_with(ir, (AttrList){0}, KEY_DTYPE, attr_of_dtype(t->dtype));
  if (t->space != MEM_NONE)
    kw = key_with(ir, kw, KEY_TARGET_MEMORY, attr_of_enum(ENUM_MEM, t->space));
  return expr_call_op(ir, op_get(ir, OP_TILE_CREATE), &shape, 1, kw, t, at);
}

/* A call whose operands are replaced already, as core 1 makes it. */
static Expr *idle_call(Ir *ir, Expr *call) {
  const Type *t = with_zero_valid(ir, call->type);
  Expr **args = call->u.call.args;
  int n = call->u.call.nargs;
  const Op *op = call->u.call.op;
  switch (op ? op->id : OP_NONE) {
    case OP_TILE_LOAD:
      return type_is_tile(t) && n >= 3 ? created(ir, args[2], t, call->span) : call;
    case OP_TILE_SLICE:
      return type_is_tile(t) && n >= 3 ? created(ir, args[1], t, call->span) : call;
    case OP_TILE_TRANSPOSE:
      return created(ir, expr_tuple(ir, t->shape, t->rank, call->span), t, call->span);
    default: break;
  }
  bool sets = op && op->id == OP_TILE_SET_VALIDSHAPE && n == 3;
  if (t == call->type && !sets) return call;
  Expr *idle = expr_copy(ir, call);
  idle->type = t;
  idle->u.call.attrs = (AttrList){0};
  if (sets) {
    Expr *zero = expr_index(ir, 0);
    Expr *zeros[] = {args[0], zero, zero};
    idle->u.call.args = COPY_ARRAY(ir->arena, Expr *, zeros, 3);
  }
  return idle;
}

static bool is_store(const Expr *e) { return expr_is_op(e, OP_TILE_STORE) && e->u.call.nargs >= 3; }

static void idle_assign(Rewriter *r, Stmt *s, StmtList *out) {
  Expr *value = rewrite_expr(r, s->u.assign.value), *var = s->u.assign.var;
  if (is_store(value)) {
    Expr *tensor = value->u.call.args[2];
    vec_push(out, stmt_assign(r->ir, var, tensor, s->span));
    map_set(&r->subst, var, tensor);
    return;
  }
  value = idle_call(r->ir, value);
  if (type_is_tile(value->type)) {
    Expr *tile = expr_var(r->ir, var->u.var.name, value->type, var->span);
    map_set(&r->subst, var, tile);
    var = tile;
  }
  vec_push(out, stmt_assign(r->ir, var, value, s->span));
}

static void idle_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  if (s->kind == STMT_ASSIGN && s->u.assign.value->kind == EXPR_CALL)
    idle_assign(r, s, out);
  else if (s->kind != STMT_EVAL || s->u.eval->kind != EXPR_CALL)
    retype_stmt(r, s, out);
  else if (!expr_is_op(s->u.eval, OP_TILE_STORE))
    vec_push(out, stmt_eval(r->ir, idle_call(r->ir, rewrite_expr(r, s->u.eval)), s->span));
}

static Block idle_body(Ir *ir, Block b) {
  Rewriter r;
  retype_init(&r, ir, NULL);
  r.stmt = idle_stmt;
  Block idle = rewrite_block(&r, b);
  rewriter_free(&r);
  Map none = {0};
  return clone_block(ir, idle, &none, CLONE_FRESH_DEFS);
}

static bool sets_up_pipes(const Stmt *s) {
  const Expr *call = s->kind == STMT_ASSIGN ? s->u.assign.value
                     : s->kind == STMT_EVAL ? s->u.eval
                                            : NULL;
  const Op *op = call ? expr_op(call) : NULL;
  return op && (op->id == OP_SYSTEM_RESERVE_BUFFER || op->id == OP_SYSTEM_IMPORT_PEER_BUFFER ||
                op->cross_role == CROSS_INIT_PIPE);
}

static Function *for_both_cores(Kernels *k, Function *f) {
  Ir *ir = k->ir;
  StmtList body = {0};
  Expr *index = expr_var(ir, ir_name(ir, "subblock_idx"), type_scalar(ir, DT_INDEX), f->span);
  Expr *get = expr_call_op(ir, op_get(ir, OP_TILE_GET_SUBBLOCK_IDX), NULL, 0, (AttrList){0},
                           index->type, f->span);
  vec_push(&body, stmt_assign(ir, index, get, f->span));
  int shared = 0;
  while (shared < f->body.len && sets_up_pipes(f->body.items[shared]))
    vec_push(&body, f->body.items[shared++]);
  Stmt *choice = stmt_new(ir, STMT_IF, f->span);
  Block rest = block_of(ir, f->body.items + shared, f->body.len - shared);
  choice->u.if_.cond =
      expr_binary(ir, EXPR_EQ, index, expr_int(ir, 0, DT_INDEX, f->span), DT_BOOL, f->span);
  choice->u.if_.then_body = rest;
  choice->u.if_.else_body = idle_body(ir, rest);
  choice->u.if_.has_else = true;
  vec_push(&body, choice);
  Function *g = func_copy(ir, f);
  g->body = block_take(ir, &body);
  return g;
}

/* ---------------------------------------------------------------- functions */

static Function *on_func(void *ctx, Function *f) {
  Kernels *k = ctx;
  bool core = f->type == FUNC_AIV || f->type == FUNC_AIC;
  if (attr_get(f->attrs, k->names.external)) return external_kernel(k, f);
  if (!core) return f;
  if (attr_bool(f->attrs, k->names.split_aiv, false)) return with_marks(k, f, f->type == FUNC_AIV);
  FindMode find = {.k = k, .mode = (SplitMode)attr_int(f->attrs, k->names.split, SPLIT_NONE)};
  Visitor v = {.ctx = &find, .expr = find_mode};
  visit_block(&v, f->body);
  if (find.failed) return NULL;
  if (find.mode != SPLIT_NONE) return halved(k, f, find.mode);
  bool both = f->type == FUNC_AIV && k->target->dual_vector_without_split &&
              attr_bool(f->attrs, k->names.dual, false);
  return both ? for_both_cores(k, f) : f;
}

Program *split_vector_kernel(PassCtx *ctx, Program *p) {
  Ir *ir = ctx->ir;
  Kernels k = {.ir = ir,
               .target = ctx->opts->target,
               .names = {key_name(KEY_SPLIT), key_name(KEY_SPLIT_AIV),
                         key_name(KEY_DUAL_AIV_DISPATCH), key_name(KEY_EXTERNAL_SOURCE)}};
  return rewrite_program(ir, p, on_func, &k);
}
