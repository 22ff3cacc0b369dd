/* fuzz.c -- libFuzzer on any bytes: they must be read or be refused with a message.  What is read is
 * printed, moved together, printed as before and verified; built with -DFUZZ_PIPELINE also compiled, all passes
 * and all artifacts.
 *
 * Messages are printed, to nowhere, so that their formatting is tested, too. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arith/lend.h"
#include "base/buf.h"
#include "codegen/codegen.h"
#include "driver/pipeline.h"
#include "ir/compact.h"
#include "ir/print.h"
#include "parser/parser.h"
#include "passes/verify.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  nowhere = fopen("/dev/null", "w");
  return nowhere ? 0 : 1;
}

static Buf printed(Ir *ir, const Program *p) {
  Buf text = {0};
  print_program(&text, ir, p, &(PrintOptions){0});
  return text;
}

static Program *moved(Ir *ir, Program *p) {
  Buf before = printed(ir, p);
  arith_take_back(ir);
  p = ir_compact(ir, p);
  arith_lend(ir);
  Buf after = printed(ir, p);
  if (strcmp(buf_str(&before), buf_str(&after)) != 0) abort();
  buf_free(&before);
  buf_free(&after);
  return p;
}

#ifdef FUZZ_PIPELINE
/* Both chips, all planners, both runtimes: chosen by the length, so that a finding stays one. */
static Options choose_options(size_t size) {
  bool a5 = size & 1;
  return (Options){
      .passes = "default",
      .verify = VERIFY_EACH,
      .compile = {.target = target_by_name(a5 ? "ascend950" : "ascend910b"),
                  .target_chosen = true,
                  .planner = (MemoryPlanner)(size / 2 % 3),
                  .runtime = (RuntimeKind)(size / 6 % 2),
                  .locations = true},
  };
}

static void compile_whole(Ir *ir, Program *p, size_t size) {
  Options o = choose_options(size);
  int before = ir->diag->errors;
  p = pipeline_run(ir, &o, moved(ir, p));
  if (!p && ir->diag->errors == before) abort();
  if (!p || ir->diag->errors) return;
  p = moved(ir, p);
  CodegenCtx ctx = {ir, &o.compile, "fuzz.pir"};
  ArtifactList list = {0};
  bool ok = codegen_pto(&ctx, p, &list) && codegen_orchestration(&ctx, p, &list);
  if (!ok && ir->diag->errors == before) abort();
  artifacts_free(&list);
}
#else
static void compile_whole(Ir *ir, Program *p, size_t size) {
  const CompileOptions o = {.target = target_by_name("ascend950")};
  PassCtx ctx = {.ir = ir, .opts = &o};
  (void)size;
  p = moved(ir, p);
  warn_program(ir, p);
  verify_properties(&ctx, p, PROPS_ALWAYS, NULL);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Arena arena;
  Diag diag;
  Ir ir;
  arena_init(&arena);
  Source source = {
      .path = "fuzz.pir", .text = arena_strndup(&arena, (const char *)data, size), .len = size};
  diag_init(&diag, &arena, &source);
  diag.out = nowhere;
  diag.hints = true;
  ir_init(&ir, &arena, &diag);
  arith_lend(&ir);
  Program *p = parse_program(&ir);
  if (!p && diag.errors == 0) abort(); /* refused without a message */
  if (p && diag.errors == 0) compile_whole(&ir, p, size);
  arith_take_back(&ir);
  ir_free(&ir);
  arena_free(&arena);
  return 0;
}
