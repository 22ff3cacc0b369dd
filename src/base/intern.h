/* intern.h -- a set that finds an item by its hash: what names, types and memory references are interned with.
 *
 * A zeroed InternSet is an empty one.  The set keeps items and hashes; what makes two items the same is asked of
 * the owner, who goes through the items that have the hash he looks for:
 *
 *   InternProbe p = intern_begin(set, hash);
 *   for (const void *item; (item = intern_next(set, &p));)
 *     if (same(item, wanted)) return item;
 *   return intern_add(set, p, item_of_his_own);
 */
#ifndef PYPTOC_BASE_INTERN_H
#define PYPTOC_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

typedef struct InternSlot {
  uint32_t hash;
  uint32_t number; /* of the item, from 1; 0: free */
} InternSlot;

typedef struct InternSet {
  InternSlot *slots;
  const void **items; /* in the order added */
  size_t slot_cap, cap, len;
} InternSet;

/* Where the search for one hash has come to. */
typedef struct InternProbe {
  size_t slot;
  uint32_t hash;
} InternProbe;

/* Makes room for one more item. */
InternProbe intern_begin(InternSet *s, uint64_t hash);
/* The next item of that hash; NULL: there is none. */
const void *intern_next(const InternSet *s, InternProbe *p);
/* Adds an item once intern_next has given NULL; nothing was added since intern_begin.  Returns `item`. */
const void *intern_add(InternSet *s, InternProbe p, const void *item);
void intern_free(InternSet *s);

#endif
