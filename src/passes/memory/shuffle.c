#include "passes/memory/shuffle.h"

__extension__ typedef unsigned __int128 Wide;

enum { MT64_MIDDLE = 156 };

void mt64_seed(Mt64 *r, uint64_t seed) {
  r->word[0] = seed;
  for (size_t i = 1; i < MT64_WORDS; i++) {
    uint64_t before = r->word[i - 1];
    r->word[i] = 6364136223846793005u * (before ^ (before >> 62)) + i;
  }
  r->next = MT64_WORDS;
}

static void twist(Mt64 *r) {
  const uint64_t upper = ~UINT64_C(0) << 31;
  for (size_t i = 0; i < MT64_WORDS; i++) {
    uint64_t x = (r->word[i] & upper) | (r->word[(i + 1) % MT64_WORDS] & ~upper);
    uint64_t y = (x >> 1) ^ (x & 1 ? UINT64_C(0xb5026f5aa96619e9) : 0);
    r->word[i] = r->word[(i + MT64_MIDDLE) % MT64_WORDS] ^ y;
  }
  r->next = 0;
}

uint64_t mt64_next(Mt64 *r) {
  if (r->next == MT64_WORDS) twist(r);
  uint64_t x = r->word[r->next++];
  x ^= (x >> 29) & UINT64_C(0x5555555555555555);
  x ^= (x << 17) & UINT64_C(0x71d67fffeda60000);
  x ^= (x << 37) & UINT64_C(0xfff7eee000000000);
  return x ^ (x >> 43);
}

uint64_t mt64_below(Mt64 *r, uint64_t range) {
  /* Multiply and take the high half; the few low halves that would favour some results are redrawn. */
  Wide wide = (Wide)mt64_next(r) * range;
  if ((uint64_t)wide < range) {
    uint64_t biased = (0 - range) % range;
    while ((uint64_t)wide < biased) wide = (Wide)mt64_next(r) * range;
  }
  return (uint64_t)(wide >> 64);
}

static void swap(uint32_t *v, size_t i, size_t j) {
  uint32_t t = v[i];
  v[i] = v[j];
  v[j] = t;
}

void mt64_shuffle(Mt64 *r, uint32_t *v, size_t n) {
  if (n == 0) return;
  size_t i = 1;
  if (n % 2 == 0) swap(v, i++, mt64_below(r, 2));
  for (; i < n; i += 2) {
    uint64_t first = i + 1, second = i + 2; /* how many places each of the two may go to */
    uint64_t both = mt64_below(r, first * second);
    swap(v, i, both / second);
    swap(v, i + 1, both % second);
  }
}
