/* pto.c -- which .pto files a program gives. */
#include "codegen/pto/pto.h"

#include <string.h>

#include "base/vec.h"
#include "codegen/base/builds.h"
#include "codegen/pto/emit.h"
#include "ir/calls.h"

/* One tree of files at work. */
typedef struct Plan {
  CodegenCtx *ctx;
  const Build *build;
  ArtifactList *out;
  Map grouped; /* functions that belong to a group */
} Plan;

static bool is_external(Ir *ir, const Function *f) {
  return attr_get(f->attrs, ir_name(ir, "external_source")) != NULL;
}

/* The functions of one module. */
typedef struct Members {
  const Plan *plan;
  Map set;
} Members;

static bool see_callee(Visitor *v, Expr *e) {
  Members *m = v->ctx;
  if (expr_is_call(e) && e->u.call.callee) {
    Function *f = program_func(m->plan->build->program, e->u.call.callee);
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
    Function *g =
        peer && peer->kind == ATTR_STR ? program_func(p->build->program, peer->u.str) : NULL;
    if (g) map_set(&m->set, g, NULL);
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(Function *const *)a)->name, (*(Function *const *)b)->name);
}

/* Writes one module of the members. */
static bool write_module(Plan *p, Members *m, Name name, const char *folder) {
  Arena *a = p->ctx->ir->arena;
  PtoUnit u = {.name = name, .funcs = NEW_ARRAY(a, Function *, m->set.count)};
  for (MapEntry *e = NULL; (e = map_next(&m->set, e));) u.funcs[u.nfuncs++] = (Function *)e->key;
  sort_array(u.funcs, (size_t)u.nfuncs, sizeof *u.funcs, by_name);
  for (int i = 0; i < u.nfuncs; i++) {
    if (func_is_incore(u.funcs[i]->type)) continue;
    diag_error(p->ctx->ir->diag, u.funcs[i]->span,
               "function '%s' is part of kernel '%s' but no kernel "
               "itself",
               u.funcs[i]->name, name);
    return false;
  }
  Buf text = {0};
  bool ok = pto_write_unit(p->ctx, &u, &text);
  if (ok)
    *artifact_add(p->out, arena_printf(a, "%s%s/%s.pto", p->build->prefix, folder, name)) = text;
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
    if (is_external(p->ctx->ir, f))
      external++;
    else
      own = f;
  }
  bool ok = true;
  if (external && own) {
    diag_error(p->ctx->ir->diag, group->span,
               "group '%s' mixes kernels with an external source and "
               "kernels without ('%s')",
               group->name, own->name);
    ok = false;
  } else if (own) {
    ok = write_module(p, &m, group->name, "kernels");
  }
  map_free(&m.set);
  return ok;
}

static bool write_kernel(Plan *p, Function *f) {
  if (f->type == FUNC_INCORE) {
    diag_error(p->ctx->ir->diag, f->span,
               "kernel '%s' is neither for cube nor for vector cores; "
               "ExpandMixedKernel has not run",
               f->name);
    return false;
  }
  Members m = {.plan = p};
  map_set(&m.set, f, NULL);
  add_peers(p, f, &m);
  bool ok = write_module(p, &m, f->name, f->type == FUNC_AIV ? "kernels/aiv" : "kernels/aic");
  map_free(&m.set);
  return ok;
}

static bool write_build(Plan *p) {
  const Program *all = p->build->program;
  bool ok = true;
  for (int i = 0; i < all->nfuncs; i++)
    if (all->funcs[i]->type == FUNC_GROUP) ok &= write_group(p, all->funcs[i]);
  for (int i = 0; i < all->nfuncs; i++) {
    Function *f = all->funcs[i];
    if (func_is_incore(f->type) && !map_has(&p->grouped, f) && !is_external(p->ctx->ir, f))
      ok &= write_kernel(p, f);
  }
  map_free(&p->grouped);
  return ok;
}

bool codegen_pto(CodegenCtx *ctx, const Program *program, ArtifactList *out) {
  ArtifactList made = {0};
  BuildList builds = {0};
  bool ok = true;
  builds_of(ctx->ir, (Program *)program, &builds);
  for (size_t i = 0; i < builds.len; i++) {
    Plan p = {.ctx = ctx, .build = &builds.data[i], .out = &made};
    ok &= write_build(&p);
  }
  vec_free(&builds);
  for (size_t i = 0; ok && i < made.len; i++) vec_push(out, made.data[i]);
  if (ok)
    vec_free(&made);
  else
    artifacts_free(&made);
  return ok;
}
