/* equal.c -- structural equality of programs.
 *
 * Two maps hold which variable of one side stands for which of the other;
 * they grow where variables are bound.  A variable that is bound nowhere, a
 * dynamic dimension or an allocation that only types name, is matched where it
 * is met first.  Nothing is written while the sides agree; on the way back from
 * the first difference each level puts its part of the path in front.
 */
#include "ir/equal.h"

#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "ir/op.h"
#include "ir/print.h"
#include "ir/view.h"

typedef struct Eq {
  Ir *ir;
  Map to_b, to_a;
  VEC(const char *) path; /* innermost first */
  const char *reason;
  int in_type;
  bool in_loop_form; /* the next scope is the only statement of for i in pl.spmd(n) */
  bool in_offset;    /* of a memory reference: INT64 and INDEX are alike there */
} Eq;

static bool differ(Eq *q, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool differ(Eq *q, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  if (!q->reason) q->reason = arena_vprintf(q->ir->arena, fmt, ap);
  va_end(ap);
  return false;
}

/* Adds a step of the path when what lies below it differs. */
static bool under(Eq *q, bool equal, const char *step) {
  if (!equal) vec_push(&q->path, step);
  return equal;
}

static bool under_item(Eq *q, bool equal, const char *list, int i) {
  return equal || under(q, false, arena_printf(q->ir->arena, "%s[%d]", list, i));
}

static bool eq_int(Eq *q, int64_t a, int64_t b, const char *what) {
  return a == b || under(q, differ(q, "%" PRId64 " and %" PRId64, a, b), what);
}

static bool eq_enum(Eq *q, EnumId id, int a, int b, const char *what) {
  if (a == b) return true;
  return under(q, differ(q, "'%s' and '%s'", enum_name(id, a), enum_name(id, b)), what);
}

static bool eq_name(Eq *q, Name a, Name b, const char *what) {
  if (a == b) return true;
  return under(q, differ(q, "'%s' and '%s'", a ? a : "", b ? b : ""), what);
}

static bool eq_expr(Eq *q, const Expr *a, const Expr *b);
/* What the text tells of a type. */
typedef enum Told {
  ALL,
  ALL_BUT_PLACE, /* not where it lies */
  BY_VALUE, /* nothing: reading takes the type of a value, of which a pass may have changed extents */
} Told;

static bool eq_type(Eq *q, const Type *a, const Type *b, Told told);

/* ---------------------------------------------------------------- variables */

static bool bind(Eq *q, const Expr *a, const Expr *b) {
  const Expr *known_b = map_get(&q->to_b, a), *known_a = map_get(&q->to_a, b);
  if (known_b == b && known_a == a) return true;
  /* A dimension and a variable of its name are one in the text of types. */
  if ((known_b || known_a) && q->in_type && a->u.var.name == b->u.var.name) return true;
  if (known_b || known_a)
    return differ(q, "variables '%s' and '%s', which stand for others", a->u.var.name,
                  b->u.var.name);
  map_set(&q->to_b, a, (void *)b);
  map_set(&q->to_a, b, (void *)a);
  return true;
}

/* Nothing in the text tells a loop variable or an offset of type INT64 from one of type INDEX. */
static bool index_types_agree(const Type *a, const Type *b) {
  return a->kind == TYPE_SCALAR && b->kind == TYPE_SCALAR &&
         (a->dtype == DT_INDEX || a->dtype == DT_INT64) &&
         (b->dtype == DT_INDEX || b->dtype == DT_INT64);
}

static bool eq_def(Eq *q, const Expr *a, const Expr *b, const char *what) {
  return under(q, eq_type(q, a->type, b->type, ALL) && bind(q, a, b), what);
}

static bool eq_defs(Eq *q, Expr *const *a, int na, Expr *const *b, int nb, Told told,
                    const char *what) {
  if (na != nb) return eq_int(q, na, nb, what);
  for (int i = 0; i < na; i++) {
    bool same = under(q, eq_type(q, a[i]->type, b[i]->type, told) && bind(q, a[i], b[i]), "type");
    if (!under_item(q, same, what, i)) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- types */

static bool eq_exprs(Eq *q, Expr *const *a, int na, Expr *const *b, int nb, const char *what) {
  if (na != nb) return eq_int(q, na, nb, what);
  for (int i = 0; i < na; i++)
    if (!under_item(q, eq_expr(q, a[i], b[i]), what, i)) return false;
  return true;
}

static bool eq_optional(Eq *q, const Expr *a, const Expr *b, const char *what) {
  if (!a && !b) return true;
  if (!a || !b) return under(q, differ(q, "only one side has it"), what);
  return under(q, eq_expr(q, a, b), what);
}

static bool eq_tensor_view(Eq *q, const TensorView *a, const TensorView *b) {
  if (a == b) return true;
  if (!a || !b) return differ(q, "only one side has a TensorView");
  return eq_enum(q, ENUM_LAYOUT, a->layout, b->layout, "layout") &&
         eq_enum(q, ENUM_PAD, a->pad, b->pad, "pad") &&
         eq_exprs(q, a->stride, a->nstride, b->stride, b->nstride, "stride") &&
         eq_exprs(q, a->valid_shape, a->nvalid, b->valid_shape, b->nvalid, "valid_shape");
}

static bool eq_tile_view(Eq *q, const TileView *a, const TileView *b) {
  if (a == b) return true;
  if (!a || !b) return differ(q, "only one side has a TileView");
  return eq_enum(q, ENUM_TILE_LAYOUT, a->blayout, b->blayout, "blayout") &&
         eq_enum(q, ENUM_TILE_LAYOUT, a->slayout, b->slayout, "slayout") &&
         eq_int(q, a->fractal, b->fractal, "fractal") &&
         eq_enum(q, ENUM_PAD, a->pad, b->pad, "pad") &&
         eq_enum(q, ENUM_COMPACT, a->compact, b->compact, "compact") &&
         eq_optional(q, a->start_offset, b->start_offset, "start_offset") &&
         eq_exprs(q, a->stride, a->nstride, b->stride, b->nstride, "stride") &&
         eq_exprs(q, a->valid_shape, a->nvalid, b->valid_shape, b->nvalid, "valid_shape");
}

/* Without compactness and valid extents. */
static bool eq_view_by_value(Eq *q, const Type *a, const Type *b) {
  if (a->tile_view == b->tile_view || a->kind != TYPE_TILE)
    return eq_tile_view(q, a->tile_view, b->tile_view);
  TileView x = tile_view_of(q->ir, a), y = tile_view_of(q->ir, b);
  x.compact = y.compact = COMPACT_NULL;
  x.nvalid = y.nvalid = 0;
  return eq_tile_view(q, &x, &y);
}

/* An offset is computed as INDEX whatever its terms are; the text has only the terms. */
static bool eq_offset(Eq *q, const Expr *a, const Expr *b) {
  int64_t x, y;
  if (a && b && expr_const_int(a, &x) && expr_const_int(b, &y)) return eq_int(q, x, y, "offset");
  q->in_offset = true;
  bool same = eq_optional(q, a, b, "offset");
  q->in_offset = false;
  return same;
}

static bool eq_memref(Eq *q, const MemRef *a, const MemRef *b) {
  if (a == b) return true;
  if (!a || !b) return differ(q, "only one side has a MemRef");
  return under(q, bind(q, a->base, b->base), "base") && eq_offset(q, a->offset, b->offset) &&
         eq_int(q, (int64_t)a->size, (int64_t)b->size, "size") &&
         eq_int(q, a->pinned, b->pinned, "pinned") &&
         eq_int(q, (int64_t)a->slots, (int64_t)b->slots, "slots") &&
         eq_optional(q, a->slot, b->slot, "slot");
}

static bool eq_views(Eq *q, const Type *a, const Type *b, Told told) {
  if (told == BY_VALUE) return under(q, eq_view_by_value(q, a, b), "tile_view");
  return under(q, eq_tensor_view(q, a->tensor_view, b->tensor_view), "tensor_view") &&
         under(q, eq_tile_view(q, a->tile_view, b->tile_view), "tile_view");
}

static bool eq_shape(Eq *q, const Type *a, const Type *b, Told told) {
  if (told == BY_VALUE) return eq_int(q, a->rank, b->rank, "rank");
  return eq_exprs(q, a->shape, a->rank, b->shape, b->rank, "shape");
}

static bool eq_type_parts(Eq *q, const Type *a, const Type *b, Told told) {
  /* A call of a function that stands further down has no type yet; its printed form may. */
  if (a->kind == TYPE_UNKNOWN || b->kind == TYPE_UNKNOWN) return true;
  if (a->kind != b->kind) return differ(q, "%s and %s", type_str(q->ir, a), type_str(q->ir, b));
  if (a->dtype != b->dtype)
    return under(q, differ(q, "%s and %s", dtype_name(a->dtype), dtype_name(b->dtype)), "dtype");
  if (!eq_shape(q, a, b, told) || !eq_enum(q, ENUM_MEM, a->space, b->space, "memory_space") ||
      !eq_enum(q, ENUM_REG, a->reg, b->reg, "kind") ||
      !eq_enum(q, ENUM_PIPE, a->pipe, b->pipe, "pipe") ||
      !eq_int(q, a->slots, b->slots, "slot_count") || !eq_int(q, a->nelems, b->nelems, "elements"))
    return false;
  for (int i = 0; i < a->nelems; i++) /* the type of a tuple is written without places */
    if (!under_item(q, eq_type(q, a->elems[i], b->elems[i], told == ALL ? ALL_BUT_PLACE : told),
                    "elements", i))
      return false;
  return eq_views(q, a, b, told) &&
         (told != ALL || under(q, eq_memref(q, a->memref, b->memref), "memref"));
}

static bool eq_type(Eq *q, const Type *a, const Type *b, Told told) {
  if (a == b) return true;
  q->in_type++;
  bool equal = eq_type_parts(q, a, b, told);
  q->in_type--;
  return equal;
}

/* ---------------------------------------------------------------- attributes */

/* An integer, or an INDEX constant, which is written alike. */
static bool plain_int(const AttrValue *v, int64_t *out) {
  if (v->kind == ATTR_INT) *out = v->u.i;
  return v->kind == ATTR_INT || (v->kind == ATTR_EXPR && v->u.expr->type->dtype == DT_INDEX &&
                                 expr_const_int(v->u.expr, out));
}

static bool eq_value(Eq *q, const AttrValue *a, const AttrValue *b) {
  int64_t x, y;
  if (plain_int(a, &x) && plain_int(b, &y))
    return x == y || differ(q, "%" PRId64 " and %" PRId64, x, y);
  if (a->kind != b->kind) return differ(q, "values of different kinds");
  if (a->kind == ATTR_EXPR) return eq_expr(q, a->u.expr, b->u.expr);
  if (a->kind != ATTR_LIST) return attr_equal(a, b) || differ(q, "different values");
  if (a->u.list.len != b->u.list.len) return eq_int(q, a->u.list.len, b->u.list.len, "length");
  for (int i = 0; i < a->u.list.len; i++)
    if (!under_item(q, eq_value(q, &a->u.list.items[i], &b->u.list.items[i]), "", i)) return false;
  return true;
}

/* The order of keywords has no meaning. */
static bool eq_attrs(Eq *q, AttrList a, AttrList b, const char *what) {
  if (a.len != b.len) return eq_int(q, a.len, b.len, what);
  for (int i = 0; i < a.len; i++) {
    const AttrValue *other = attr_get(b, a.items[i].key);
    bool same = other ? eq_value(q, &a.items[i].value, other) : differ(q, "only one side has it");
    if (!under(q, same, a.items[i].key)) return under(q, false, what);
  }
  return true;
}

/* ---------------------------------------------------------------- expressions */

static bool eq_launch(Eq *q, const Launch *a, const Launch *b) {
  if (!a && !b) return true;
  if (!a || !b) return differ(q, "only one side is a launch");
  return eq_exprs(q, a->deps, a->ndeps, b->deps, b->ndeps, "deps") &&
         eq_optional(q, a->core_num, b->core_num, "core_num") &&
         eq_optional(q, a->predicate, b->predicate, "predicate") &&
         eq_int(q, a->sync_start, b->sync_start, "sync_start") &&
         eq_int(q, a->allow_early_resolve, b->allow_early_resolve, "allow_early_resolve");
}

/* Without its type, which no text says: an annotation is that of the variable assigned.  The name of a
 * window buffer is that of the variable when it was read. */
static bool eq_call(Eq *q, const Expr *a, const Expr *b) {
  const Op *x = a->u.call.op, *y = b->u.call.op;
  bool named = x && x->print == PRINT_NO_NAME;
  AttrList ka = a->u.call.kwargs, kb = b->u.call.kwargs;
  if (named) {
    Name name = ir_name(q->ir, "name");
    ka = attr_without(q->ir, ka, name);
    kb = attr_without(q->ir, kb, name);
  }
  return eq_name(q, x ? x->name : a->u.call.callee, y ? y->name : b->u.call.callee, "callee") &&
         eq_exprs(q, a->u.call.args, a->u.call.nargs, b->u.call.args, b->u.call.nargs, "args") &&
         eq_attrs(q, ka, kb, "kwargs") && eq_attrs(q, a->u.call.attrs, b->u.call.attrs, "attrs") &&
         eq_launch(q, a->u.call.launch, b->u.call.launch);
}

static bool eq_const(Eq *q, const Expr *a, const Expr *b) {
  bool same = a->type == b->type && expr_same(a, b);
  return same || differ(q, "%s and %s", expr_str(q->ir, a), expr_str(q->ir, b));
}

static bool eq_expr(Eq *q, const Expr *a, const Expr *b) {
  if (a->kind != b->kind) return differ(q, "%s and %s", expr_str(q->ir, a), expr_str(q->ir, b));
  switch (a->kind) {
    case EXPR_VAR: return bind(q, a, b);
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL: return eq_const(q, a, b);
    case EXPR_CALL:
    case EXPR_SUBMIT: return eq_call(q, a, b);
    case EXPR_TUPLE:
      return eq_exprs(q, a->u.tuple.elems, a->u.tuple.len, b->u.tuple.elems, b->u.tuple.len,
                      "elements");
    case EXPR_TUPLE_GET:
      return eq_int(q, a->u.get.index, b->u.get.index, "index") &&
             under(q, eq_expr(q, a->u.get.tuple, b->u.get.tuple), "tuple");
    default:
      if (!(q->in_offset && index_types_agree(a->type, b->type)) &&
          !under(q, eq_type(q, a->type, b->type, ALL_BUT_PLACE), "type"))
        return false;
      if (expr_is_unary(a)) return under(q, eq_expr(q, a->u.operand, b->u.operand), "operand");
      return under(q, eq_expr(q, a->u.bin.lhs, b->u.bin.lhs), "lhs") &&
             under(q, eq_expr(q, a->u.bin.rhs, b->u.bin.rhs), "rhs");
  }
}

/* ---------------------------------------------------------------- statements */

static bool eq_block(Eq *q, Block a, Block b, const char *what);

/* One yielded value is annotated, several are not. */
static bool eq_results(Eq *q, Expr *const *a, int na, Expr *const *b, int nb) {
  return eq_defs(q, a, na, b, nb, na == 1 ? ALL_BUT_PLACE : BY_VALUE, "results");
}

static bool eq_if(Eq *q, const Stmt *a, const Stmt *b) {
  return under(q, eq_expr(q, a->u.if_.cond, b->u.if_.cond), "condition") &&
         eq_block(q, a->u.if_.then_body, b->u.if_.then_body, "then") &&
         eq_block(q, a->u.if_.else_body, b->u.if_.else_body, "else") &&
         eq_results(q, a->u.if_.results, a->u.if_.nresults, b->u.if_.results, b->u.if_.nresults);
}

static bool eq_inits(Eq *q, const Stmt *a, const Stmt *b) {
  if (a->u.loop.ncarried != b->u.loop.ncarried)
    return eq_int(q, a->u.loop.ncarried, b->u.loop.ncarried, "init_values");
  for (int i = 0; i < a->u.loop.ncarried; i++)
    if (!under_item(
            q, eq_expr(q, a->u.loop.iter_args[i]->u.var.init, b->u.loop.iter_args[i]->u.var.init),
            "init_values", i))
      return false;
  return true;
}

static bool eq_loop_var(Eq *q, const Expr *a, const Expr *b) {
  if (index_types_agree(a->type, b->type)) return under(q, bind(q, a, b), "loop_var");
  return eq_def(q, a, b, "loop_var");
}

static bool eq_loop(Eq *q, const Stmt *a, const Stmt *b) {
  bool is_for = a->kind == STMT_FOR;
  if (!eq_int(q, a->u.loop.kind, b->u.loop.kind, "kind") ||
      !eq_enum(q, ENUM_HW_LOOP, a->u.loop.policy, b->u.loop.policy, "hardware_loop_policy") ||
      !eq_optional(q, a->u.loop.start, b->u.loop.start, "start") ||
      !eq_optional(q, a->u.loop.stop, b->u.loop.stop, "stop") ||
      !eq_optional(q, a->u.loop.step, b->u.loop.step, "step") || !eq_inits(q, a, b) ||
      !eq_attrs(q, a->u.loop.attrs, b->u.loop.attrs, "attrs"))
    return false;
  if (is_for && !eq_loop_var(q, a->u.loop.var, b->u.loop.var)) return false;
  return eq_defs(q, a->u.loop.iter_args, a->u.loop.ncarried, b->u.loop.iter_args,
                 b->u.loop.ncarried, BY_VALUE, "iter_args") &&
         eq_optional(q, a->u.loop.cond, b->u.loop.cond, "condition") &&
         eq_block(q, a->u.loop.body, b->u.loop.body, "body") &&
         eq_results(q, a->u.loop.results, a->u.loop.nresults, b->u.loop.results,
                    b->u.loop.nresults);
}

static bool eq_windows(Eq *q, const Stmt *a, const Stmt *b) {
  if (a->u.scope.nwindows != b->u.scope.nwindows)
    return eq_int(q, a->u.scope.nwindows, b->u.scope.nwindows, "slots");
  for (int i = 0; i < a->u.scope.nwindows; i++)
    if (!eq_name(q, a->u.scope.windows[i]->name, b->u.scope.windows[i]->name, "slots"))
      return false;
  return true;
}

/* for i in pl.spmd(n): a scope that holds nothing but an InCore scope, which begins with the index. */
static bool is_loop_form(const Stmt *s) {
  if (s->u.scope.kind != SCOPE_SPMD) return false;
  const Stmt *only = s->u.scope.body.len == 1 ? s->u.scope.body.items[0] : NULL;
  if (!only || only->kind != STMT_SCOPE || only->u.scope.kind != SCOPE_INCORE)
    return s->u.scope.index != NULL;
  const Stmt *first = only->u.scope.body.len ? only->u.scope.body.items[0] : NULL;
  return first && first->kind == STMT_ASSIGN &&
         expr_is_op(first->u.assign.value, OP_TILE_GET_BLOCK_IDX);
}

/* What a cluster dumps is not printed, nor are dumps and name hint of the loop form of pl.spmd and of the
 * InCore scope that it stands for, too. */
static bool eq_scope_attrs(Eq *q, const Stmt *a, const Stmt *b) {
  AttrList x = a->u.scope.attrs, y = b->u.scope.attrs;
  bool silent = q->in_loop_form || is_loop_form(a);
  if (silent || a->u.scope.kind == SCOPE_CLUSTER) {
    x = key_without(q->ir, x, KEY_DUMP_VARS);
    y = key_without(q->ir, y, KEY_DUMP_VARS);
  }
  q->in_loop_form = is_loop_form(a) && a->u.scope.body.len == 1;
  return eq_attrs(q, x, y, "attrs") &&
         (silent || eq_name(q, a->u.scope.name, b->u.scope.name, "name_hint"));
}

static bool eq_scope(Eq *q, const Stmt *a, const Stmt *b) {
  if (!eq_int(q, a->u.scope.kind, b->u.scope.kind, "kind") ||
      !eq_enum(q, ENUM_SPLIT, a->u.scope.split, b->u.scope.split, "split") ||
      !eq_enum(q, ENUM_LEVEL, a->u.scope.level, b->u.scope.level, "level") ||
      !eq_enum(q, ENUM_ROLE, a->u.scope.role, b->u.scope.role, "role") ||
      !eq_optional(q, a->u.scope.core_num, b->u.scope.core_num, "core_num") ||
      !eq_int(q, a->u.scope.sync_start, b->u.scope.sync_start, "sync_start") ||
      !eq_int(q, a->u.scope.count, b->u.scope.count, "count") ||
      !eq_int(q, a->u.scope.manual, b->u.scope.manual, "manual") || !eq_scope_attrs(q, a, b) ||
      !eq_windows(q, a, b))
    return false;
  if (!a->u.scope.index != !b->u.scope.index)
    return under(q, differ(q, "only one side has it"), "index");
  if (a->u.scope.index && !eq_loop_var(q, a->u.scope.index, b->u.scope.index)) return false;
  return eq_block(q, a->u.scope.body, b->u.scope.body, "body");
}

static const char *stmt_kind_name(StmtKind k) {
  static const char *const names[] = {[STMT_ASSIGN] = "an assignment",
                                      [STMT_EVAL] = "an expression",
                                      [STMT_RETURN] = "a return",
                                      [STMT_YIELD] = "a yield",
                                      [STMT_IF] = "an if",
                                      [STMT_FOR] = "a for loop",
                                      [STMT_WHILE] = "a while loop",
                                      [STMT_BREAK] = "a break",
                                      [STMT_CONTINUE] = "a continue",
                                      [STMT_SCOPE] = "a scope",
                                      [STMT_INLINE] = "inline text"};
  return names[k];
}

static bool eq_stmt(Eq *q, const Stmt *a, const Stmt *b) {
  if (a == b) return true;
  if (a->kind != b->kind)
    return differ(q, "%s and %s", stmt_kind_name(a->kind), stmt_kind_name(b->kind));
  if (a->kind != STMT_SCOPE) q->in_loop_form = false;
  switch (a->kind) {
    case STMT_ASSIGN:
      return under(q, eq_expr(q, a->u.assign.value, b->u.assign.value), "value") &&
             eq_def(q, a->u.assign.var, b->u.assign.var, "var");
    case STMT_EVAL: return under(q, eq_expr(q, a->u.eval, b->u.eval), "expr");
    case STMT_RETURN:
    case STMT_YIELD:
      return eq_exprs(q, a->u.ret.values, a->u.ret.len, b->u.ret.values, b->u.ret.len, "values");
    case STMT_IF: return eq_if(q, a, b);
    case STMT_FOR:
    case STMT_WHILE: return eq_loop(q, a, b);
    case STMT_SCOPE: return eq_scope(q, a, b);
    case STMT_INLINE: return eq_name(q, a->u.inline_.text, b->u.inline_.text, "text");
    case STMT_BREAK:
    case STMT_CONTINUE: break;
  }
  return true;
}

static bool is_comm_domain(const Stmt *s) {
  return s->kind == STMT_SCOPE && s->u.scope.kind == SCOPE_COMM_DOMAIN;
}

static void push_written(StmtList *out, Block b) {
  for (int i = 0; i < b.len; i++)
    if (is_comm_domain(b.items[i]))
      push_written(out, b.items[i]->u.scope.body);
    else
      vec_push(out, b.items[i]);
}

/* A communication domain is a comment in the text: its statements stand where it does. */
static Block written_block(Eq *q, Block b) {
  bool domain = false;
  for (int i = 0; i < b.len; i++) domain |= is_comm_domain(b.items[i]);
  if (!domain) return b;
  StmtList list = {0};
  push_written(&list, b);
  return block_take(q->ir, &list);
}

static bool eq_block(Eq *q, Block a, Block b, const char *what) {
  a = written_block(q, a);
  b = written_block(q, b);
  for (int i = 0; i < a.len && i < b.len; i++)
    if (!under_item(q, eq_stmt(q, a.items[i], b.items[i]), what, i)) return false;
  if (a.len == b.len) return true;
  return under(q, differ(q, "%d and %d statements", a.len, b.len), what);
}

/* ---------------------------------------------------------------- functions and programs */

static bool eq_func(Eq *q, const Function *a, const Function *b) {
  if (!eq_name(q, a->name, b->name, "name") || !eq_enum(q, ENUM_FUNC, a->type, b->type, "type") ||
      !eq_enum(q, ENUM_LEVEL, a->level, b->level, "level") ||
      !eq_enum(q, ENUM_ROLE, a->role, b->role, "role") ||
      !eq_defs(q, a->params, a->nparams, b->params, b->nparams, ALL, "params"))
    return false;
  for (int i = 0; i < a->nparams; i++)
    if (!under_item(q, eq_enum(q, ENUM_PARAM, a->dirs[i], b->dirs[i], "direction"), "params", i))
      return false;
  if (a->nreturns != b->nreturns) return eq_int(q, a->nreturns, b->nreturns, "returns");
  for (int i = 0; i < a->nreturns; i++)
    if (!under_item(q, eq_type(q, a->returns[i], b->returns[i], ALL), "returns", i)) return false;
  return eq_attrs(q, a->attrs, b->attrs, "attrs") &&
         eq_int(q, a->requires_runtime_binding, b->requires_runtime_binding, "bodyless") &&
         eq_block(q, a->body, b->body, "body");
}

/* path.to.it[3]: what the sides have there. */
static void explain(const Eq *q, Buf *why) {
  for (size_t i = q->path.len; i-- > 0;) {
    const char *step = q->path.data[i];
    if (i + 1 < q->path.len && step[0] != '[') buf_putc(why, '.');
    buf_puts(why, step);
  }
  buf_printf(why, "%s%s", q->path.len ? ": " : "", q->reason ? q->reason : "different");
}

static void finish(Eq *q, bool equal, Buf *why) {
  if (!equal && why) explain(q, why);
  map_free(&q->to_a);
  map_free(&q->to_b);
  vec_free(&q->path);
}

bool func_equal(Ir *ir, const Function *a, const Function *b, Buf *why) {
  Eq q = {.ir = ir};
  bool equal = under(&q, eq_func(&q, a, b), a->name);
  finish(&q, equal, why);
  return equal;
}

bool program_equal(Ir *ir, const Program *a, const Program *b, Buf *why) {
  Eq q = {.ir = ir};
  bool equal =
      eq_name(&q, a->name, b->name, "name") && eq_int(&q, a->nfuncs, b->nfuncs, "functions");
  for (int i = 0; equal && i < a->nfuncs; i++) {
    /* What a signature calls a dimension may be computed in the caller: names are those of a function. */
    map_clear(&q.to_a);
    map_clear(&q.to_b);
    equal = under(&q, eq_func(&q, a->funcs[i], b->funcs[i]), a->funcs[i]->name);
  }
  finish(&q, equal, why);
  return equal;
}
