#include "passes/pass.h"

#include <string.h>

const PassInfo pass_pipeline[] = {
#define STEP(name, run, requires, produces, invalidates) \
  {name, run, requires, produces, invalidates},
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
  if (pass->run == block_nz_tensor_views) return program_has_nz_tensors(p);
  if (pass->run == memory_reuse) return opts->planner == PLANNER_PYPTO;
  return pass->run != allocate_memory_addr || opts->planner != PLANNER_PTOAS;
}

const PassInfo *pass_by_name(const char *name) {
  for (int i = 0; i < pass_pipeline_len; i++)
    if (strcmp(pass_pipeline[i].name, name) == 0) return &pass_pipeline[i];
  return NULL;
}

const char *property_name(PropertyId p) { return properties[p].name; }
VerifyFn property_verifier(PropertyId p) { return properties[p].verify; }
