/* dsa_places.h -- where the search of dsa.h has put buffers so far, and where another one may go.
 *
 * Textbook: the free list of a first-fit allocator, kept per address as sorted live
 * intervals.
 *
 * Buffers at one place (the same bytes) are never alive together, so each place
 * is a list ordered by time, and a question about a life is a binary search in
 * it.  There are few places, however many buffers take turns in them.
 */
#ifndef PYPTOC_PASSES_MEMORY_DSA_PLACES_H
#define PYPTOC_PASSES_MEMORY_DSA_PLACES_H

#include "passes/memory/dsa.h"

typedef struct Places Places;

Places *places_new(const DsaProblem *p);
void places_free(Places *s);
/* Forgets what was put. */
void places_clear(Places *s);

/* Over all other buffers, the sum of what overlapping `id` would cost. */
uint64_t places_weight(const Places *s, uint32_t id);

/* The lowest free address for `id`; false if there is none. */
bool places_lowest(Places *s, uint32_t id, uint64_t *at);
/* The free address where `id` costs least, the lowest of those; false if there is none. */
bool places_cheapest(Places *s, uint32_t id, uint64_t *at, uint64_t *cost);
/* What `id` costs at an address that is free for it. */
uint64_t places_cost(const Places *s, uint32_t id, uint64_t at);
void places_put(Places *s, uint32_t id, uint64_t at);

#endif
