/* The steps of a thread, and what they do to the views of others, where values are marked while
 * they are inside (unbounded/heap_marks.h). */
#ifndef UNBOUNDED_HEAP_MARKED_H
#define UNBOUNDED_HEAP_MARKED_H

#include "unbounded/heap_marks.h"
#include "unbounded/heap_steps.h"

struct heap_marked_user {
    /* A way in which the step may be, with what observes and the thread's promise behind it. */
    void (*each)(void *user, const struct heap_step *step, uint32_t observer, uint32_t promise);
    void *user;
};

enum heap_marked_failure {
    HEAP_MARKED_PROVED,
    HEAP_MARKED_ANSWER,    /* it answers what it must not */
    HEAP_MARKED_NOTHING,   /* it answers a value, and that was settled nowhere */
    HEAP_MARKED_TWICE,     /* what it takes is settled twice */
    HEAP_MARKED_OTHER,     /* it answers that it found nothing, and has taken a value */
    HEAP_MARKED_OPEN,      /* it is not known whose value is settled to be taken */
    HEAP_MARKED_BREAKS,    /* it breaks the rule */
    HEAP_MARKED_LOST,      /* a value that is inside cannot be reached by all */
    HEAP_MARKED_MISPLACED, /* a value is in several nodes, or written over */
    HEAP_MARKED_NO_ROOM,
};

/* `settled`, or null: where the step is the one in which it is settled what its operation takes,
 * that, with the value's name; its answer ANSWER_NONE if it is open. */
enum heap_marked_failure heap_marked_step(const struct heap_shape *shape,
                                          const struct method_roles *roles,
                                          const struct heap_step *step,
                                          const struct thread_move *settled,
                                          const struct heap_marked_user *user);

/* Whether all values that are inside can be reached from the shared variables. */
bool heap_marked_is_whole(const struct heap_shape *shape, const struct heap_view *view);

/* Whether a step of another thread may have led to this view: `inside` are the nodes, bits, whose
 * values come to be inside; `taken` is 1 + the one whose value is settled to be taken, or 0;
 * `begins` is whether the first value is inside from then on, so that the lowest one is marked.
 * Notes where the value that its thread brings cannot be marked any more. */
bool heap_marked_happens(const struct heap_shape *shape, uint64_t inside, uint32_t taken,
                         bool begins, struct heap_view *view);

#endif
