/* list.h -- --list-passes and --list-ops. */
#ifndef PYPTOC_DRIVER_LIST_H
#define PYPTOC_DRIVER_LIST_H

#include <stdbool.h>

void list_passes(void);
/* `format`: "text", "json" or "md"; false if it is none of them. */
bool list_ops(const char *format);

#endif
