/* The steps of a thread on its view, as the check of a certificate works them out
 * (unbounded/heap_certificate.h): a view is a state of the model with a node for each of its nodes
 * and runs. Where a step looks into a run, the heaps are tried in which the run is one node, or one
 * and more. Written apart from unbounded/heap_steps.c. */
#ifndef UNBOUNDED_HEAP_MOVES_H
#define UNBOUNDED_HEAP_MOVES_H

#include "unbounded/heap_shorten.h"
#include "unbounded/thread_system.h"

struct heap_moves {
    const struct heap_shape *shape;
    struct thread_system *system;
    struct budget *budget;
    struct error *error;
    const char *failure; /* why some steps are not known; null: they are */
    /* Where values are marked (unbounded/heap_marks.h), of the step that is told of: 1 + the node
     * into which it puts the value of its call, 0: none; and whether it writes one elsewhere. */
    uint32_t stored;
    bool misplaces;
};

/* `before` and `after` have the same nodes at the same places, new ones behind the others. */
typedef bool heap_moved(void *user, const struct heap_view *before, const struct heap_view *after,
                        const struct thread_move *move, uint32_t at);

/* Calls `each` with every step, until it returns false. STATUS_LIMIT. */
enum status heap_moves_of(struct heap_moves *moves, const struct heap_view *view, heap_moved *each,
                          void *user) MUST_CHECK;

/* What a thread sees initially, of one initial state of the system. STATUS_LIMIT. */
enum status heap_moves_initial(struct heap_moves *moves, uint32_t number,
                               struct heap_view *view) MUST_CHECK;

#endif
