/* pass.h -- passes over programs, and the table that orders them. */
#ifndef PYPTOC_PASSES_PASS_H
#define PYPTOC_PASSES_PASS_H

#include "passes/util/pass_ctx.h"

/* Gives the changed program (the same pointer if nothing changed), or NULL after reporting errors. */
typedef Program *(*PassFn)(PassCtx *ctx, Program *p);
/* Checks one property; reports each violation and returns false. */
typedef bool (*VerifyFn)(PassCtx *ctx, const Program *p);

typedef enum PropertyId {
#define PROPERTY(id, name, verify) PROP_##id,
#include "passes/properties.def"
#undef PROPERTY
  PROP_COUNT
} PropertyId;
#define BIT(prop) (UINT64_C(1) << PROP_##prop)
/* What a program must satisfy that is to be compiled at all ... */
#define PROPS_AT_INPUT                                                    \
  (BIT(TYPE_CHECKED) | BIT(BREAK_CONTINUE_VALID) | BIT(INOUT_USE_VALID) | \
   BIT(MANUAL_DEPS_ON_SUBMIT) | BIT(ATOMIC_ADD_DTYPE_VALID))
/* ... and what no pass may break, besides. */
#define PROPS_ALWAYS                                                                         \
  (PROPS_AT_INPUT | BIT(WELL_FORMED_TYPES) | BIT(TILE_TYPE_COHERENCE) | BIT(USE_AFTER_DEF) | \
   BIT(OUT_PARAM_NOT_SHADOWED) | BIT(NO_NESTED_INCORE) | BIT(PIPELINE_LOOP_VALID) |          \
   BIT(ARRAY_NOT_ESCAPED))

/* What a pass is for: each memory planner has its own, and some programs have nothing for a pass to do. */
typedef enum PassWhen {
  WHEN_ALWAYS,
  WHEN_PLANNER_IS_PYPTO, /* dsa-rp shares memory when it places it, ptoas plans by itself */
  WHEN_PLANNER_PLACES,   /* ptoas chooses the addresses */
  WHEN_WITH_NZ_TENSORS,
} PassWhen;

typedef struct PassInfo {
  const char *name;
  PassFn run;
  PassWhen when;
  uint64_t requires, produces, invalidates;
} PassInfo;

/* The default pipeline in its order; Simplify stands in it twice. */
extern const PassInfo pass_pipeline[];
extern const int pass_pipeline_len;
/* Has the pass anything to do for these options and this program? */
bool pass_applies(const PassInfo *pass, const CompileOptions *opts, const Program *p);
/* The first pass of that name, or NULL. */
const PassInfo *pass_by_name(const char *name);
/* The first pass that produces the property, or NULL if it holds in every program. */
const PassInfo *pass_producing(PropertyId p);

const char *property_name(PropertyId p);
VerifyFn property_verifier(PropertyId p);

/* One function per pass, each in the file of its name. */
#define STEP(name, run, ...) Program *run(PassCtx *ctx, Program *p);
#include "passes/pipeline.def"
#undef STEP
/* Does a function take a tensor in NZ order?  Else block_nz_tensor_views has nothing to do. */
bool program_has_nz_tensors(const Program *p);
/* One function per property, each in a file of verify/. */
#define PROPERTY(id, name, verify) bool verify(PassCtx *ctx, const Program *p);
#include "passes/properties.def"
#undef PROPERTY

#endif
