#include "passes/tensor_to_tile/fill.h"

#include "ir/op.h"
#include "ir/ops/deduce_common.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/util/auto_name.h"

/* ---------------------------------------------------------------- staged initialisation */

/* staging = full(..); target = assemble(param, staging, zeros) */
typedef struct Staged {
  int at; /* index of the assemble */
  Expr *target, *staging;
  bool safe;
  int writes;
} Staged;

typedef struct Staging {
  Ir *ir;
  VEC(Staged) list;
  Map by_target, by_staging; /* variable -> 1 + index */
  Map defining;              /* the statements themselves, whose uses do not count */
} Staging;

static bool is_plain_var(const Expr *e) {
  return e->kind == EXPR_VAR && e->type->kind == TYPE_TENSOR && !e->type->tensor_view;
}

static bool all_zero(const Expr *tuple, int n) {
  if (tuple->kind != EXPR_TUPLE || tuple->u.tuple.len != n) return false;
  for (int i = 0; i < n; i++)
    if (!extent_is_const(tuple->u.tuple.elems[i], 0)) return false;
  return true;
}

static bool same_tensor(const Type *a, const Type *b) {
  return a->dtype == b->dtype && dims_equivalent(dims_of(a), dims_of(b));
}

static bool is_param(const Function *f, const Expr *e) {
  for (int i = 0; i < f->nparams; i++)
    if (f->params[i] == e) return true;
  return false;
}

/* Does statement `i` assemble what the statement before it made? */
static bool is_staged(const Function *f, Block b, int i) {
  const Stmt *full = b.items[i - 1], *put = b.items[i];
  if (full->kind != STMT_ASSIGN || put->kind != STMT_ASSIGN) return false;
  const Expr *value = put->u.assign.value, *target = put->u.assign.var;
  if (!expr_is_op(full->u.assign.value, OP_TENSOR_FULL) || !expr_is_op(value, OP_TENSOR_ASSEMBLE))
    return false;
  if (value->u.call.nargs != 3 || value->u.call.args[1] != full->u.assign.var) return false;
  const Expr *into = value->u.call.args[0], *staging = value->u.call.args[1];
  return is_plain_var(into) && is_plain_var(target) && is_plain_var(staging) && is_param(f, into) &&
         same_tensor(target->type, into->type) && same_tensor(target->type, staging->type) &&
         all_zero(value->u.call.args[2], target->type->rank);
}

static Staged *staged_of(Staging *st, const Map *m, const Expr *e) {
  intptr_t i = map_get_int(m, e);
  return i ? &st->list.data[i - 1] : NULL;
}

/* A write to a target counts for it; every other mention speaks against. */
static bool on_use(Visitor *v, Expr *e) {
  Staging *st = v->ctx;
  if (e->kind == EXPR_VAR) {
    Staged *s = staged_of(st, &st->by_target, e);
    if (!s) s = staged_of(st, &st->by_staging, e);
    if (s) s->safe = false;
  }
  if (expr_is_op(e, OP_TENSOR_WRITE)) {
    Staged *s = staged_of(st, &st->by_target, e->u.call.args[0]);
    if (!s) return true;
    s->writes++;
    for (int i = 1; i < e->u.call.nargs; i++) visit_expr(v, e->u.call.args[i]);
    return false;
  }
  return true;
}

static bool on_stmt(Visitor *v, Stmt *s) {
  Staging *st = v->ctx;
  if (map_has(&st->defining, s)) return false;
  if (s->kind != STMT_RETURN) return true;
  for (int i = 0; i < s->u.ret.len; i++)
    if (!map_has(&st->by_target, s->u.ret.values[i])) visit_expr(v, s->u.ret.values[i]);
  return false;
}

static void find_staged(Staging *st, const Function *f, Block b) {
  for (int i = 1; i + 1 < b.len; i++) {
    if (!is_staged(f, b, i)) continue;
    Expr *target = b.items[i]->u.assign.var, *staging = b.items[i - 1]->u.assign.var;
    if (map_has(&st->by_target, target) || map_has(&st->by_staging, staging)) continue;
    vec_push(&st->list, (Staged){i, target, staging, true, 0});
    map_set(&st->by_target, target, map_int((intptr_t)st->list.len));
    map_set(&st->by_staging, staging, map_int((intptr_t)st->list.len));
    map_set(&st->defining, b.items[i], map_int(1));
    map_set(&st->defining, b.items[i - 1], map_int(1));
  }
}

