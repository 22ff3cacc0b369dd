#include "target/target.h"

#include <stddef.h>
#include <string.h>

extern const Target target_ascend910b, target_ascend950;

const Target *const targets[] = {&target_ascend910b, &target_ascend950, NULL};

const Target *target_by_name(const char *name) {
  for (int i = 0; targets[i]; i++)
    if (strcmp(targets[i]->name, name) == 0 || strcmp(targets[i]->alias, name) == 0)
      return targets[i];
  return NULL;
}
