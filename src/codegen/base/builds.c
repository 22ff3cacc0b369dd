#include "codegen/base/builds.h"

#include "base/map.h"
#include "ir/calls.h"
#include "ir/visit.h"

bool program_is_distributed(const Program *p) {
  for (int i = 0; i < p->nfuncs; i++)
    if (level_rank(p->funcs[i]->level) >= level_rank(LEVEL_HOST)) return true;
  return false;
}

typedef struct Reach {
  const Program *program;
  Map seen;
  VEC(Function *) found; /* also the work list */
} Reach;

static bool reach_expr(Visitor *v, Expr *e) {
  Reach *r = v->ctx;
  Function *f = call_target(r->program, e);
  if (f && (func_is_incore(f->type) || func_is_wrapper(f->type)) && map_set(&r->seen, f, r))
    vec_push(&r->found, f);
  return true;
}

static Program *reachable(Ir *ir, const Program *p, Function *orchestration) {
  Reach r = {.program = p};
  Visitor v = {.ctx = &r, .expr = reach_expr};
  map_set(&r.seen, orchestration, &r);
  vec_push(&r.found, orchestration);
  for (size_t i = 0; i < r.found.len; i++) visit_block(&v, r.found.data[i]->body);
  Program *part = program_new(ir, orchestration->name, r.found.data, (int)r.found.len, p->span);
  map_free(&r.seen);
  vec_free(&r.found);
  return part;
}

void builds_of(Ir *ir, Program *p, BuildList *out) {
  int n = 0;
  Function *last = NULL;
  for (int i = 0; i < p->nfuncs; i++) {
    if (p->funcs[i]->type != FUNC_ORCHESTRATION) continue;
    n++;
    last = p->funcs[i];
  }
  bool distributed = program_is_distributed(p);
  if (n <= 1 && !distributed) {
    vec_push(out, (Build){"", p, last});
    return;
  }
  for (int i = 0; i < p->nfuncs; i++) {
    Function *f = p->funcs[i];
    if (f->type != FUNC_ORCHESTRATION) continue;
    vec_push(out,
             (Build){arena_printf(ir->arena, "next_levels/%s/", f->name), reachable(ir, p, f), f});
  }
}
