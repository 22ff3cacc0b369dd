/* flatten_tile_nd_to_2d.c -- tiles of more dimensions become matrices; see
 * docs/passes/flatten-tile-nd-to-2d.md.  The parts are in flatten/. */
#include "ir/op.h"
#include "passes/flatten/flatten.h"
#include "passes/pass.h"

/* `s` with a new value: a new variable of its type, which keeps the memory the old one had. */
static bool rebind(Flatten *f, const Stmt *s, Expr *value, StmtList *out) {
  if (!value) return false;
  Expr *old = s->u.assign.var;
  if (old->type->memref && !value->type->memref && type_is_shaped(value->type)) {
    value = expr_copy(f->ir, value);
    value->type = type_with_memref(f->ir, value->type, old->type->memref);
  }
  Expr *var = flat_bind(f, old->u.var.name, value, old->span, s->span, out);
  map_set(&f->r->subst, old, var);
  return true;
}

static bool keep(Stmt *s, StmtList *out) {
  vec_push(out, s);
  return true;
}

static Expr **rewritten_args(Flatten *f, const Expr *call, int more) {
  Expr **args = NEW_ARRAY(f->ir->arena, Expr *, call->u.call.nargs + more);
  for (int i = 0; i < call->u.call.nargs; i++) args[i] = rewrite_expr(f->r, call->u.call.args[i]);
  return args;
}

/* ---------------------------------------------------------------- loads and stores */

static bool is_natural_mat(Flatten *f, const Type *t, bool assume_mat) {
  if (t->space != MEM_MAT && !assume_mat) return false;
  TileView v = t->tile_view ? *t->tile_view
                            : tile_view_implied(f->ir, t->shape, t->rank, t->dtype,
                                                assume_mat ? MEM_MAT : t->space);
  return v.blayout == TILE_LAYOUT_COL_MAJOR && v.slayout == TILE_LAYOUT_ROW_MAJOR;
}

static const Type *flat_load_type(Flatten *f, const Stmt *s, const Expr *load, MemSpace space) {
  const Type *t = load->type;
  Span at = load->span;
  Expr *dims[2], *valid[2];
  if (!flat_shape(f, dims_of(t), load->u.call.op->name, at, dims)) return NULL;
  Type n = *t;
  n.shape = dims;
  n.rank = 2;
  n.space = space;
  if (s->u.assign.var->type->memref) n.memref = s->u.assign.var->type->memref;
  TileView v;
  if (t->tile_view) {
    v = *t->tile_view;
    v.stride = NULL;
    v.nstride = 0;
    v.start_offset = NULL;
    if (v.nvalid == t->rank) {
      flat_valid(f, (Dims){v.valid_shape, v.nvalid}, at, valid);
      v.valid_shape = valid;
      v.nvalid = 2;
    } else {
      v.nvalid = 0;
    }
    n.tile_view = &v;
  }
  return type_intern(f->ir, &n);
}

/* The source seen as a matrix, and the window in it. */
static bool collapse_source(Flatten *f, const Stmt *s, const Expr *call, Expr **args, int nargs,
                            StmtList *out) {
  Ir *ir = f->ir;
  Span at = call->span;
  Dims part[3]; /* offsets, shapes, valid shape */
  for (int i = 0; i < 3; i++) {
    Expr *tuple = args[i + 1 < nargs ? i + 1 : nargs - 1];
    part[i] =
        tuple->kind == EXPR_TUPLE ? (Dims){tuple->u.tuple.elems, tuple->u.tuple.len} : (Dims){0};
  }
  Dims shape = dims_of(args[0]->type);
  if (part[0].n != shape.n || part[1].n != shape.n || part[2].n != shape.n) {
    diag_error(ir->diag, at, "%s: the window must have the dimensions of the tensor",
               call->u.call.op->name);
    return false;
  }
  if (!is_row_band(part[2], shape)) {
    diag_error(ir->diag, at, "%s: the part %s of a tensor %s is not one band of rows",
               call->u.call.op->name, dims_str(ir, part[2]), dims_str(ir, shape));
    return false;
  }
  Name name = name_printf(&ir->names, "%s_view2d", s->u.assign.var->u.var.name);
  Expr *view = flat_bind(f, name, matrix_view(f, args[0], at), at, s->span, out);
  if (!view) return false;
  Expr *corner[] = {collapse_row(f, part[0], shape, at), part[0].at[part[0].n - 1]}, *flat[2];
  args[0] = view;
  args[1] = expr_tuple(ir, corner, 2, at);
  for (int i = 1; i < 3; i++) {
    collapse_dims(f, part[i], at, flat);
    args[i + 1] = expr_tuple(ir, flat, 2, at);
  }
  return true;
}