static Expr *redirect_write(Rewriter *r, Expr *e) {
  Expr *n = rewrite_expr_children(r, e);
  Staging *st = r->ctx;
  if (!expr_is_op(n, OP_TENSOR_WRITE)) return n;
  Staged *s = staged_of(st, &st->by_target, n->u.call.args[0]);
  if (!s || !s->safe || !s->writes) return n;
  Expr *to = expr_copy(r->ir, n);
  to->u.call.args = COPY_ARRAY(r->ir->arena, Expr *, n->u.call.args, n->u.call.nargs);
  to->u.call.args[0] = s->staging;
  return to;
}

static Block rebuild(Staging *st, Block b) {
  Rewriter r;
  rewriter_init(&r, st->ir, st);
  r.expr = redirect_write;
  StmtList out = {0};
  size_t next = 0;
  for (int i = 0; i + 1 < b.len; i++) {
    while (next < st->list.len && st->list.data[next].at < i) next++;
    bool moved = next < st->list.len && st->list.data[next].at == i && st->list.data[next].safe &&
                 st->list.data[next].writes;
    if (!moved) rewrite_stmt(&r, b.items[i], &out);
  }
  for (size_t k = 0; k < st->list.len; k++)
    if (st->list.data[k].safe && st->list.data[k].writes)
      vec_push(&out, b.items[st->list.data[k].at]);
  rewrite_stmt(&r, b.items[b.len - 1], &out);
  rewriter_free(&r);
  return block_take(st->ir, &out);
}

Block stage_initialisations(Ir *ir, const Function *f, Block body) {
  if (body.len < 3 || body.items[body.len - 1]->kind != STMT_RETURN) return body;
  Staging st = {.ir = ir};
  find_staged(&st, f, body);
  if (st.list.len) {
    Visitor v = {.ctx = &st, .expr = on_use, .stmt = on_stmt};
    visit_block(&v, body);
  }
  bool any = false;
  for (size_t i = 0; i < st.list.len; i++) any |= st.list.data[i].safe && st.list.data[i].writes;
  if (any) body = rebuild(&st, body);
  vec_free(&st.list);
  map_free(&st.by_target);
  map_free(&st.by_staging);
  map_free(&st.defining);
  return body;
}

/* ---------------------------------------------------------------- constant fill loops */

static bool find_var(Visitor *v, Expr *e) {
  if (e == *(Expr **)v->ctx) *(Expr **)v->ctx = NULL;
  return true;
}

static bool mentions(Expr *e, Expr *var) {
  Visitor v = {.ctx = &var, .expr = find_var};
  visit_expr(&v, e);
  return !var;
}

/* What must be added to the loop variable to get `index`; NULL if it is not of that form. */
static Expr *base_of_index(Ir *ir, Expr *index, Expr *var, Span span) {
  if (index == var) return expr_int(ir, 0, DT_INDEX, span);
  if (index->kind != EXPR_ADD) return NULL;
  Expr *lhs = index->u.bin.lhs, *rhs = index->u.bin.rhs;
  if (lhs == var && !mentions(rhs, var)) return rhs;
  if (rhs == var && !mentions(lhs, var)) return lhs;
  return NULL;
}

typedef struct FillWrite {
  const Expr *call;
  Dims offsets; /* the indices with the loop variable as 0 */
  int axis;     /* the index that varies */
} FillWrite;

static bool is_constant(const Expr *e) { return e->kind == EXPR_INT || e->kind == EXPR_FLOAT; }

static bool read_fill(Ir *ir, const Stmt *s, Expr *var, int64_t count, FillWrite *w) {
  if (s->kind != STMT_EVAL || !expr_is_op(s->u.eval, OP_TENSOR_WRITE)) return false;
  const Expr *call = s->u.eval;
  const Type *t = call->u.call.args[0]->type;
  const Expr *at = call->u.call.args[1];
  if (call->u.call.nargs != 3 || !is_constant(call->u.call.args[2]) || t->kind != TYPE_TENSOR ||
      at->kind != EXPR_TUPLE || at->u.tuple.len != t->rank)
    return false;
  *w = (FillWrite){.call = call, .offsets = dims_new(ir, t->rank), .axis = -1};
  for (int i = 0; i < t->rank; i++) {
    Expr *index = at->u.tuple.elems[i];
    w->offsets.at[i] = index;
    if (!mentions(index, var)) continue;
    if (w->axis >= 0 || !(w->offsets.at[i] = base_of_index(ir, index, var, call->span)))
      return false;
    w->axis = i;
  }
  int64_t bits;
  if (w->axis < 0 || __builtin_mul_overflow(count, (int64_t)dtype_bits(t->dtype), &bits) ||
      bits % 256)
    return false;
  for (int i = w->axis + 1; i < t->rank; i++)
    if (!extent_is_const(t->shape[i], 1) || !extent_is_const(w->offsets.at[i], 0)) return false;
  return true;
}

