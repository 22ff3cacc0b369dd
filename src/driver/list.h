/* list.h -- --list-passes, --list-ops and --list-conversions. */
#ifndef PYPTOC_DRIVER_LIST_H
#define PYPTOC_DRIVER_LIST_H

#include <stdbool.h>

void list_passes(void);
/* `format`: "text", "json" or "md"; false if it is none of them. */
bool list_ops(const char *format);
/* `format`: "text" or "md"; false if it is neither. */
bool list_conversions(const char *format);

#endif
