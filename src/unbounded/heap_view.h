/* What one thread sees of a heap without bound: the shared variables, its own locals, and the nodes
 * that these lead to. Of a chain of nodes that nothing tells apart the nodes are counted no more:
 * a *run* stands for one of them or more. So the heaps of one view are many, and views are few.
 *
 * After Abdulla, Haziza, Holik, Jonsson and Rezine, "An Integrated Specification and Verification
 * Technique for Highly Concurrent Data Structures" (TACAS 2013); docs/internals/any_heap.md. */
#ifndef UNBOUNDED_HEAP_VIEW_H
#define UNBOUNDED_HEAP_VIEW_H

#include <stddef.h>
#include <string.h>

#include "implementation/state.h"
#include "implementation/step_retries.h"

#define HEAP_MOST_NODES  40
#define HEAP_MOST_FIELDS 8
#define HEAP_MOST_SHARED 24
#define HEAP_MOST_THREAD 40
#define HEAP_MOST_ROOTS  12
#define HEAP_GONE        UINT32_MAX

enum heap_run {
    HEAP_ONE,  /* a node */
    HEAP_SOME, /* one or more, one behind the other: the last has these fields */
    HEAP_ANY,  /* likewise, or none: what leads here leads to what the last would */
};

/* A node, or a run of such nodes. References among its fields, as all in a view, are 0 for null,
 * else 1 + the index of a node. */
struct heap_node {
    uint16_t pool;
    bool own;     /* no other thread can come by a reference to it */
    uint8_t run;  /* enum heap_run */
    uint8_t held; /* bits: locks among its fields that the thread holds */
    uint32_t fields[HEAP_MOST_FIELDS];
};

struct heap_view {
    uint32_t observer; /* the state of an automaton that sees what all threads do */
    uint32_t promise;  /* what the thread is held to */
    uint32_t held;     /* bits: locks among the shared variables that the thread holds */
    uint32_t root_count, count;
    uint32_t shared[HEAP_MOST_SHARED];
    uint32_t thread[HEAP_MOST_THREAD];
    uint32_t roots[HEAP_MOST_ROOTS]; /* references besides */
    struct heap_node nodes[HEAP_MOST_NODES];
};

/* Where what is in the views of an implementation. */
struct heap_shape {
    const struct lin_steps *steps;
    uint32_t fields[16];     /* by pool: of a node */
    uint8_t references[16];  /* by pool: bits of fields */
    int32_t link[16];        /* by pool: the field that leads along runs; -1: there are none */
    uint32_t locks;          /* bits: shared variables that may be locks, booleans */
    uint8_t lock_fields[16]; /* by pool: of fields */
    /* Those of them that are reached by `lock` and `unlock` only. They are true in a view where its
     * thread holds them: who waits takes no step, and to unlock what one does not hold is a fault.
     */
    uint32_t private_locks;
    uint8_t private_fields[16];
    bool blurs[16]; /* by pool: its nodes have values and booleans besides, no more */
    /* By pool: fields that may be read of any node that others can reach. Of a node of its own a
     * thread sees them only if it may read them before it writes them: until others see the node it
     * has written them. */
    uint8_t read_fields[16];
    uint64_t retries[LIN_RETRY_WORDS]; /* set of steps->retries: those that views rely on
                                          (unbounded/heap_retries.h) */
    uint32_t plain;                    /* the value that stands for all that are not told apart */
    /* Where values are marked while they are inside (unbounded/heap_marks.h): how, and how many
     * roots each view has for it; else 0. */
    uint8_t marks; /* enum heap_marks */
    uint32_t ghosts;
};

/* Null; else why views of the implementation are not provided for. */
const char *heap_shape_make(const struct lin_steps *steps, struct heap_shape *shape);

/* From now on nodes with numbers are seen one by one: in a list that is ordered by keys a run would
 * say that there is some key once or more. */
