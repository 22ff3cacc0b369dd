/* type_table.h -- the interning of types; private to ir. */
#ifndef PYPTOC_IR_TYPE_TABLE_H
#define PYPTOC_IR_TYPE_TABLE_H

#include "ir/type.h"

void type_table_init(Ir *ir);
void type_table_free(Ir *ir);

#endif