static bool flatten_load(Flatten *f, Stmt *s, StmtList *out) {
  const Expr *call = s->u.assign.value;
  Ir *ir = f->ir;
  Expr **args = rewritten_args(f, call, 1);
  int nargs = call->u.call.nargs;
  if (!is_nd(call->type)) {
    Expr *load = flat_op(f, OP_TILE_LOAD, args, nargs, call->u.call.kwargs, call->span);
    if (load) load->u.call.attrs = call->u.call.attrs;
    return rebind(f, s, load, out);
  }
  Name target_memory = key_name(KEY_TARGET_MEMORY);
  bool for_mat = map_has(&f->here->batch_only, s->u.assign.var) &&
                 !attr_get(call->u.call.kwargs, target_memory) && call->type->space != MEM_MAT;
  MemSpace space = for_mat ? MEM_MAT : call->type->space;
  const Type *type = flat_load_type(f, s, call, space);
  if (!type) return false;
  bool in_boxes = flatten_is_nz(call->u.call.args[0]->type); /* it is no matrix row by row */
  if (is_natural_mat(f, call->type, for_mat) && !in_boxes) {
    if (!collapse_source(f, s, call, args, nargs, out)) return false;
    if (nargs < 4) nargs = 4;
  }
  AttrList kw = call->u.call.kwargs;
  if (for_mat) kw = attr_with(ir, kw, target_memory, attr_of_enum(ENUM_MEM, MEM_MAT));
  Expr *load = expr_call_op(ir, call->u.call.op, args, nargs, kw, type, call->span);
  load->u.call.attrs = call->u.call.attrs;
  return rebind(f, s, load, out);
}

/* The call of tile.store with a matrix; NULL after an error. */
static Expr *store_of_matrix(Flatten *f, const Stmt *s, const Expr *call, StmtList *out) {
  Ir *ir = f->ir;
  Expr **args = rewritten_args(f, call, 1);
  int nargs = call->u.call.nargs;
  if (is_nd(args[0]->type)) {
    Expr *dims[2];
    if (!flat_shape(f, dims_of(args[0]->type), call->u.call.op->name, call->span, dims))
      return NULL;
    Expr *reshape[] = {args[0], expr_tuple(ir, dims, 2, call->span)};
    args[0] = flat_bind(f, ir_name(ir, "flat_tile"),
                        flat_op(f, OP_TILE_RESHAPE, reshape, 2, (AttrList){0}, call->span),
                        call->span, s->span, out);
    if (!args[0]) return NULL;
  }
  const Type *tile = call->u.call.args[0]->type, *tensor = args[2]->type;
  if (type_is_tile(tile) && tensor->kind == TYPE_TENSOR && tensor->rank > 2 && nargs == 3) {
    int rank = tensor->rank > tile->rank ? tensor->rank : tile->rank;
    Expr **part = NEW_ARRAY(ir->arena, Expr *, rank);
    for (int i = 0; i < rank; i++)
      part[i] = i < rank - tile->rank ? expr_index(ir, 1) : tile->shape[i - (rank - tile->rank)];
    args[nargs++] = expr_tuple(ir, part, rank, call->span);
  }
  return expr_call_op(ir, call->u.call.op, args, nargs, call->u.call.kwargs, tensor, call->span);
}

static bool flatten_store(Flatten *f, Stmt *s, StmtList *out) {
  return rebind(f, s, store_of_matrix(f, s, s->u.assign.value, out), out);
}

/* ---------------------------------------------------------------- other statements */

static bool flatten_create(Flatten *f, Stmt *s, StmtList *out) {
  const Expr *call = s->u.assign.value;
  Expr *dims[2];
  if (!flat_shape(f, dims_of(call->type), call->u.call.op->name, call->span, dims)) return false;
  Expr **args = rewritten_args(f, call, 0);
  args[0] = expr_tuple(f->ir, dims, 2, call->span);
  return rebind(
      f, s,
      flat_op(f, call->u.call.op->id, args, call->u.call.nargs, call->u.call.kwargs, call->span),
      out);
}

static bool flatten_assemble(Flatten *f, Stmt *s, StmtList *out) {
  const Expr *call = s->u.assign.value;
  Expr **args = rewritten_args(f, call, 0);
  Dims offsets = {args[2]->u.tuple.elems, args[2]->u.tuple.len};
  Expr *corner[] = {collapse_row(f, offsets, dims_of(call->u.call.args[0]->type), call->span),
                    offsets.at[offsets.n - 1]};
  args[2] = expr_tuple(f->ir, corner, 2, call->span);
  return rebind(f, s, flat_op(f, OP_TILE_ASSEMBLE, args, 3, call->u.call.kwargs, call->span), out);
}

/* Typed anew if an operand changed. */
static bool flatten_other(Flatten *f, Stmt *s, StmtList *out) {
  const Expr *call = s->u.assign.value;
  Expr **args = rewritten_args(f, call, 0);
  int n = call->u.call.nargs;
  bool changed = false;
  for (int i = 0; i < n; i++) changed |= args[i] != call->u.call.args[i];
  if (!changed) return keep(s, out);
  if (call->u.call.op->family == FAMILY_TILE)
    return rebind(f, s, flat_op(f, call->u.call.op->id, args, n, call->u.call.kwargs, call->span),
                  out);
  Expr *same =
      expr_call_op(f->ir, call->u.call.op, args, n, call->u.call.kwargs, call->type, call->span);
  return rebind(f, s, same, out);
}