void heap_shape_tell_numbers(struct heap_shape *shape);

/* Calls `each` with each reference of the view that is not a node's: those of shared variables come
 * first. */
static inline void heap_view_each_root(const struct heap_shape *shape, struct heap_view *view,
                                       void (*each)(void *user, uint32_t *reference), void *user)
{
    const struct lin_steps *steps = shape->steps;
    for (size_t i = 0; i < steps->shared_references.length; i++)
        each(user, &view->shared[steps->shared_references.items[i].slot]);
    if (is_at_code(view->thread)) {
        const struct lin_entry *entry = entry_at(steps, view->thread[LIN_THREAD_AT] - 1);
        for (uint32_t i = 0; i < entry->reference_count; i++)
            each(user, &view->thread[LIN_THREAD_HEADER + entry->references[i].slot]);
    }
    for (uint32_t i = 0; i < view->root_count; i++)
        each(user, &view->roots[i]);
}

/* Whether the field of a pool's nodes is a reference. */
static inline bool heap_is_reference(const struct heap_shape *shape, uint32_t pool, uint32_t field)
{
    return shape->references[pool] >> field & 1;
}

/* Copies all that there is in a view, which is mostly few nodes. */
static inline void heap_view_copy(struct heap_view *to, const struct heap_view *from)
{
    memcpy(to, from, offsetof(struct heap_view, nodes) + from->count * sizeof *from->nodes);
}

/* Which nodes can be reached from a reference, and from the shared variables: bits. */
uint64_t heap_view_nodes_from(const struct heap_shape *shape, const struct heap_view *view,
                              uint32_t reference);
uint64_t heap_view_shared_nodes(const struct heap_shape *shape, const struct heap_view *view);

/* Calls `each` with the views, one or more, that this one stands for in which it is known of each
 * node that a local variable or a root names, or that is own, whether a run is behind it. The view
 * is used up. */
void heap_view_refine(const struct heap_shape *shape, struct heap_view *view,
                      void (*each)(void *user, struct heap_view *view), void *user);

/* The one form that all views of the same heaps have: what cannot be reached is left out, runs are
 * as long as can be, nodes are in the order in which they are found. Behind nodes of which it need
 * not be known there is any run of plain nodes, or none. The view is a refined one. `moved`, unless
 * null, is where each node is then; HEAP_GONE. False if there are too many nodes. */
bool heap_view_arrange(const struct heap_shape *shape, struct heap_view *view,
                       uint32_t moved[HEAP_MOST_NODES]) MUST_CHECK;

/* Writes an arranged view as words, at most HEAP_MOST_WORDS; returns how many. And back. */
#define HEAP_MOST_WORDS                                                                            \
    (5 + HEAP_MOST_SHARED + HEAP_MOST_THREAD + HEAP_MOST_ROOTS +                                   \
     HEAP_MOST_NODES * (1 + HEAP_MOST_FIELDS))
size_t heap_view_write(const struct heap_shape *shape, const struct heap_view *view,
                       uint32_t *words);
void heap_view_read(const struct heap_shape *shape, const uint32_t *words, struct heap_view *view);

/* Appends a node; its index, or HEAP_GONE if there is no room. */
uint32_t heap_view_add(struct heap_view *view, const struct heap_node *node);

/* Whether two nodes differ in no field that is neither a reference nor such a lock. */
bool heap_is_alike(const struct heap_shape *shape, const struct heap_node *one,
                   const struct heap_node *other);

/* Takes one node out of a run, with what is left of the run before and behind it, where it is one
 * or more; before it any, where the run is any. Returns the node's index; HEAP_GONE: no room. */
uint32_t heap_view_split(const struct heap_shape *shape, struct heap_view *view, uint32_t run,
                         bool before, bool behind);

/* Makes a run that may be empty empty. */
void heap_view_empty(const struct heap_shape *shape, struct heap_view *view, uint32_t run);

#endif
