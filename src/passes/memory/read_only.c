#include "passes/memory/read_only.h"

#include "ir/op.h"
#include "ir/visit.h"

/* ---------------------------------------------------------------- storage */

Expr *storage_root(const Storage *s, Expr *e) {
  Map seen = {0};
  Expr *found = NULL;
  while (e && expr_is_var(e) && map_set(&seen, e, e)) {
    Expr *to = map_has(&s->aliases, e) ? map_get(&s->aliases, e) : buffer_root(&s->roots, e);
    if (to == e) {
      found = e;
      break;
    }
    e = to;
  }
  map_free(&seen);
  return found;
}

static bool is_alias(const Expr *value) {
  return expr_is_op(value, OP_TENSOR_SLICE) || expr_is_op(value, OP_TENSOR_ASSEMBLE) ||
         expr_is_op(value, OP_TENSOR_VIEW);
}

static bool note_storage(Visitor *v, Stmt *stmt) {
  Storage *s = v->ctx;
  if (stmt->kind != STMT_ASSIGN) return true;
  Expr *var = stmt->u.assign.var, *value = stmt->u.assign.value;
  if (expr_is_op(value, OP_TENSOR_CREATE)) {
    map_set(&s->aliases, var, var);
    map_set(&s->fresh, var, var);
  } else if (is_alias(value) && value->u.call.nargs > 0) {
    map_set(&s->aliases, var, storage_root(s, value->u.call.args[0]));
  } else if (expr_is_var(value)) {
    map_set(&s->aliases, var, storage_root(s, value));
  }
  return false;
}

void storage_init(Storage *s, Ir *ir, const Program *p, const Function *f) {
  *s = (Storage){0};
  buffer_roots_init(&s->roots, ir, p, f, ROOTS_SURE);
  Visitor v = {.ctx = s, .stmt = note_storage};
  visit_block(&v, f->body);
}

void storage_free(Storage *s) {
  buffer_roots_free(&s->roots);
  map_free(&s->aliases);
  map_free(&s->fresh);
}

/* ---------------------------------------------------------------- callers */

enum { CALLED = 1, UNSAFE = 2 };

typedef struct Callers {
  const Program *p;
  Map called;   /* functions that somebody calls */
  Map evidence; /* parameter -> CALLED | UNSAFE */
  const Storage *storage;
  bool root; /* of the caller: an orchestration that nobody calls */
} Callers;

static const Function *core_callee(const Callers *c, const Expr *call) {
  const Function *f = call->u.call.callee ? program_func(c->p, call->u.call.callee) : NULL;
  return f && f->type == FUNC_INCORE ? f : NULL;
}

static bool is_read_param(const Function *f, int i) {
  return f->dirs[i] == PARAM_IN && f->params[i]->type->kind == TYPE_TENSOR;
}

static Expr *arg_root(const Callers *c, const Expr *call, int i) {
  return i < call->u.call.nargs ? storage_root(c->storage, call->u.call.args[i]) : NULL;
}

/* Does the call surely not write the storage `root`? */
static bool spares(const Callers *c, const Function *f, const Expr *call, const Expr *root) {
  for (int i = 0; i < f->nparams; i++) {
    if (f->dirs[i] == PARAM_IN || f->params[i]->type->kind != TYPE_TENSOR) continue;
    Expr *written = arg_root(c, call, i);
    if (!written || written == root) return false;
  }
  return true;
}

static bool note_call(Visitor *v, Expr *e) {
  Callers *c = v->ctx;
  const Function *f = expr_is_call(e) ? core_callee(c, e) : NULL;
  for (int i = 0; f && i < f->nparams; i++) {
    if (!is_read_param(f, i)) continue;
    Expr *root = c->root && e->kind == EXPR_CALL ? arg_root(c, e, i) : NULL;
    bool safe = root && map_has(&c->storage->fresh, root) && spares(c, f, e, root);
    intptr_t now = map_get_int(&c->evidence, f->params[i]);
    map_set(&c->evidence, f->params[i], map_int(now | CALLED | (safe ? 0 : UNSAFE)));
  }
  return true;
}

static bool note_called(Visitor *v, Expr *e) {
  Callers *c = v->ctx;
  const Function *f =
      expr_is_call(e) && e->u.call.callee ? program_func(c->p, e->u.call.callee) : NULL;
  if (f) map_set(&c->called, f, c);
  return true;
}

void find_read_only_params(Ir *ir, const Program *p, Map *safe) {
  Callers c = {.p = p};
  Visitor v = {.ctx = &c, .expr = note_called};
  visit_program(&v, p);
  v.expr = note_call;
  for (int i = 0; i < p->nfuncs; i++) {
    Function *f = p->funcs[i];
    Storage storage;
    storage_init(&storage, ir, p, f);
    c.storage = &storage;
    c.root = f->type == FUNC_ORCHESTRATION && !map_has(&c.called, f);
    visit_block(&v, f->body);
    storage_free(&storage);
  }
  for (MapEntry *e = NULL; (e = map_next(&c.evidence, e));)
    if ((intptr_t)e->value == CALLED) map_set(safe, e->key, map_int(1));
  map_free(&c.called);
  map_free(&c.evidence);
}
