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

int target_mem_path(const Target *t, MemSpace from, MemSpace to, MemSpace *path) {
  MemSpace queue[MEM_COUNT], before[MEM_COUNT];
  int head = 0, tail = 0;
  uint32_t seen = UINT32_C(1) << from;
  queue[tail++] = from;
  while (head < tail && !((seen >> to) & 1)) {
    MemSpace at = queue[head++];
    for (int next = 0; next < MEM_COUNT; next++) {
      if (!target_moves(t, at, (MemSpace)next) || ((seen >> next) & 1)) continue;
      seen |= UINT32_C(1) << next;
      before[next] = at;
      queue[tail++] = (MemSpace)next;
    }
  }
  if (!((seen >> to) & 1)) return 0;
  int len = 1;
  for (MemSpace s = to; s != from; s = before[s]) len++;
  int i = len;
  for (MemSpace s = to;; s = before[s]) {
    path[--i] = s;
    if (s == from) return len;
  }
}
