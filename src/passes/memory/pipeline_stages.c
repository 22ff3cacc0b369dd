#include "passes/memory/pipeline_stages.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* A stage that the allocations of a number belong to. */
typedef struct StageOf {
  PipeStage at;
  uint32_t number;
} StageOf;

static int by_stage(const void *x, const void *y) {
  const PipeStage *a = x, *b = y;
  if (a->group != b->group) return a->group < b->group ? -1 : 1;
  return a->stage < b->stage ? -1 : a->stage > b->stage;
}

static int by_stage_of(const void *x, const void *y) {
  const StageOf *a = x, *b = y;
  int order = by_stage(&a->at, &b->at);
  return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

typedef struct NumberPair {
  uint32_t a, b;
} NumberPair;

static int by_pair(const void *x, const void *y) {
  const NumberPair *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

/* The stages of an interval as a name: the same for the same set. */
static Name stages_name(Ir *ir, const Lives *l, const Interval *iv) {
  PipeStage *own = COPY_ARRAY(ir->arena, PipeStage, &l->stages.data[iv->first_stage], iv->nstages);
  sort_array(own, (size_t)iv->nstages, sizeof *own, by_stage);
  Buf b = {0};
  for (int i = 0; i < iv->nstages; i++)
    if (i == 0 || by_stage(&own[i - 1], &own[i]) != 0)
      buf_printf(&b, "%d:%d;", own[i].group, own[i].stage);
  Name name = ir_name(ir, buf_str(&b));
  buf_free(&b);
  return name;
}

/* Lists for each number those of other stages in one of its pipelines; `all` has the stages of all numbers. */
static void find_at_once(PipelineStages *s, Ir *ir, StageOf *all, size_t len) {
  VEC(NumberPair) pairs = {0};
  sort_array(all, len, sizeof *all, by_stage_of);
  for (size_t i = 0; i < len; i++)
    for (size_t k = i + 1; k < len && all[k].at.group == all[i].at.group; k++) {
      if (all[k].at.stage == all[i].at.stage) continue;
      vec_push(&pairs, (NumberPair){all[i].number, all[k].number});
      vec_push(&pairs, (NumberPair){all[k].number, all[i].number});
    }
  sort_array(pairs.data, pairs.len, sizeof *pairs.data, by_pair);
  uint32_t *lists = NEW_ARRAY(ir->arena, uint32_t, pairs.len + 1);
  size_t n = 0;
  for (size_t i = 0; i < pairs.len; i++) {
    if (i && by_pair(&pairs.data[i - 1], &pairs.data[i]) == 0) continue;
    DsaStages *of = &s->at_once[pairs.data[i].a];
    if (of->len++ == 0) of->list = &lists[n];
    lists[n++] = pairs.data[i].b;
  }
  vec_free(&pairs);
}

void stages_init(PipelineStages *s, Ir *ir, const Lives *l) {
  size_t n = l->intervals.len;
  Map numbers = {0};
  VEC(StageOf) all = {0};
  *s = (PipelineStages){.of = xmalloc((n + 1) * sizeof *s->of), .n = 1};
  for (size_t i = 0; i < n; i++) {
    const Interval *iv = &l->intervals.data[i];
    s->of[i] = 0;
    if (iv->nstages == 0) continue;
    Name name = stages_name(ir, l, iv);
    bool fresh = !map_has(&numbers, name);
    if (fresh) map_set(&numbers, name, map_int((intptr_t)s->n++));
    s->of[i] = (uint32_t)map_get_int(&numbers, name);
    for (int k = 0; fresh && k < iv->nstages; k++)
      vec_push(&all, (StageOf){l->stages.data[iv->first_stage + k], s->of[i]});
  }
  s->at_once = xmalloc(s->n * sizeof *s->at_once);
  memset(s->at_once, 0, s->n * sizeof *s->at_once);
  find_at_once(s, ir, all.data, all.len);
  vec_free(&all);
  map_free(&numbers);
}

void stages_free(PipelineStages *s) {
  free(s->of);
  free(s->at_once);
}
