/* fix_yields.c -- copies at yields: a value carried round a loop, or out of a branch, must end in one place. */
#include "ir/op.h"
#include "ir/visit.h"
#include "passes/memory/memref.h"
#include "passes/memory/placing.h"

typedef struct Fix {
  Placing *p;
  Map source; /* plain copy of a tile -> the variable that it will follow */
  bool ifs;
  bool failed;
} Fix;

static bool is_plain_var(const Expr *e) { return e && expr_is_var(e) && !e->u.var.is_iter_arg; }

static Expr *allocation(const Fix *x, const Expr *var) {
  const Expr *source = map_get(&x->source, var);
  return tile_base(placing_type(x->p, source ? source : var));
}

static bool note_copy(Visitor *v, Stmt *s) {
  Map *source = v->ctx;
  if (s->kind != STMT_ASSIGN) return true;
  Expr *value = s->u.assign.value, *first;
  if (!type_is_tile(s->u.assign.var->type) || !expr_is_var(value)) return false;
  first = map_get(source, value);
  map_set(source, s->u.assign.var, first ? first : value);
  return false;
}

static YieldEdit *edit_of(Fix *x, Stmt *yield) {
  YieldEdit *e = map_get(&x->p->yields, yield);
  if (e) return e;
  Arena *arena = x->p->ir->arena;
  e = NEW(arena, YieldEdit);
  e->values = COPY_ARRAY(arena, Expr *, yield->u.ret.values, yield->u.ret.len);
  map_set(&x->p->yields, yield, e);
  return e;
}

/* Copies what stands at position `i` to where `to` lies, just before the yield. */
static void copy_to(Fix *x, Stmt *yield, int i, const Type *to) {
  Ir *ir = x->p->ir;
  Expr *from = placing_yielded(x->p, yield, i);
  const Type *type = placing_type(x->p, from);
  if (type->space == MEM_ACC && to->space == MEM_ACC) {
    diag_error(
        ir->diag, from->span,
        "accumulator '%s' would have to be copied to another accumulator, which no chip can do",
        from->u.var.name);
    x->failed = true;
    return;
  }
  Expr *call = move_call(ir, from, to->space, from->span);
  if (!call) {
    x->failed = true;
    return;
  }
  Expr *copy = expr_var(ir, name_printf(&ir->names, "%s_mv", from->u.var.name),
                        type_placed(ir, type, to->memref, to->space), from->span);
  YieldEdit *e = edit_of(x, yield);
  Stmt **copies = NEW_ARRAY(ir->arena, Stmt *, e->ncopies + 1);
  for (int k = 0; k < e->ncopies; k++) copies[k] = e->copies[k];
  copies[e->ncopies++] = stmt_assign(ir, copy, call, from->span);
  e->copies = copies;
  e->values[i] = copy;
}

/* Puts `var` where `at` lies. */
static void put(Fix *x, Expr *var, const Type *at) {
  Expr *base = allocation(x, var);
  if (base && base != at->memref->base) placing_move(x->p, var, at->memref, at->space);
}

static void fix_block(Fix *x, Block b);

static void fix_loop(Fix *x, Stmt *s) {
  for (int i = 0; i < s->u.loop.ncarried; i++) { /* inner loops may start from what moves */
    Expr *init = s->u.loop.iter_args[i]->u.var.init;
    if (expr_is_var(init) && allocation(x, init))
      put(x, s->u.loop.iter_args[i], placing_type(x->p, init));
  }
  fix_block(x, s->u.loop.body);
  Stmt *yield = block_yield(s->u.loop.body);
  if (!yield) return;
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    Expr *init = s->u.loop.iter_args[i]->u.var.init, *value = placing_yielded(x->p, yield, i);
    if (!expr_is_var(init) || !is_plain_var(value)) continue;
    if (!allocation(x, init) || !allocation(x, value)) continue;
    if (allocation(x, init) != allocation(x, value)) copy_to(x, yield, i, placing_type(x->p, init));
  }
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    Expr *init = s->u.loop.iter_args[i]->u.var.init, *value = placing_yielded(x->p, yield, i);
    if (!expr_is_var(init) || !allocation(x, init) || i >= s->u.loop.nresults) continue;
    if (is_plain_var(value) && allocation(x, value))
      put(x, s->u.loop.results[i], placing_type(x->p, value));
  }
}

static void fix_if(Fix *x, Stmt *s) {
  fix_block(x, s->u.if_.then_body);
  if (s->u.if_.has_else) fix_block(x, s->u.if_.else_body);
  if (!x->ifs) return;
  Stmt *then_yield = block_yield(s->u.if_.then_body);
  Stmt *else_yield = s->u.if_.has_else ? block_yield(s->u.if_.else_body) : NULL;
  for (int i = 0; i < s->u.if_.nresults; i++) {
    Expr *a = placing_yielded(x->p, then_yield, i), *b = placing_yielded(x->p, else_yield, i);
    a = is_plain_var(a) && allocation(x, a) ? a : NULL;
    b = is_plain_var(b) && allocation(x, b) ? b : NULL;
    if (!a && !b) continue;
    const Type *at = placing_type(x->p, a ? a : b);
    if (a && b && allocation(x, b) != at->memref->base) copy_to(x, else_yield, i, at);
    put(x, s->u.if_.results[i], at);
  }
}

static void fix_block(Fix *x, Block b) {
  for (int i = 0; i < b.len && !x->failed; i++) {
    Stmt *s = b.items[i];
    if (stmt_is_loop(s)) fix_loop(x, s);
    if (s->kind == STMT_IF) fix_if(x, s);
    if (s->kind == STMT_SCOPE) fix_block(x, s->u.scope.body);
  }
}

bool fix_yields(Placing *p, const Function *f, bool ifs) {
  Fix x = {.p = p, .ifs = ifs};
  Visitor v = {.ctx = &x.source, .stmt = note_copy, .expr = visit_no_expr};
  visit_block(&v, f->body);
  fix_block(&x, f->body);
  map_free(&x.source);
  return !x.failed;
}
