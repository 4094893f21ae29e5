/* The steps of a certificate's views as far as other threads may see them, each once, by what all
 * threads see (unbounded/heap_certificate.h). Written apart from unbounded/heap_effects.c. */
#ifndef UNBOUNDED_HEAP_DEEDS_H
#define UNBOUNDED_HEAP_DEEDS_H

#include "base/arena.h"
#include "base/interning.h"
#include "unbounded/heap_join.h"

struct heap_deeds {
    const struct heap_shape *shape;
    struct word_arrays groups; /* what all threads see */
    struct word_arrays words;  /* of deeds */
    VECTOR(const struct heap_deed *) items;
    VECTOR(uint32_t) next;  /* by deed: another of its group; UINT32_MAX: none */
    VECTOR(uint32_t) first; /* by group */
    struct arena arena;
    const char *failure; /* why some are not among them; null: all are */
    bool refused;        /* out of memory */
};

/* The shape must outlive them. */
void heap_deeds_init(struct heap_deeds *deeds, const struct heap_shape *shape,
                     struct budget *budget);
void heap_deeds_release(struct heap_deeds *deeds);

/* Whether only the thread of a view can notice that it writes a field of a node. */
bool heap_is_unnoticed(const struct heap_shape *shape, const struct heap_node *node,
                       uint32_t field);

/* Takes up a step of a view, behind which what observes is in this state, if others see of it; with
 * the value of which its thread is the only one that brings it, or 0; and 1 + the node from which
 * it is settled to take a value, or 0. */
void heap_deeds_add(struct heap_deeds *deeds, const struct heap_view *before,
                    const struct heap_view *after, uint32_t observer, uint32_t by_bringer,
                    uint32_t taken);

/* The first of those that can happen where another thread has this view; UINT32_MAX: there is none.
 */
uint32_t heap_deeds_first(struct heap_deeds *deeds, const struct heap_view *view);

#endif
