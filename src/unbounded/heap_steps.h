/* The steps of one thread on its view of a heap without bound (unbounded/heap_view.h). They are
 * those of a thread system, on a state that has a node for each of the view's. A run that a step
 * would look into is taken apart first: it is one node, or one and another run. */
#ifndef UNBOUNDED_HEAP_STEPS_H
#define UNBOUNDED_HEAP_STEPS_H

#include "unbounded/heap_view.h"
#include "unbounded/thread_system.h"

/* A step. Its views are not arranged: nodes of both have the same index, those that the step has
 * made come behind the others. `before` is the view with runs taken apart. */
struct heap_step {
    const struct heap_view *before, *after;
    struct thread_move move; /* without numbers of states */
    uint32_t at; /* the instruction, + 1, at which the thread stood; of one that was idle the first
                    of its operation */
    /* Where values are marked: 1 + the node into which it puts the value of its call, or from which
     * it is settled that the value is taken; 0: none. And whether it writes a value elsewhere. */
    uint32_t stored, taken;
    bool misplaces;
};

struct heap_steps {
    struct thread_system *system; /* not owned */
    struct heap_shape shape;
    struct successors out;
    VECTOR(uint64_t) touched; /* by step of `out`: the nodes that it followed references to */
    VECTOR(uint32_t) state;
    uint32_t number[HEAP_MOST_NODES]; /* the view's nodes in the state: in its pool, from 0 */
    uint32_t stored;                  /* of the state that was read last, as in struct heap_step */
    bool misplaces;
    const char *failure; /* why the steps of a view are not known; null: they are */
    struct budget *budget;
};

/* The system must outlive it. */
void heap_steps_init(struct heap_steps *steps, struct thread_system *system,
                     const struct heap_shape *shape, struct budget *budget);
void heap_steps_release(struct heap_steps *steps);

/* The initial view of a thread, one for each initial state of the system, not arranged; what cannot
 * be known is in steps->failure. STATUS_LIMIT. */
enum status heap_steps_initial(struct heap_steps *steps, uint32_t number,
                               struct heap_view *view) MUST_CHECK;

/* Calls `each` with each step of the view's thread, until it returns false. STATUS_LIMIT. What
 * cannot be known is in steps->failure. */
typedef bool heap_step_user(void *user, const struct heap_step *step);
enum status heap_steps_of(struct heap_steps *steps, const struct heap_view *view,
                          heap_step_user *each, void *user, struct error *error) MUST_CHECK;

/* Where an operation stands before its first access to what is shared: the instruction, + 1. */
uint32_t heap_first_step(const struct lin_steps *code, uint32_t operation);

#endif
