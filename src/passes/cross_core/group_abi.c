#include "passes/cross_core/group_abi.h"

#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/cross_core/split_kernel.h"
#include "passes/util/clone.h"

enum { AIC, AIV };

typedef struct Unify {
  Ir *ir;
  const Target *target;
  const Program *program;
  Map calls;    /* name of a function -> how often it is called */
  Map names;    /* all names in use */
  Map replaced; /* name of a function -> Function */
  VEC(Function *) added;
} Unify;

/* A group and the first call (or submit) of an AIC and of an AIV function in it. */
typedef struct Group {
  Unify *u;
  Function *f;
  Expr *call[2];
  Function *member[2];
  Name name[2]; /* that the members are to have */
  bool failed;
} Group;

/* ---------------------------------------------------------------- what is there */

static bool count_call(Visitor *v, Expr *e) {
  Unify *u = v->ctx;
  if (expr_is_call(e) && e->u.call.callee)
    map_set(&u->calls, e->u.call.callee, map_int(map_get_int(&u->calls, e->u.call.callee) + 1));
  return true;
}

static bool find_member(Visitor *v, Expr *e) {
  Group *g = v->ctx;
  if (!expr_is_call(e) || !e->u.call.callee) return true;
  Function *f = program_func(g->u->program, e->u.call.callee);
  int kind = f && f->type == FUNC_AIC ? AIC : AIV;
  if (!f || (f->type != FUNC_AIC && f->type != FUNC_AIV) || g->call[kind]) return true;
  g->call[kind] = e;
  g->member[kind] = f;
  return true;
}

static bool takes_all(const Group *g, int kind) {
  const Expr *call = g->call[kind];
  if (call->u.call.nargs != g->f->nparams || g->member[kind]->nparams != g->f->nparams)
    return false;
  for (int i = 0; i < g->f->nparams; i++)
    if (call->u.call.args[i] != g->f->params[i]) return false;
  return true;
}

static bool from_outside(const Unify *u, const Function *f) {
  return f->requires_runtime_binding || attr_get(f->attrs, ir_name(u->ir, "external_source"));
}

/* ---------------------------------------------------------------- transport without split */

typedef struct Transport {
  Name split;
  bool any, divided;
} Transport;

static bool note_transport(Visitor *v, Expr *e) {
  Transport *t = v->ctx;
  OpCrossRole role = expr_op(e) ? expr_op(e)->cross_role : CROSS_NONE;
  if (role != CROSS_PUSH && role != CROSS_POP && role != CROSS_FREE) return true;
  t->any = true;
  t->divided |= attr_int(e->u.call.kwargs, t->split, 0) != 0;
  return true;
}

static bool needs_both_vector_cores(const Unify *u, const Function *f) {
  Name split = key_name(KEY_SPLIT);
  if (!u->target->dual_vector_without_split || from_outside(u, f)) return false;
  if (key_bool(f->attrs, KEY_DUAL_AIV_DISPATCH, false) ||
      attr_int(f->attrs, split, SPLIT_NONE) != SPLIT_NONE)
    return false;
  Transport t = {.split = split};
  Visitor v = {.ctx = &t, .expr = note_transport};
  visit_block(&v, f->body);
  return t.any && !t.divided;
}

/* ---------------------------------------------------------------- the new member */

/* Buffers are imported from the peer's new name. */
static Expr *rename_peer(Rewriter *r, Expr *e) {
  const Group *g = r->ctx;
  Name key = key_name(KEY_PEER_FUNC);
  e = rewrite_expr_children(r, e);
  const AttrValue *peer =
      expr_is_op(e, OP_SYSTEM_IMPORT_PEER_BUFFER) ? attr_get(e->u.call.kwargs, key) : NULL;
  for (int kind = AIC; peer && kind <= AIV; kind++) {
    if (peer->u.str != g->member[kind]->name || g->name[kind] == peer->u.str) continue;
    e = expr_copy(r->ir, e);
    e->u.call.kwargs = attr_with(r->ir, e->u.call.kwargs, key, attr_of_str(g->name[kind]));
    break;
  }
  return e;
}

static Function *member_with_all(Group *g, int kind) {
  Ir *ir = g->u->ir;
  const Function *old = g->member[kind];
  Function *f = func_copy(ir, old);
  f->name = g->name[kind];
  f->nparams = g->f->nparams;
  f->dirs = g->f->dirs;
  f->params = NEW_ARRAY(ir->arena, Expr *, f->nparams);
  Rewriter args;
  rewriter_init(&args, ir, NULL);
  for (int i = 0; i < f->nparams; i++) {
    const Expr *p = g->f->params[i];
    f->params[i] = expr_var(ir, p->u.var.name, p->type, p->span);
    map_set(&args.subst, p, f->params[i]);
  }
  Map subst = {0};
  for (int i = 0; i < old->nparams; i++)
    map_set(&subst, old->params[i], rewrite_expr(&args, g->call[kind]->u.call.args[i]));
  rewriter_free(&args);
  f->body = clone_block(ir, old->body, &subst, CLONE_FRESH_DEFS);
  map_free(&subst);
  Rewriter peers;
  rewriter_init(&peers, ir, g);
  peers.expr = rename_peer;
  f->body = rewrite_block(&peers, f->body);
  rewriter_free(&peers);
  return f;
}

/* ---------------------------------------------------------------- the group's calls */

/* The positions in a list of arguments become those of the same variables among the group's
 * parameters. */
