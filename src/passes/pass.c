#include "passes/pass.h"

#include <string.h>

const PassInfo pass_pipeline[] = {
#define STEP(name, run, when, requires, produces, invalidates) \
  {name, run, WHEN_##when, requires, produces, invalidates},
#include "passes/pipeline.def"
#undef STEP
};
const int pass_pipeline_len = sizeof pass_pipeline / sizeof *pass_pipeline;

static const struct {
  const char *name;
  VerifyFn verify;
} properties[PROP_COUNT] = {
#define PROPERTY(id, name, verify) [PROP_##id] = {name, verify},
#include "passes/properties.def"
#undef PROPERTY
};

bool pass_applies(const PassInfo *pass, const CompileOptions *opts, const Program *p) {
  switch (pass->when) {
    case WHEN_ALWAYS: return true;
    case WHEN_PLANNER_IS_PYPTO: return opts->planner == PLANNER_PYPTO;
    case WHEN_PLANNER_PLACES: return opts->planner != PLANNER_PTOAS;
    case WHEN_WITH_NZ_TENSORS: return program_has_nz_tensors(p);
  }
  return true;
}

const PassInfo *pass_by_name(const char *name) {
  for (int i = 0; i < pass_pipeline_len; i++)
    if (strcmp(pass_pipeline[i].name, name) == 0) return &pass_pipeline[i];
  return NULL;
}

const PassInfo *pass_producing(PropertyId p) {
  for (int i = 0; i < pass_pipeline_len; i++)
    if (pass_pipeline[i].produces >> p & 1) return &pass_pipeline[i];
  return NULL;
}

const char *property_name(PropertyId p) { return properties[p].name; }
VerifyFn property_verifier(PropertyId p) { return properties[p].verify; }
