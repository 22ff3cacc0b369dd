#include "driver/pipeline.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "arith/lend.h"
#include "base/file.h"
#include "driver/roundtrip.h"
#include "ir/compact.h"
#include "ir/print.h"
#include "passes/verify.h"

typedef struct Pipeline {
  Ir *ir;
  const Options *opts;
  PassCtx ctx;
  bool whole;     /* the default pipeline, not a list of passes on who knows what program */
  uint64_t holds; /* properties known to hold */
} Pipeline;

/* Processor time: what else the machine does is not the pass's. */
static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void print_ir(Pipeline *pl, const Program *p, Buf *out) {
  print_program(out, pl->ir, p, &(PrintOptions){pl->opts->concise, pl->opts->explicit_layout});
  buf_putc(out, '\n');
}

/* Written at once: what went into the pass that fails is what the reader of dumps looks for. */
static bool dump(Pipeline *pl, const PassInfo *pass, int number, Buf *text) {
  const char *path = arena_printf(pl->ir->arena, "%s/%02d_after_%s.pir", pl->opts->dump_passes,
                                  number, pass->name);
  if (file_same(path, pl->opts->input)) {
    diag_error(pl->ir->diag, NO_SPAN, "'%s' is the input: write the dumps elsewhere", path);
    return false;
  }
  FileSet file = {0};
  const char *failed;
  bool ok = file_make_parents(path) && file_add(&file, path, text) && file_commit(&file, &failed);
  if (!ok) diag_error(pl->ir->diag, NO_SPAN, "cannot write '%s': %s", path, strerror(errno));
  file_discard(&file);
  return ok;
}

/* --dump-passes and --print-after. */
static bool show(Pipeline *pl, const PassInfo *pass, int number, const Program *p) {
  const Options *o = pl->opts;
  bool print = o->print_after &&
               (strcmp(o->print_after, "all") == 0 || strcmp(o->print_after, pass->name) == 0);
  if (!print && !o->dump_passes) return true;
  Buf text = {0};
  print_ir(pl, p, &text);
  bool ok = true;
  if (print) fprintf(stderr, "# ---- after %02d %s\n%s", number, pass->name, buf_str(&text));
  if (o->dump_passes) ok = dump(pl, pass, number, &text);
  buf_free(&text);
  return ok;
}

/* What no pass of this run has made true is checked, once: what a wrong order of passes would do cannot be told
 * from the program that comes out. */
static bool verify_before(Pipeline *pl, const PassInfo *pass, const Program *p) {
  uint64_t unknown = pass->requires & ~pl->holds;
  if (pl->opts->verify == VERIFY_NONE || !unknown) return true;
  if (!verify_required(&pl->ctx, p, unknown, pass->name)) return false;
  pl->holds |= unknown;
  return true;
}

static Program *apply(Pipeline *pl, const PassInfo *pass, Program *p) {
  Diag *d = pl->ir->diag;
  int errors = d->errors;
  Program *q = pass->run(&pl->ctx, p);
  if (!q && d->errors == errors) diag_internal(d, "the pass failed without a message");
  return d->errors == errors ? q : NULL;
}

/* What the pass has made true is checked; with --verify=each all that is to hold. */
static bool verify_after(Pipeline *pl, const PassInfo *pass, const Program *p) {
  pl->holds = (pl->holds & ~pass->invalidates) | pass->produces;
  switch (pl->opts->verify) {
    case VERIFY_NONE: return true;
    case VERIFY_BASIC:
      return !pl->whole || verify_properties(&pl->ctx, p, pass->produces, pass->name);
    case VERIFY_EACH:
    case VERIFY_ROUNDTRIP: return verify_properties(&pl->ctx, p, pl->holds, pass->name);
  }
  return true;
}