static bool renumber(const Group *g, const Expr *call, AttrValue *positions) {
  Ir *ir = g->u->ir;
  AttrValue *items =
      COPY_ARRAY(ir->arena, AttrValue, positions->u.list.items, positions->u.list.len);
  for (int i = 0; i < positions->u.list.len; i++) {
    int64_t old = items[i].u.i;
    int at = g->f->nparams;
    if (old >= 0 && old < call->u.call.nargs)
      for (at = 0; at < g->f->nparams && g->f->params[at] != call->u.call.args[old]; at++) continue;
    if (at == g->f->nparams) {
      diag_error(ir->diag, call->span,
                 "argument %lld is marked pl.no_dep, but is no parameter of the group '%s'",
                 (long long)old, g->f->name);
      return false;
    }
    items[i].u.i = at;
  }
  positions->u.list.items = items;
  return true;
}

static Expr *call_with_all(Rewriter *r, Expr *e) {
  Group *g = r->ctx;
  e = rewrite_expr_children(r, e);
  if (!expr_is_call(e) || !e->u.call.callee) return e;
  for (int kind = AIC; kind <= AIV; kind++) {
    if (e->u.call.callee != g->member[kind]->name) continue;
    Expr *n = expr_copy(r->ir, e);
    Name overrides = key_name(KEY_ARG_DIRECTION_OVERRIDES);
    /* directions are derived again */
    n->u.call.attrs = key_without(r->ir, e->u.call.attrs, KEY_ARG_DIRECTIONS);
    const AttrValue *positions = attr_get(n->u.call.attrs, overrides);
    if (positions && positions->kind == ATTR_LIST) {
      AttrValue v = *positions;
      if (!renumber(g, e, &v)) g->failed = true;
      n->u.call.attrs = attr_with(r->ir, n->u.call.attrs, overrides, v);
    }
    n->u.call.callee = g->name[kind];
    n->u.call.args = g->f->params;
    n->u.call.nargs = g->f->nparams;
    return n;
  }
  return e;
}

static Name new_name(Unify *u, const Function *group, const char *kind) {
  Name name = name_printf(&u->ir->names, "%s_%s_adapter", group->name, kind), base = name;
  for (int i = 1; map_has(&u->names, name); i++)
    name = name_printf(&u->ir->names, "%s_%d", base, i);
  map_set(&u->names, name, (void *)name);
  return name;
}

static bool check_members(const Group *g) {
  Ir *ir = g->u->ir;
  for (int kind = AIC; kind <= AIV; kind++) {
    const Function *f = g->member[kind];
    if (from_outside(g->u, f)) {
      diag_error(ir->diag, g->f->span, "group '%s' starts '%s' with other arguments than its own",
                 g->f->name, f->name);
      diag_note(ir->diag, f->span,
                "it is bound at run time, so it must take the group's parameters as they are");
      return false;
    }
    if (g->call[kind]->u.call.nargs == f->nparams) continue;
    diag_error(ir->diag, g->call[kind]->span, "'%s' takes %d arguments, not %d", f->name,
               f->nparams, g->call[kind]->u.call.nargs);
    return false;
  }
  return true;
}

static bool unify_group(Unify *u, Function *f) {
  Group g = {.u = u, .f = f};
  Visitor v = {.ctx = &g, .expr = find_member};
  visit_block(&v, f->body);
  if (!g.call[AIC] || !g.call[AIV]) return true;
  bool same = takes_all(&g, AIC) && takes_all(&g, AIV),
       both = needs_both_vector_cores(u, g.member[AIV]);
  if (same && !both) return true;
  if (!same && !check_members(&g)) return false;
  bool exclusive = map_get_int(&u->calls, g.member[AIC]->name) == 1 &&
                   map_get_int(&u->calls, g.member[AIV]->name) == 1;
  g.name[AIC] = exclusive ? g.member[AIC]->name : new_name(u, f, "aic");
  g.name[AIV] = exclusive ? g.member[AIV]->name : new_name(u, f, "aiv");
  Function *members[] = {member_with_all(&g, AIC), member_with_all(&g, AIV)};
  if (both) members[AIV] = on_both_vector_cores(u->ir, members[AIV]);
  for (int kind = AIC; kind <= AIV; kind++) {
    if (exclusive)
      map_set(&u->replaced, g.name[kind], members[kind]);
    else
      vec_push(&u->added, members[kind]);
  }
  Rewriter r;
  rewriter_init(&r, u->ir, &g);
  r.expr = call_with_all;
  Function *n = func_copy(u->ir, f);
  n->body = rewrite_block(&r, f->body);
  rewriter_free(&r);
  map_set(&u->replaced, f->name, n);
  return !g.failed;
}

static Program *replace_all(Unify *u, Program *p) {
  if (u->replaced.count == 0) return p;
  for (int i = 0; i < p->nfuncs; i++) {
    Function *n = map_get(&u->replaced, p->funcs[i]->name);
    vec_push(&u->added, n ? n : p->funcs[i]);
  }
  Program *q = program_new(u->ir, p->name, u->added.data, (int)u->added.len, p->span);
  q->lone_function = p->lone_function;
  return q;
}

Program *unify_members(Ir *ir, const Target *target, Program *p) {
  Unify u = {.ir = ir, .target = target, .program = p};
  Visitor v = {.ctx = &u, .expr = count_call};
  visit_program(&v, p);
  for (int i = 0; i < p->nfuncs; i++) map_set(&u.names, p->funcs[i]->name, p->funcs[i]);
  bool ok = true;
  for (int i = 0; i < p->nfuncs; i++)
    if (p->funcs[i]->type == FUNC_GROUP) ok &= unify_group(&u, p->funcs[i]);
  if (ok) p = replace_all(&u, p);
  map_free(&u.calls);
  map_free(&u.names);
  map_free(&u.replaced);
  vec_free(&u.added);
  return ok ? p : NULL;
}
