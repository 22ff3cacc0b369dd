#include "driver/list.h"

#include <stdio.h>
#include <string.h>

#include "ir/op_list.h"
#include "passes/pass.h"
#include "passes/util/cast_chain.h"

/* "  needs A, B"; nothing for no property. */
static void list_properties(const char *verb, uint64_t props) {
  const char *before = verb;
  for (int i = 0; i < PROP_COUNT; i++) {
    if (!(props >> i & 1)) continue;
    printf("%s %s", before, property_name(i));
    before = ",";
  }
}

void list_passes(void) {
  for (int i = 0; i < pass_pipeline_len; i++) {
    const PassInfo *pass = &pass_pipeline[i];
    printf("%02d %s", i + 1, pass->name);
    list_properties("  needs", pass->requires);
    list_properties("  gives", pass->produces);
    list_properties("  ends", pass->invalidates);
    putchar('\n');
  }
}

bool list_ops(const char *format) {
  static const struct {
    const char *name;
    void (*list)(Buf *out, Ir *ir);
  } formats[] = {{"text", op_list_text}, {"json", op_list_json}, {"md", op_list_markdown}};
  void (*list)(Buf *, Ir *) = NULL;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(format, formats[i].name) == 0) list = formats[i].list;
  if (!list) return false;
  Arena arena;
  Diag diag;
  Ir ir;
  Buf out = {0};
  arena_init(&arena);
  diag_init(&diag, &arena, NULL);
  ir_init(&ir, &arena, &diag);
  list(&out, &ir);
  fwrite(out.data, 1, out.len, stdout);
  buf_free(&out);
  ir_free(&ir);
  arena_free(&arena);
  return true;
}

/* "FP16 -> FP32 -> BF16"; false if the chip cannot convert at all. */
static bool conversion_path(Buf *out, const Target *t, DType from, DType to) {
  DType chain[DT_COUNT];
  int n = cast_chain(t, from, to, chain);
  buf_printf(out, "%s", dtype_name(from));
  for (int i = 0; i < n; i++) buf_printf(out, " -> %s", dtype_name(chain[i]));
  return n > 0;
}

/* One line per pair, fields between tabs: target, source, destination, path. */
static void conversions_text(Buf *out, const Target *t) {
  for (DType from = DT_NONE + 1; from < DT_COUNT; from++) {
    for (DType to = DT_NONE + 1; to < DT_COUNT; to++) {
      Buf path = {0};
      if (conversion_path(&path, t, from, to))
        buf_printf(out, "%s\t%s\t%s\t%s\n", t->name, dtype_name(from), dtype_name(to), path.data);
      buf_free(&path);
    }
  }
}

/* The destinations of `from` in `n` or, if `n` is 2, more hops. */
static void conversions_cell(Buf *out, const Target *t, DType from, int n) {
  DType chain[DT_COUNT];
  const char *between = "";
  for (DType to = DT_NONE + 1; to < DT_COUNT; to++) {
    int hops = cast_chain(t, from, to, chain);
    if (n == 1 ? hops != 1 : hops < n) continue;
    buf_puts(out, between);
    between = n == 1 ? ", " : "<br>";
    if (n == 1)
      buf_puts(out, dtype_name(to));
    else
      conversion_path(out, t, from, to);
  }
}

/* A table for the target: what is native, and the chains. */
static void conversions_markdown(Buf *out, const Target *t) {
  buf_printf(out, "\n### %s\n\n| from | native | by a chain |\n| --- | --- | --- |\n", t->name);
  for (DType from = DT_NONE + 1; from < DT_COUNT; from++) {
    if (!t->conversions[from]) continue;
    buf_printf(out, "| %s | ", dtype_name(from));
    conversions_cell(out, t, from, 1);
    buf_puts(out, " | ");
    conversions_cell(out, t, from, 2);
    buf_puts(out, " |\n");
  }
}

bool list_conversions(const char *format) {
  bool markdown = strcmp(format, "md") == 0;
  if (!markdown && strcmp(format, "text") != 0) return false;
  Buf out = {0};
  for (int i = 0; targets[i]; i++)
    (markdown ? conversions_markdown : conversions_text)(&out, targets[i]);
  fwrite(out.data, 1, out.len, stdout);
  buf_free(&out);
  return true;
}
