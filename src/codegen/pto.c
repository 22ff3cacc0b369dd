/* pto.c -- which .pto files a program gives. */
#include "ir/calls.h"
#include "codegen/pto_emit.h"

typedef struct Plan {
  CodegenCtx *ctx;
  Function **funcs; /* of one chip's program, sorted by name */
  int nfuncs;
  const char *prefix; /* "" or "next_levels/NAME/" */
  ArtifactList *out;
  Map grouped; /* functions that belong to a group */
} Plan;

static bool is_external(Ir *ir, const Function *f) {
  return attr_get(f->attrs, ir_name(ir, "external_source")) != NULL;
}

static Function *find(const Plan *p, Name name) {
  int lo = 0, hi = p->nfuncs;
  for (int i = lo; i < hi; i++)
    if (p->funcs[i]->name == name) return p->funcs[i];
  return NULL;
}

/* Adds functions of the plan in the plan's order, each once. */
typedef struct Members {
  const Plan *plan;
  Map set;
} Members;

static bool see_callee(Visitor *v, Expr *e) {
  Members *m = v->ctx;
  if (expr_is_call(e) && e->u.call.callee) {
    Function *f = find(m->plan, e->u.call.callee);
    if (f) map_set(&m->set, f, NULL);
  }
  return true;
}

/* The functions whose buffers a kernel imports, from the statements of its top level. */
static void add_peers(const Plan *p, const Function *f, Members *m) {
  Ir *ir = p->ctx->ir;
  for (int i = 0; i < f->body.len; i++) {
    const Expr *call = stmt_call(f->body.items[i]);
    if (!call || !expr_is_op(call, OP_SYSTEM_IMPORT_PEER_BUFFER)) continue;
    const AttrValue *peer = attr_get(call->u.call.kwargs, ir_name(ir, "peer_func"));
    Function *g = peer && peer->kind == ATTR_STR ? find(p, peer->u.str) : NULL;
    if (g) map_set(&m->set, g, NULL);
  }
}

/* Writes one module of the members. */
static bool write_module(Plan *p, Members *m, Name name, const char *folder) {
  Arena *a = p->ctx->ir->arena;
  PtoUnit u = {.name = name, .funcs = NEW_ARRAY(a, Function *, m->set.count)};
  for (int i = 0; i < p->nfuncs; i++)
    if (map_has(&m->set, p->funcs[i])) u.funcs[u.nfuncs++] = p->funcs[i];
  for (int i = 0; i < u.nfuncs; i++) {
    if (func_is_incore(u.funcs[i]->type)) continue;
    diag_error(p->ctx->ir->diag, u.funcs[i]->span, "function '%s' is part of kernel '%s' but no kernel "
               "itself", u.funcs[i]->name, name);
    return false;
  }
  Buf text = {0};
  bool ok = pto_write_unit(p->ctx, &u, &text);
  if (ok)
    *artifact_add(p->out, arena_printf(a, "%s%s/%s.pto", p->prefix, folder, name)) = text;
  else
    buf_free(&text);
  return ok;
}

static bool write_group(Plan *p, Function *group) {
  Members m = {.plan = p};
  Visitor v = {.ctx = &m, .expr = see_callee};
  visit_block(&v, group->body);
  int external = 0;
  const Function *own = NULL;
  for (MapEntry *e = NULL; (e = map_next(&m.set, e));) {
    const Function *f = e->key;
    map_set(&p->grouped, f, NULL);
    if (is_external(p->ctx->ir, f)) external++;
    else own = f;
  }
  bool ok = true;
  if (external && own) {
    diag_error(p->ctx->ir->diag, group->span, "group '%s' mixes kernels with an external source and "
               "kernels without ('%s')", group->name, own->name);
    ok = false;
  } else if (own) {
    ok = write_module(p, &m, group->name, "kernels");
  }
  map_free(&m.set);
  return ok;
}

static bool write_kernel(Plan *p, Function *f) {
  if (f->type == FUNC_INCORE) {
    diag_error(p->ctx->ir->diag, f->span, "kernel '%s' is neither for cube nor for vector cores; "
               "ExpandMixedKernel has not run", f->name);
    return false;
  }
  Members m = {.plan = p};
  map_set(&m.set, f, NULL);
  add_peers(p, f, &m);
  bool ok = write_module(p, &m, f->name, f->type == FUNC_AIV ? "kernels/aiv" : "kernels/aic");
  map_free(&m.set);
  return ok;
}

/* All kernels of one chip's program. */
static bool write_chip(Plan *p) {
  bool ok = true;
  for (int i = 0; i < p->nfuncs; i++)
    if (p->funcs[i]->type == FUNC_GROUP) ok &= write_group(p, p->funcs[i]);
  for (int i = 0; i < p->nfuncs; i++) {
    Function *f = p->funcs[i];
    if (func_is_incore(f->type) && !map_has(&p->grouped, f) && !is_external(p->ctx->ir, f))
      ok &= write_kernel(p, f);
  }
  map_free(&p->grouped);
  return ok;
}

/* ---- programs for several chips ---- */

typedef struct Reach {
  const Program *program;
  Map set;
  VEC(Function *) todo;
} Reach;

static bool see_chip_callee(Visitor *v, Expr *e) {
  Reach *r = v->ctx;
  if (!expr_is_call(e)) return true;
  Function *f = call_target(r->program, e);
  if (f && (func_is_incore(f->type) || func_is_wrapper(f->type)) && map_set(&r->set, f, NULL))
    vec_push(&r->todo, f);
  return true;
}

/* The orchestration's own program: itself and the chip functions it reaches. */
static bool write_orchestration_chip(Plan *all, const Program *program, Function *orch) {
  Reach r = {.program = program};
  map_set(&r.set, orch, NULL);
  vec_push(&r.todo, orch);
  Visitor v = {.ctx = &r, .expr = see_chip_callee};
  while (r.todo.len) visit_block(&v, vec_pop(&r.todo)->body);
  Arena *a = all->ctx->ir->arena;
  Plan p = {.ctx = all->ctx, .out = all->out,
            .prefix = arena_printf(a, "next_levels/%s/", orch->name),
            .funcs = NEW_ARRAY(a, Function *, r.set.count)};
  for (int i = 0; i < program->nfuncs; i++)
    if (map_has(&r.set, program->funcs[i])) p.funcs[p.nfuncs++] = program->funcs[i];
  map_free(&r.set);
  vec_free(&r.todo);
  return write_chip(&p);
}

bool codegen_pto(CodegenCtx *ctx, const Program *program, ArtifactList *out) {
  ArtifactList made = {0};
  Plan p = {.ctx = ctx, .out = &made, .prefix = "", .funcs = program->funcs, .nfuncs = program->nfuncs};
  int orchestrations = 0;
  bool distributed = false, ok = true;
  for (int i = 0; i < program->nfuncs; i++) {
    const Function *f = program->funcs[i];
    orchestrations += f->type == FUNC_ORCHESTRATION;
    distributed |= level_rank(f->level) >= level_rank(LEVEL_HOST);
  }
  if (!distributed && orchestrations <= 1) {
    ok = write_chip(&p);
  } else {
    for (int i = 0; i < program->nfuncs; i++)
      if (program->funcs[i]->type == FUNC_ORCHESTRATION)
        ok &= write_orchestration_chip(&p, program, program->funcs[i]);
  }
  for (size_t i = 0; ok && i < made.len; i++) vec_push(out, made.data[i]);
  if (ok) vec_free(&made);
  else artifacts_free(&made);
  return ok;
}
