/* choose.c -- tries all sizes that fit, and takes the fastest by the chip's cost table. */
#include "passes/l0_tiling/choose.h"

#include <math.h>

typedef struct Regime {
  Stationary hold;
  bool double_acc;
} Regime;

typedef struct Candidate {
  int64_t m, n, k;
  int64_t cycles;
  int64_t padded; /* multiplications, padding included */
  double load;    /* cycles of loading alone */
  Regime regime;
} Candidate;

/* Elements that fit. */
typedef struct Budget {
  int64_t left, right, acc;
} Budget;

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }
static int64_t at_least_1(int64_t a) { return a > 1 ? a : 1; }

static int64_t acc_elements(const L0Problem *p, int64_t m, int64_t n) {
  return round_up(round_up(m, p->box_m), p->acc_rows) * round_up(n, p->box_n);
}

/* Operands that stream have two buffers. */
static Budget budget(const L0Problem *p, Regime r) {
  const TargetSpace *s = p->target->spaces;
  return (Budget){s[MEM_LEFT].capacity / (p->left_bytes * (r.hold == HOLD_LEFT ? 1 : 2)),
                  s[MEM_RIGHT].capacity / (p->right_bytes * (r.hold == HOLD_RIGHT ? 1 : 2)),
                  s[MEM_ACC].capacity / (p->acc_bytes * (r.double_acc ? 2 : 1))};
}

/* ---------------------------------------------------------------- costs */

typedef struct Loads {
  double hold_left, hold_right, neither; /* cycles, by what is loaded once only */
} Loads;

static Loads loads(const L0Problem *p, int64_t m, int64_t n) {
  const TargetL0Cost *c = &p->target->l0_cost;
  double M = (double)p->M, N = (double)p->N, K = (double)p->K;
  double left = (double)p->left_bytes * M * K, right = (double)p->right_bytes * K * N;
  double columns = (double)ceil_div(p->N, n), rows = (double)ceil_div(p->M, m);
  double left_once = left / c->left_bytes_per_cycle, right_once = right / c->right_bytes_per_cycle;
  double left_often = left * columns / c->left_bytes_per_cycle,
         right_often = right * rows / c->right_bytes_per_cycle;
  return (Loads){left_once + right_often, left_often + right_once, left_often + right_often};
}

static bool left_outer(const L0Problem *p, int64_t m, int64_t n) {
  Loads l = loads(p, m, n);
  return l.hold_left <= l.hold_right;
}

static double load_cycles(const L0Problem *p, int64_t m, int64_t n, int64_t k, Regime r) {
  Loads l = loads(p, m, n);
  if (r.hold == HOLD_LEFT) return l.hold_left;
  if (r.hold == HOLD_RIGHT) return l.hold_right;
  if (k < p->K) return l.neither;
  return l.hold_left <= l.hold_right ? l.hold_left : l.hold_right;
}

static int64_t multiply_cycles(const L0Problem *p, int64_t m, int64_t n, int64_t k) {
  const TargetL0Cost *c = &p->target->l0_cost;
  int64_t unit = at_least_1(c->mad_k_unit / p->left_bytes);
  int64_t passes = at_least_1(p->left_bytes == 4 ? c->mad_fp32_passes : p->left_bytes / 2);
  int64_t whole = p->K / k, rest = p->K % k;
  int64_t units = whole * ceil_div(k, unit) + ceil_div(rest, unit);
  int64_t tile = (whole + (rest > 0)) * c->mad_head +
                 passes * ceil_div(m, p->align_m) * units * ceil_div(n, p->align_n);
  return ceil_div(p->M, m) * ceil_div(p->N, n) * tile;
}

static double drain_cycles(const L0Problem *p, int64_t m, int64_t n) {
  const TargetL0Cost *c = &p->target->l0_cost;
  int64_t odd = ceil_div(n, at_least_1(c->drain_unit / p->acc_bytes));
  while ((odd & 1) == 0) odd >>= 1;
  double stream = (double)p->acc_bytes * (double)n / c->drain_bytes_per_cycle;
  double row =
      (c->drain_row > stream ? c->drain_row : stream) + c->drain_odd_row * (double)(odd - 1);
  return (double)(ceil_div(p->M, m) * ceil_div(p->N, n)) * (c->drain_fixed + (double)m * row);
}

static int64_t total_cycles(const L0Problem *p, const Candidate *c) {
  double compute = fmax(c->load, (double)multiply_cycles(p, c->m, c->n, c->k));
  double drain = drain_cycles(p, c->m, c->n);
  double tiles = (double)(ceil_div(p->M, c->m) * ceil_div(p->N, c->n));
  double wall =
      c->regime.double_acc ? fmax(compute, drain) + fmin(compute, drain) / tiles : compute + drain;
  return (int64_t)llround(wall);
}