static bool is_folded_away(Flatten *f, const Stmt *s) {
  const Expr *call = s->u.assign.value, *var = s->u.assign.var;
  if (map_has(&f->here->dropped, var)) return true;
  if (!map_has(&f->here->batch_only, var)) return false;
  if (expr_is_op(call, OP_TILE_TRANSPOSE)) return true;
  return flatten_is_safe_reshape(call);
}

static bool flatten_assign(Flatten *f, Stmt *s, int index, StmtList *out) {
  const Expr *call = s->u.assign.value;
  const Op *op = expr_op(call);
  if (is_folded_away(f, s)) return true;
  if (!op) {
    Expr *value = rewrite_expr(f->r, s->u.assign.value);
    return value == s->u.assign.value ? keep(s, out) : rebind(f, s, value, out);
  }
  switch (op->id) {
    case OP_PLD_TILE_REMOTE_LOAD: {
      Expr *value = rewrite_expr(f->r, s->u.assign.value);
      return value == s->u.assign.value ? keep(s, out) : rebind(f, s, value, out);
    }
    case OP_TILE_LOAD: return flatten_load(f, s, out);
    case OP_TILE_STORE: return flatten_store(f, s, out);
    case OP_TILE_CREATE:
    case OP_TILE_FULL:
      if (is_nd(call->type)) return flatten_create(f, s, out);
      return keep(s, out);
    case OP_TILE_BATCH_MATMUL: return flatten_batch_matmul(f, s, index, out);
    case OP_TILE_BATCH_MATMUL_ACC: return flatten_batch_matmul_acc(f, s, out);
    case OP_TILE_TRANSPOSE:
      if (is_nd(call->u.call.args[0]->type) || call->u.call.nargs == 3)
        return flatten_transpose(f, s, out);
      return flatten_other(f, s, out);
    case OP_TILE_ASSEMBLE:
      if (is_nd(call->u.call.args[0]->type)) return flatten_assemble(f, s, out);
      return flatten_other(f, s, out);
    default: return flatten_other(f, s, out);
  }
}

static void flatten_eval(Flatten *f, Stmt *s, StmtList *out) {
  if (expr_is_op(s->u.eval, OP_TILE_STORE) && s->u.eval->u.call.args[2]->type->rank > 2) {
    Expr *store = store_of_matrix(f, s, s->u.eval, out);
    if (store) vec_push(out, stmt_eval(f->ir, store, s->span));
    return;
  }
  Expr *value = rewrite_expr(f->r, s->u.eval);
  const Op *op = expr_op(value);
  if (value == s->u.eval) {
    vec_push(out, s);
    return;
  }
  if (op && op->family == FAMILY_TILE)
    value = op_call(f->ir, op, value->u.call.args, value->u.call.nargs, value->u.call.kwargs,
                    value->span);
  if (value) vec_push(out, stmt_eval(f->ir, value, s->span));
}

static void flatten_values(Flatten *f, Stmt *s, StmtList *out) {
  Expr **values = NEW_ARRAY(f->ir->arena, Expr *, s->u.ret.len);
  for (int i = 0; i < s->u.ret.len; i++) values[i] = rewrite_expr(f->r, s->u.ret.values[i]);
  vec_push(out, s->kind == STMT_RETURN ? stmt_return(f->ir, values, s->u.ret.len, s->span)
                                       : stmt_yield(f->ir, values, s->u.ret.len, s->span));
}

static Block flatten_block(Flatten *f, Block b);

/* Compound statements: their blocks one by one, so that each gets its own facts. */
static Block on_block(Rewriter *r, Block b) { return flatten_block(r->ctx, b); }

static Block flatten_block(Flatten *f, Block b) {
  FlattenBlock here, *outer = f->here;
  flatten_block_init(&here, f->target, f->ir, b);
  f->here = &here;
  StmtList out = {0};
  int errors = f->ir->diag->errors;
  for (int i = 0; i < b.len && f->ir->diag->errors == errors; i++) {
    Stmt *s = b.items[i];
    f->skip_next = false;
    switch (s->kind) {
      case STMT_ASSIGN: flatten_assign(f, s, i, &out); break;
      case STMT_EVAL: flatten_eval(f, s, &out); break;
      case STMT_RETURN:
      case STMT_YIELD: flatten_values(f, s, &out); break;
      default: retype_stmt(f->r, s, &out);
    }
    if (f->skip_next) i++;
  }
  f->skip_next = false;
  f->here = outer;
  flatten_block_free(&here);
  return block_take(f->ir, &out);
}

static Function *on_func(void *ctx, Function *func) {
  PassCtx *pass = ctx;
  if (!func_is_incore(func->type)) return func;
  if (!flatten_check(pass->ir, func)) return NULL;
  Rewriter r;
  Flatten f = {.r = &r, .ir = pass->ir, .target = pass->opts->target};
  retype_init(&r, pass->ir, &f);
  r.block = on_block;
  int errors = pass->ir->diag->errors;
  Function *n = func_copy(pass->ir, func);
  n->body = flatten_block(&f, func->body);
  rewriter_free(&r);
  return pass->ir->diag->errors == errors ? n : NULL;
}

Program *flatten_tile_nd_to_2d(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, on_func, ctx);
}
