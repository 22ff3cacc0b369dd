#include "ir/ir.h"

#include <string.h>

#include "ir/op.h"
#include "ir/type_table.h"

void ir_init(Ir *ir, Arena *arena, Diag *diag) {
  memset(ir, 0, sizeof *ir);
  ir->arena = arena;
  ir->diag = diag;
  names_init(&ir->names, arena);
  type_table_init(ir);
  ops_init(ir);
}

void ir_free(Ir *ir) {
  map_free(&ir->op_names);
  map_free(&ir->short_names);
  type_table_free(ir);
  names_free(&ir->names);
}
