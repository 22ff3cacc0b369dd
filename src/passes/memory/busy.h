/* busy.h -- passes over buffers, many at a time, that are surely taken when another tile is alive.
 *
 * Textbook: a tree of intervals, here of those throughout which all buffers below a
 * node are live.
 *
 * A tree over the buffers: each node knows stretches of points throughout which all
 * buffers below it are taken.  They are not all there is to know, so what is found
 * must still be looked at; but where many tiles are alive together, they nearly are.
 */
#ifndef PYPTOC_PASSES_MEMORY_BUSY_H
#define PYPTOC_PASSES_MEMORY_BUSY_H

#include <stddef.h>

/* From the point `from` to the point `to`; nothing if that isn't greater. */
typedef struct BusyStretch {
  int from, to;
} BusyStretch;

/* Of a buffer the longest stretch and the one that ends last (tiles of one size come in the order of their
 * definition); of more than one buffer what such stretches have in common. */
typedef struct BusyNode {
  BusyStretch longest, latest;
} BusyNode;

typedef struct Busy {
  BusyNode
      *nodes;  /* the root is 1, the children of i are 2i and 2i + 1, the leaves are the buffers */
  size_t room; /* leaves: a power of two */
} Busy;

/* Up to `n` buffers, none of which is there yet: those count as taken always. */
void busy_reset(Busy *b, size_t n);
void busy_free(Busy *b);
/* `buffer` is there, and taken from `def` to `last`. */
void busy_hold(Busy *b, size_t buffer, int def, int last);
/* The first buffer not before `start` that may be free from `def` to `last`; at least `room` if there is none. */
size_t busy_next(const Busy *b, size_t start, int def, int last);

#endif
