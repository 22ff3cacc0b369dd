#include "passes/memory/loop_spans.h"

void loop_spans_seal(LoopSpans *s) {
  size_t n = s->list.len, levels = 1;
  while (((size_t)1 << levels) <= n) levels++;
  s->table = xmalloc((levels * n + 1) * sizeof *s->table);
  for (size_t i = 0; i < n; i++) s->table[i] = s->list.data[i].end;
  for (size_t k = 1; k < levels; k++) {
    const int *half = &s->table[(k - 1) * n];
    size_t span = (size_t)1 << k;
    for (size_t i = 0; i + span <= n; i++) {
      int a = half[i], b = half[i + span / 2];
      s->table[k * n + i] = a > b ? a : b;
    }
  }
}

/* The first loop that starts behind `point`. */
static size_t loop_behind(const LoopSpans *s, int point) {
  size_t lo = 0, hi = s->list.len;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (s->list.data[mid].start <= point)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

int loop_spans_reach(const LoopSpans *s, int def, int last) {
  size_t n = s->list.len, from = loop_behind(s, def), to = loop_behind(s, last), k = 0;
  if (from >= to) return last;
  while (((size_t)2 << k) <= to - from) k++;
  int a = s->table[k * n + from], b = s->table[k * n + to - ((size_t)1 << k)];
  int end = a > b ? a : b;
  return end > last ? end : last;
}

void loop_spans_free(LoopSpans *s) {
  vec_free(&s->list);
  free(s->table);
  s->table = NULL;
}
