/* shuffle.h -- the random numbers of the dsa-rp planner.
 *
 * Textbook: Mersenne Twister (MT19937-64) and the Fisher-Yates shuffle.
 *
 * A plan must be the same on every machine and for every build, so neither the
 * generator nor the way its bits become a permutation is left to a library.
 */
#ifndef PYPTOC_PASSES_MEMORY_SHUFFLE_H
#define PYPTOC_PASSES_MEMORY_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

enum { MT64_WORDS = 312 };

/* The 64-bit Mersenne twister (MT19937-64). */
typedef struct Mt64 {
  uint64_t word[MT64_WORDS];
  size_t next;
} Mt64;

void mt64_seed(Mt64 *r, uint64_t seed);
uint64_t mt64_next(Mt64 *r);
/* An unbiased number in [0, range); range > 0. */
uint64_t mt64_below(Mt64 *r, uint64_t range);
/* Permutes the n numbers at v.  Two places are drawn from one number, as common C++ libraries do it. */
void mt64_shuffle(Mt64 *r, uint32_t *v, size_t n);

#endif
