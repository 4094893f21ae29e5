/* Arrays too long for a slot an element: all of one is a single slot of the state, so that a state
 * that changes an element copies, hashes and stores what it changes, not the array.
 *
 * The slot is the root of a radix tree whose nodes are objects (code/objects.h) of LARGE_FAN words:
 * a leaf has the slots of so many elements, any other node the objects of its children. Where all
 * elements below are 0 there is no node but object 0. Equal contents are equal objects, so arrays
 * of one length are equal if their roots are. (Persistent vectors: Bagwell and Rompf, RRB-Trees,
 * 2011; with every node interned.)
 *
 *     length 40     root   [ n1 n2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ]     n3, elements 32 to 39: all 0
 *                            |  `-- elements 16 to 31
 *                            `----- elements 0 to 15
 *
 * A run of code changes a draft: it copies each node that it changes once, and changes the copy in
 * place; when the run ends the copies that are left become objects. In between a slot may hold the
 * number of a copy, marked by LARGE_DRAFT. */
#ifndef CODE_LARGE_ARRAY_H
#define CODE_LARGE_ARRAY_H

#include "base/vector.h"
#include "code/objects.h"

#define LARGE_BITS  4
#define LARGE_FAN   (1u << LARGE_BITS)
#define LARGE_DRAFT UINT32_C(0x80000000)

/* A slot that was changed, and what it held before. */
struct large_change {
    uint32_t slot, length, before;
};

/* What a run has changed: of the slots that it runs on. */
struct large_draft {
    struct object_pool *objects; /* not owned */
    VECTOR(uint32_t) words;      /* node after node */
    VECTOR(struct large_change) changes;
};

void large_draft_init(struct large_draft *draft, struct object_pool *objects);
void large_draft_release(struct large_draft *draft);

/* An element of the array of `length` elements in a slot. */
uint32_t large_load(const struct large_draft *draft, uint32_t root, uint32_t length,
                    uint32_t index);

/* Changes an element of the array in `slots[slot]`; false when refused. */
bool large_store(struct large_draft *draft, uint32_t *slots, uint32_t slot, uint32_t length,
                 uint32_t index, uint32_t word) MUST_CHECK;

/* Puts another array of that length, an object, in the place of the one in a slot. */
bool large_replace(struct large_draft *draft, uint32_t *slots, uint32_t slot, uint32_t length,
                   object_id root) MUST_CHECK;

/* Makes an object of what is in a slot; of all that was changed, which ends the draft. False when
 * refused. */
bool large_settle(struct large_draft *draft, uint32_t *slots, uint32_t slot,
                  uint32_t length) MUST_CHECK;
bool large_finish(struct large_draft *draft, uint32_t *slots) MUST_CHECK;

/* Puts back what the slots held before the draft, which ends. */
void large_undo(struct large_draft *draft, uint32_t *slots);

/* Of an array that is no draft: visits the elements in which it differs from `before`, of the same
 * length, in order. With `before` 0 those that are not 0. */
void large_compare(const struct object_pool *objects, uint32_t before, uint32_t root,
                   uint32_t length, void (*visit)(void *context, uint32_t index, uint32_t word),
                   void *context);

/* Writes all its elements to `items`. */
void large_read(const struct object_pool *objects, uint32_t root, uint32_t length, uint32_t *items);

#endif