/* ---------------------------------------------------------------- candidates */

static bool better(const L0Problem *p, const Candidate *a, const Candidate *b) {
  if (a->cycles != b->cycles) return a->cycles < b->cycles;
  if (a->padded != b->padded) return a->padded < b->padded;
  int64_t steps_a = ceil_div(p->K, a->k), steps_b = ceil_div(p->K, b->k);
  if (steps_a != steps_b) return steps_a < steps_b;
  if (a->load != b->load) return a->load < b->load;
  if (a->m * a->n != b->m * b->n) return a->m * a->n > b->m * b->n;
  return a->k > b->k;
}

/* A bias loaded in a pipelined loop has two buffers, in two nested ones four. */
static bool bias_fits(const L0Problem *p, int64_t m, int64_t n, int64_t k, Regime r) {
  bool grid = k == p->K && (m != p->M || n != p->N);
  bool pipelined = r.hold != HOLD_RIGHT, nested = r.hold == HOLD_OUTPUT && left_outer(p, m, n);
  if (p->max_n && n > p->max_n) return false;
  if (p->max_n_pipelined && grid && pipelined && n > p->max_n_pipelined) return false;
  return !(p->max_n_nested && grid && nested && n > p->max_n_nested);
}

static int64_t inner_tiles(const L0Problem *p, int64_t m, int64_t n, Stationary hold) {
  bool rows_outer = hold == HOLD_LEFT || (hold == HOLD_OUTPUT && left_outer(p, m, n));
  return rows_outer ? p->N / n : p->M / m;
}

static void try_sizes(const L0Problem *p, Regime r, Budget b, bool whole_k, int64_t m, int64_t n,
                      Candidate *best) {
  int64_t cap_left = b.left / round_up(m, p->box_m), cap_right = b.right / round_up(n, p->box_n);
  int64_t cap = cap_left < cap_right ? cap_left : cap_right;
  int64_t last = (cap < p->K ? cap : p->K) / p->align_k * p->align_k;
  if (acc_elements(p, m, n) > b.acc) return;
  for (int64_t k = p->min_k; k <= last; k += p->align_k) {
    if ((whole_k && k != p->K) || !bias_fits(p, m, n, k, r)) continue;
    Candidate c = {.m = m, .n = n, .k = k, .regime = r};
    c.load = load_cycles(p, m, n, k, r);
    c.cycles = total_cycles(p, &c);
    c.padded = round_up(p->M, m) * round_up(p->N, n) * round_up(p->K, k);
    if (best->m == 0 || better(p, &c, best)) *best = c;
  }
}

/* The best with this regime; m == 0 if nothing fits. */
static Candidate best_of(const L0Problem *p, Regime r, bool whole_k) {
  Candidate best = {0};
  Budget b = budget(p, r);
  int64_t n_end = p->max_n && p->max_n < p->N ? p->max_n : p->N;
  for (int64_t m = p->min_m; m <= p->M && acc_elements(p, m, p->min_n) <= b.acc; m += p->align_m)
    for (int64_t n = p->min_n; n <= n_end && acc_elements(p, m, n) <= b.acc; n += p->align_n)
      if (!r.double_acc || inner_tiles(p, m, n, r.hold) >= 2)
        try_sizes(p, r, b, whole_k, m, n, &best);
  return best;
}

static void try_regime(const L0Problem *p, Regime r, Candidate *best) {
  Candidate c = best_of(p, r, true);
  if (c.m && c.cycles < best->cycles) *best = c;
}

bool l0_choose(const L0Problem *p, L0Tiling *out) {
  if (p->M < p->min_m || p->N < p->min_n || p->K < p->min_k) return false;
  Candidate best = best_of(p, (Regime){HOLD_OUTPUT, false}, false);
  if (best.m == 0) return false;
  bool tiled = best.m != p->M || best.n != p->N || best.k != p->K;
  for (Stationary hold = HOLD_OUTPUT; tiled && hold <= HOLD_RIGHT; hold++) {
    if (hold != HOLD_OUTPUT && p->only_output_stationary) break;
    if (hold != HOLD_OUTPUT) try_regime(p, (Regime){hold, false}, &best);
    if (p->may_double_acc) try_regime(p, (Regime){hold, true}, &best);
  }
  *out = (L0Tiling){best.m,
                    best.n,
                    best.k,
                    best.regime.hold,
                    left_outer(p, best.m, best.n),
                    best.regime.double_acc};
  return true;
}
