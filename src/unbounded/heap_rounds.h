/* Whether a thread can take steps for ever while nothing changes that others see: along steps of
 * views (unbounded/heap_view.h) that come back to where they were, and on which no number of nodes
 * that a local leads to becomes less and less. */
#ifndef UNBOUNDED_HEAP_ROUNDS_H
#define UNBOUNDED_HEAP_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vector.h"

#define HEAP_MOST_ROUND 16

/* From one view of a set to another one, in which the operation does not return. */
struct heap_quiet_step {
    uint32_t from, to, at;  /* `at`: an instruction, + 1 */
    uint64_t keeps, lowers; /* heap_ranks_of_locals */
    bool is_left_out;       /* it is taken finitely often */
};

struct heap_rounds {
    VECTOR(struct heap_quiet_step) steps; /* ascending by `from` */
    struct budget *budget;
    /* What is found: */
    bool walks;                      /* some are left out, so that there is no round; */
    uint32_t round[HEAP_MOST_ROUND]; /* or a round: the instructions, + 1, of its first steps */
    uint32_t round_length;           /* of all of it; 0: there is none */
};

void heap_rounds_init(struct heap_rounds *rounds, struct budget *budget);
void heap_rounds_release(struct heap_rounds *rounds);

/* Looks for one among so many views. STATUS_LIMIT. */
enum status heap_rounds_find(struct heap_rounds *rounds, uint32_t views) MUST_CHECK;

/* Sets in which strongly connected component, by the steps that are not left out, each of so many
 * views is: `component` has room for one number a view. STATUS_LIMIT. */
enum status heap_rounds_components(struct heap_rounds *rounds, uint32_t views,
                                   uint32_t *component) MUST_CHECK;

#endif
