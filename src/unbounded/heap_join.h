/* What the step of one thread does to the view of another one, as the check of a certificate works
 * it out (unbounded/heap_certificate.h): all heaps are tried of which one thread has seen this
 * much, and the other has this view. Written apart from unbounded/heap_effects.c. */
#ifndef UNBOUNDED_HEAP_JOIN_H
#define UNBOUNDED_HEAP_JOIN_H

#include "unbounded/heap_shorten.h"

#define HEAP_MOST_WRITTEN 16

/* A word that a step writes. */
struct heap_written {
    uint32_t is_shared, node, word, is_reference, value; /* nodes of `before` */
};

/* A step, as far as others may see it. */
struct heap_deed {
    struct heap_view before; /* without locals; roots are the nodes that are written, referred to,
                                and that were; own nodes as they are afterwards */
    uint32_t observer;       /* afterwards */
    uint32_t by_bringer;     /* its thread runs the only operation that brings this value; 0: no */
    uint32_t taken;          /* 1 + the node from which it is settled to take a value; 0: none */
    uint32_t count;
    struct heap_written written[HEAP_MOST_WRITTEN];
};

/* Calls `each` with the heaps, not shortened, that another thread may see afterwards, which had
 * this view. False if there was no room. */
typedef void heap_joined(void *user, const struct heap_view *heap);
bool heap_join(const struct heap_shape *shape, const struct heap_deed *deed,
               const struct heap_view *view, heap_joined *each, void *user) MUST_CHECK;

#endif
