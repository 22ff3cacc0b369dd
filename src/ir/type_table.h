/* type_table.h -- the interning of types; private to ir. */
#ifndef PYPTOC_IR_TYPE_TABLE_H
#define PYPTOC_IR_TYPE_TABLE_H

#include "ir/type.h"

/* A copy of a type or reference, with the same lists, not yet in the table. */
Type *type_copy(Ir *ir, const Type *t);
MemRef *memref_copy(Ir *ir, const MemRef *m);

void type_table_init(Ir *ir);
/* Forgets all types and memory references, and frees what the table took ... */
void type_table_clear(Ir *ir);
/* ... and learns one that is canonical and of which it has no equal. */
void type_table_add(Ir *ir, const Type *t);
void type_table_add_memref(Ir *ir, const MemRef *m);

#endif
