/* hash.c -- a hash of programs that agrees with equal.c: what does not count there does not count here. */
#include "base/map.h"
#include "ir/equal.h"
#include "ir/op.h"

typedef struct Hasher {
  Map numbers; /* variable -> order in which it was bound, from 1 */
  uint64_t h;
} Hasher;

static void add(Hasher *s, uint64_t v) { s->h = hash_mix(s->h, v); }

static void add_pointer(Hasher *s, const void *p) { add(s, (uint64_t)(uintptr_t)p); }

static void hash_expr(Hasher *s, const Expr *e);

static void hash_exprs(Hasher *s, Expr *const *es, int n) {
  add(s, (uint64_t)n);
  for (int i = 0; i < n; i++) hash_expr(s, es[i]);
}

/* Types are left out: a type that is not known yet equals any. */
static void hash_def(Hasher *s, const Expr *v) {
  map_set(&s->numbers, v, map_int((intptr_t)s->numbers.count + 1));
}

static void hash_defs(Hasher *s, Expr *const *vars, int n) {
  for (int i = 0; i < n; i++) hash_def(s, vars[i]);
}

static void hash_value(Hasher *s, const AttrValue *v) {
  int64_t i;
  if (v->kind == ATTR_EXPR && v->u.expr->type->dtype == DT_INDEX && expr_const_int(v->u.expr, &i)) {
    add(s, ATTR_INT);
    add(s, (uint64_t)i);
    return;
  }
  add(s, (uint64_t)v->kind);
  switch (v->kind) {
    case ATTR_NONE: break;
    case ATTR_BOOL: add(s, v->u.b); break;
    case ATTR_INT:
    case ATTR_ENUM: add(s, (uint64_t)v->u.i); break;
    case ATTR_FLOAT: add(s, v->u.f != 0.0 ? hash_bytes(&v->u.f, sizeof v->u.f) : 0); break;
    case ATTR_STR: add_pointer(s, v->u.str); break;
    case ATTR_DTYPE: add(s, (uint64_t)v->u.dtype); break;
    case ATTR_EXPR: hash_expr(s, v->u.expr); break;
    case ATTR_LIST:
      for (int i = 0; i < v->u.list.len; i++) hash_value(s, &v->u.list.items[i]);
      break;
  }
}

/* In no order: the sum of the hashes of each. */
static void hash_attrs(Hasher *s, AttrList attrs) {
  uint64_t before = s->h, sum = 0;
  for (int i = 0; i < attrs.len; i++) {
    s->h = 0;
    add_pointer(s, attrs.items[i].key);
    hash_value(s, &attrs.items[i].value);
    sum += s->h;
  }
  s->h = hash_mix(before, sum);
}

static void hash_call(Hasher *s, const Expr *e) {
  add_pointer(s, e->u.call.op ? (const void *)e->u.call.op->name : e->u.call.callee);
  hash_exprs(s, e->u.call.args, e->u.call.nargs);
  hash_attrs(s, e->u.call.kwargs);
  hash_attrs(s, e->u.call.attrs);
  if (!e->u.call.launch) return;
  hash_exprs(s, e->u.call.launch->deps, e->u.call.launch->ndeps);
  if (e->u.call.launch->core_num) hash_expr(s, e->u.call.launch->core_num);
  if (e->u.call.launch->predicate) hash_expr(s, e->u.call.launch->predicate);
}

static void hash_expr(Hasher *s, const Expr *e) {
  add(s, (uint64_t)e->kind);
  switch (e->kind) {
    case EXPR_VAR: add(s, (uint64_t)map_get_int(&s->numbers, e)); break;
    case EXPR_INT: add(s, (uint64_t)e->u.i); break;
    case EXPR_FLOAT: add(s, hash_bytes(&e->u.f, sizeof e->u.f)); break;
    case EXPR_BOOL: add(s, e->u.b); break;
    case EXPR_CALL:
    case EXPR_SUBMIT: hash_call(s, e); break;
    case EXPR_TUPLE: hash_exprs(s, e->u.tuple.elems, e->u.tuple.len); break;
    case EXPR_TUPLE_GET:
      add(s, (uint64_t)e->u.get.index);
      hash_expr(s, e->u.get.tuple);
      break;
    default:
      if (expr_is_unary(e)) {
        hash_expr(s, e->u.operand);
      } else {
        hash_expr(s, e->u.bin.lhs);
        hash_expr(s, e->u.bin.rhs);
      }
  }
}

static void hash_block(Hasher *s, Block b);

static void hash_loop(Hasher *s, const Stmt *st) {
  add(s, (uint64_t)st->u.loop.kind * 4 + (uint64_t)st->u.loop.policy);
  if (st->kind == STMT_FOR) {
    hash_expr(s, st->u.loop.start);
    hash_expr(s, st->u.loop.stop);
    hash_expr(s, st->u.loop.step);
  }
  for (int i = 0; i < st->u.loop.ncarried; i++) hash_expr(s, st->u.loop.iter_args[i]->u.var.init);
  if (st->kind == STMT_FOR) hash_def(s, st->u.loop.var);
  hash_defs(s, st->u.loop.iter_args, st->u.loop.ncarried);
  if (st->kind == STMT_WHILE) hash_expr(s, st->u.loop.cond);
  hash_attrs(s, st->u.loop.attrs);
  hash_block(s, st->u.loop.body);
  hash_defs(s, st->u.loop.results, st->u.loop.nresults);
}

static void hash_scope(Hasher *s, const Stmt *st) {
  add(s, (uint64_t)st->u.scope.kind);
  add_pointer(s, st->u.scope.name);
  add(s, (uint64_t)st->u.scope.split * 64 + (uint64_t)st->u.scope.level);
  if (st->u.scope.core_num) hash_expr(s, st->u.scope.core_num);
  if (st->u.scope.index) hash_def(s, st->u.scope.index);
  hash_attrs(s, st->u.scope.attrs);
  hash_block(s, st->u.scope.body);
}

static void hash_stmt(Hasher *s, const Stmt *st) {
  add(s, (uint64_t)st->kind);
  switch (st->kind) {
    case STMT_ASSIGN:
      hash_expr(s, st->u.assign.value);
      hash_def(s, st->u.assign.var);
      break;
    case STMT_EVAL: hash_expr(s, st->u.eval); break;
    case STMT_RETURN:
    case STMT_YIELD: hash_exprs(s, st->u.ret.values, st->u.ret.len); break;
    case STMT_IF:
      hash_expr(s, st->u.if_.cond);
      hash_block(s, st->u.if_.then_body);
      hash_block(s, st->u.if_.else_body);
      hash_defs(s, st->u.if_.results, st->u.if_.nresults);
      break;
    case STMT_FOR:
    case STMT_WHILE: hash_loop(s, st); break;
    case STMT_SCOPE: hash_scope(s, st); break;
    case STMT_INLINE: add_pointer(s, st->u.inline_.text); break;
    case STMT_BREAK:
    case STMT_CONTINUE: break;
  }
}

static void hash_block(Hasher *s, Block b) {
  add(s, (uint64_t)b.len);
  for (int i = 0; i < b.len; i++) hash_stmt(s, b.items[i]);
}

uint64_t program_hash(const Program *p) {
  Hasher s = {0};
  add_pointer(&s, p->name);
  for (int i = 0; i < p->nfuncs; i++) {
    const Function *f = p->funcs[i];
    add_pointer(&s, f->name);
    add(&s, (uint64_t)f->type);
    hash_defs(&s, f->params, f->nparams);
    hash_attrs(&s, f->attrs);
    hash_block(&s, f->body);
  }
  map_free(&s.numbers);
  return s.h;
}
