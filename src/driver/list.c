#include "driver/list.h"

#include <stdio.h>

#include "ir/op_list.h"
#include "passes/pass.h"

void list_passes(void) {
  for (int i = 0; i < pass_pipeline_len; i++)
    printf("%02d %s%s\n", i + 1, pass_pipeline[i].name, pass_pipeline[i].run ? "" : " (not built yet)");
}

void list_ops(bool json) {
  Arena arena;
  Diag diag;
  Ir ir;
  Buf out = {0};
  arena_init(&arena);
  diag_init(&diag, &arena, NULL);
  ir_init(&ir, &arena, &diag);
  if (json)
    op_list_json(&out, &ir);
  else
    op_list_text(&out, &ir);
  fwrite(out.data, 1, out.len, stdout);
  buf_free(&out);
  ir_free(&ir);
  arena_free(&arena);
}
