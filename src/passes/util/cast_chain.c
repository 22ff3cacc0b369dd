#include "passes/util/cast_chain.h"

#include <string.h>

/* Significand bits with the leading one, and exponent bits; zero where it is not known. */
typedef struct FloatFormat {
  int significand, exponent;
} FloatFormat;

static FloatFormat float_format(DType t) {
  switch (t) {
    case DT_FP32: return (FloatFormat){24, 8};
    case DT_FP16: return (FloatFormat){11, 5};
    case DT_BF16: return (FloatFormat){8, 8};
    default: return (FloatFormat){0, 0};
  }
}

static int value_bits(DType t) { return dtype_bits(t) - dtype_is_signed(t); }

/* Would going through `inner` surely lose values that `to` tells apart? */
static bool loses(DType inner, DType to) {
  FloatFormat f = float_format(inner), g = float_format(to);
  if (dtype_is_float(to)) {
    if (dtype_is_int(inner)) return true;
    return f.significand && g.significand &&
           (f.significand < g.significand || f.exponent < g.exponent);
  }
  if (!dtype_is_int(to)) return false;
  if (dtype_is_float(inner)) return f.significand && f.significand < value_bits(to);
  if (!dtype_is_int(inner)) return false;
  return (dtype_is_unsigned(inner) && dtype_is_signed(to)) || value_bits(inner) < value_bits(to);
}

static int hop_cost(DType from, DType to) {
  if (!dtype_is_float(to)) return 2;
  if (dtype_is_float(from)) return 1;
  return dtype_bits(from) == dtype_bits(to) ? 0 : 2;
}

/* Breadth first: how each type is reached in the fewest hops, and at what cost. */
typedef struct Search {
  DType via[DT_COUNT];
  int hops[DT_COUNT]; /* 0: not reached */
  int cost[DT_COUNT];
  DType queue[DT_COUNT];
  int len;
} Search;

static void reach(Search *s, DType from, DType next, int hops, int cost) {
  if (!s->hops[next]) {
    s->queue[s->len++] = next;
  } else if (s->hops[next] != hops || s->cost[next] <= cost) {
    return;
  }
  s->via[next] = from;
  s->hops[next] = hops;
  s->cost[next] = cost;
}

/* Which of two types is tried first at equal cost: a float before an integer, then the wider one, then
 * the unsigned one. */
static bool comes_before(DType a, DType b) {
  if (dtype_is_float(a) != dtype_is_float(b)) return dtype_is_float(a);
  if (dtype_bits(a) != dtype_bits(b)) return dtype_bits(a) > dtype_bits(b);
  return dtype_is_unsigned(a) && !dtype_is_unsigned(b);
}

/* The types that `at` converts to, in the order they are tried. */
static int neighbours(const Target *target, DType at, DType *out) {
  int n = 0;
  for (DType t = DT_NONE + 1; t < DT_COUNT; t++) {
    if (!target_converts(target, at, t)) continue;
    int i = n++;
    for (; i > 0 && comes_before(t, out[i - 1]); i--) out[i] = out[i - 1];
    out[i] = t;
  }
  return n;
}

int cast_chain(const Target *target, DType from, DType to, DType *chain) {
  if (from == to) return 0;
  Search s;
  memset(&s, 0, sizeof s);
  s.queue[s.len++] = from;
  for (int head = 0; head < s.len; head++) {
    DType at = s.queue[head], next[DT_COUNT];
    int n = neighbours(target, at, next);
    for (int i = 0; i < n; i++)
      if (next[i] != from && (next[i] == to || !loses(next[i], to)))
        reach(&s, at, next[i], s.hops[at] + 1, s.cost[at] + hop_cost(at, next[i]));
  }
  int n = s.hops[to];
  for (int i = n; i > 0; i--, to = s.via[to]) chain[i - 1] = to;
  return n;
}
