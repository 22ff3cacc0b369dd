#include "driver/list.h"

#include <stdio.h>
#include <string.h>

#include "ir/op_list.h"
#include "passes/pass.h"

void list_passes(void) {
  for (int i = 0; i < pass_pipeline_len; i++)
    printf("%02d %s\n", i + 1, pass_pipeline[i].name);
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