/* Several writes keep their order per element only if they go through the tensors alike. */
static bool goes_alike(const FillWrite *a, const FillWrite *b) {
  const Type *t = a->call->u.call.args[0]->type, *u = b->call->u.call.args[0]->type;
  const Expr *i = a->call->u.call.args[1], *k = b->call->u.call.args[1];
  return !t->tensor_view && !u->tensor_view && same_tensor(t, u) &&
         dims_equivalent((Dims){i->u.tuple.elems, i->u.tuple.len},
                         (Dims){k->u.tuple.elems, k->u.tuple.len});
}

static Expr *bind(Ir *ir, Name base, const char *suffix, Expr *value, StmtList *out) {
  if (!value) return NULL;
  Name name = auto_name_build(ir, base, ir_name(ir, ""), suffix, -1);
  Expr *var = expr_var(ir, name, value->type, value->span);
  vec_push(out, stmt_assign(ir, var, value, value->span));
  return var;
}

static void emit_fill(Ir *ir, const FillWrite *w, int64_t count, StmtList *out) {
  Span span = w->call->span;
  Expr *target = w->call->u.call.args[0];
  const Type *t = target->type;
  Expr **dims = NEW_ARRAY(ir->arena, Expr *, t->rank);
  for (int i = 0; i < t->rank; i++)
    dims[i] = expr_int(ir, i == w->axis ? count : 1, DT_INDEX, span);
  Expr *flat[] = {expr_int(ir, 1, DT_INDEX, span), expr_int(ir, count, DT_INDEX, span)};
  AttrList kw = key_with(ir, (AttrList){0}, KEY_DTYPE, attr_of_dtype(t->dtype));
  Expr *full_args[] = {expr_tuple(ir, flat, 2, span), w->call->u.call.args[2]};
  Name base =
      auto_name_parse(ir, target->kind == EXPR_VAR ? target->u.var.name : ir_name(ir, "fill")).base;
  Expr *full = bind(ir, base, "scalar_fill_storage",
                    op_call(ir, op_get(ir, OP_TENSOR_FULL), full_args, 2, kw, span), out);
  if (!full) return;
  Expr *shape_args[] = {full, expr_tuple(ir, dims, t->rank, span)};
  Expr *shaped =
      bind(ir, base, "scalar_fill",
           op_call(ir, op_get(ir, OP_TENSOR_RESHAPE), shape_args, 2, (AttrList){0}, span), out);
  if (!shaped) return;
  Expr *put_args[] = {target, shaped, expr_tuple(ir, w->offsets.at, w->offsets.n, span)};
  Expr *put = op_call(ir, op_get(ir, OP_TENSOR_ASSEMBLE), put_args, 3, (AttrList){0}, span);
  if (put) vec_push(out, stmt_eval(ir, put, span));
}

static bool is_counted(const Stmt *s, int64_t *count) {
  return s->kind == STMT_FOR && s->u.loop.kind == FOR_RANGE &&
         extent_is_const(s->u.loop.start, 0) && extent_is_const(s->u.loop.step, 1) &&
         expr_const_int(s->u.loop.stop, count) && *count > 0 && !s->u.loop.ncarried &&
         !s->u.loop.nresults && !s->u.loop.attrs.len && s->u.loop.body.len;
}

static bool rewrite_fill(Ir *ir, Stmt *s, StmtList *out) {
  int64_t count;
  if (!is_counted(s, &count)) return false;
  Block body = s->u.loop.body;
  FillWrite *writes = NEW_ARRAY(ir->arena, FillWrite, body.len);
  for (int i = 0; i < body.len; i++)
    if (!read_fill(ir, body.items[i], s->u.loop.var, count, &writes[i]) ||
        (i && !goes_alike(&writes[0], &writes[i])))
      return false;
  for (int i = 0; i < body.len; i++) emit_fill(ir, &writes[i], count, out);
  return true;
}

static void on_loop(Rewriter *r, Stmt *s, StmtList *out) {
  Stmt *n = rewrite_stmt_children(r, s);
  if (!rewrite_fill(r->ir, n, out)) vec_push(out, n);
}

Block fill_loops_to_stores(Ir *ir, Block body) {
  Rewriter r;
  rewriter_init(&r, ir, NULL);
  r.stmt = on_loop;
  Block b = rewrite_block(&r, body);
  rewriter_free(&r);
  return b;
}