/* Before the first pass of the pipeline. */
static bool verify_input(Pipeline *pl, const Program *p) {
  pl->holds = PROPS_ALWAYS;
  if (pl->opts->verify == VERIFY_NONE || (pl->opts->verify == VERIFY_BASIC && !pl->whole))
    return true;
  int errors = pl->ir->diag->errors;
  if (pl->whole) warn_program(pl->ir, p);
  if (pl->ir->diag->errors != errors) return false; /* -Werror */
  uint64_t props = pl->opts->verify == VERIFY_BASIC ? PROPS_AT_INPUT : PROPS_ALWAYS;
  return verify_properties(&pl->ctx, p, props, NULL);
}

/* While memory is planned, nearly all that was made is in use: moving it gives little back, until tiles share their
 * allocations and the last step is to come. */
static bool is_planning(const Pipeline *pl, const PassInfo *next) {
  uint64_t planned = BIT(MEMORY_PLAN_SAFE);
  return (pl->holds & BIT(HAS_MEMREFS)) && !((pl->holds | next->produces) & planned);
}

static Program *tidy(Pipeline *pl, const PassInfo *next, Program *p) {
  Ir *ir = pl->ir;
  if (!ir_compact_due(ir) || is_planning(pl, next)) return p;
  double start = now_ms();
  arith_take_back(ir); /* it remembers expressions */
  p = ir_compact(ir, p);
  arith_lend(ir);
  if (pl->opts->time_passes)
    fprintf(stderr, "   %-28s %9.3f ms %10.1f KiB live\n", "(compaction)", now_ms() - start,
            (double)ir->compacted / 1024.0);
  return p;
}

static Program *run_pass(Pipeline *pl, const PassInfo *pass, int number, Program *p) {
  pl->ir->diag->phase = pass->name;
  if (!verify_before(pl, pass, p)) return NULL;
  p = tidy(pl, pass, p);
  double start = now_ms();
  size_t used = pl->ir->arena->used;
  p = apply(pl, pass, p);
  if (pl->opts->time_passes)
    fprintf(stderr, "%02d %-28s %9.3f ms %10.1f KiB\n", number, pass->name, now_ms() - start,
            (double)(pl->ir->arena->used - used) / 1024.0);
  if (!p) return NULL;
  if (!show(pl, pass, number, p) || !verify_after(pl, pass, p)) return NULL;
  if (pl->opts->verify == VERIFY_ROUNDTRIP && !roundtrip_check(pl->ir, p, pass->name)) return NULL;
  return p;
}

/* The passes named in a list, in the order of the list, numbered by it. */
static Program *run_list(Pipeline *pl, Program *p) {
  int number = 1;
  for (const char *s = pl->opts->passes; p && *s; number++) {
    size_t n = strcspn(s, ",");
    const PassInfo *pass = pass_by_name(arena_strndup(pl->ir->arena, s, n));
    if (pass_applies(pass, &pl->opts->compile, p)) p = run_pass(pl, pass, number, p);
    s += n + (s[n] == ',');
  }
  return p;
}

Program *pipeline_run(Ir *ir, const Options *o, Program *p) {
  Pipeline pl = {.ir = ir, .opts = o, .ctx = {.ir = ir, .opts = &o->compile}};
  if (o->verify == VERIFY_ROUNDTRIP && !roundtrip_check(ir, p, "reading")) return NULL;
  if (strcmp(o->passes, "none") == 0) return p;
  pl.whole = strcmp(o->passes, "default") == 0;
  if (!verify_input(&pl, p)) return NULL;
  if (!pl.whole) return run_list(&pl, p);
  if (p->lone_function) { /* what is compiled is a program */
    p = COPY_ARRAY(ir->arena, Program, p, 1);
    p->lone_function = false;
  }
  for (int i = 0, number = 0; i < pass_pipeline_len && p; i++) {
    if (!pass_applies(&pass_pipeline[i], &o->compile, p)) continue;
    p = run_pass(&pl, &pass_pipeline[i], ++number, p);
    if (o->stop_after && strcmp(o->stop_after, pass_pipeline[i].name) == 0) break;
  }
  ir->diag->phase = NULL;
  if (p) hint_program(ir, o->compile.target, p);
  return p;
}
