/* list.h -- --list-passes and --list-ops. */
#ifndef PYPTOC_DRIVER_LIST_H
#define PYPTOC_DRIVER_LIST_H

#include <stdbool.h>

void list_passes(void);
void list_ops(bool json);

#endif
