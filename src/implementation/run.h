/* A thread of a `.lin` model at work on a state: what instructions have in common that are run by
 * implementation/step_machine.h. */
#ifndef IMPLEMENTATION_RUN_H
#define IMPLEMENTATION_RUN_H

#include "code/interpreter.h"
#include "implementation/state.h"

#define LIN_MOST_CHOICES                                                                           \
    10000 /* in a step; each has runs of its own, and a loop may go on choosing */

struct lin_run {
    struct evaluation evaluation; /* first */
    struct lin_worker *worker;
    const struct lin_steps *steps;
    struct error *error;
};

static inline struct lin_run *lin_run_of(struct evaluation *evaluation)
{
    return (struct lin_run *)evaluation;
}

/* The place of the instruction that runs. */
static inline place lin_run_place(const struct lin_run *run)
{
    return run->steps->listing.places.items[run->evaluation.at];
}

static inline enum ran lin_run_push(struct lin_run *run, int32_t word)
{
    return evaluation_push(&run->evaluation, datum_integer(word));
}

static inline int32_t lin_run_pop(struct lin_run *run)
{
    return datum_bits(evaluation_pop(&run->evaluation));
}

/* The algorithm does what it must not, which worker->reason tells. */
enum ran lin_run_fault(struct lin_run *run, const char *what);

/* A number that was found lies outside of its range: a fault of the algorithm if it is an index,
 * else an error of the model. */
enum ran lin_run_leave_range(struct lin_run *run, const struct range_limit *range, int64_t found,
                             enum lin_range_kind kind);

#endif
