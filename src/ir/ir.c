#include "ir/ir.h"

#include <string.h>

#include "ir/op.h"
#include "ir/type_table.h"

void ir_init(Ir *ir, Arena *home, Diag *diag) {
  memset(ir, 0, sizeof *ir);
  arena_init(&ir->nodes);
  ir->arena = &ir->nodes;
  ir->home = home;
  ir->diag = diag;
  names_init(&ir->names, home);
  attr_keys_init(ir);
  type_table_init(ir);
  ops_init(ir);
}

void ir_free(Ir *ir) {
  map_free(&ir->op_names);
  map_free(&ir->short_names);
  type_table_clear(ir);
  names_free(&ir->names);
  arena_free(&ir->nodes);
}
