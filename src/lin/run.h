/* A thread of a `.lin` model at work on a state: what instructions have in common, which are run by
 * lin/interpreter.h. */
#ifndef LIN_RUN_H
#define LIN_RUN_H

#include "lin/state.h"

enum lin_halt {
    HALT_NOT,     /* yet */
    HALT_AT_STOP, /* before the next step, at a RETURN or END */
    HALT_IN_WAIT,
    HALT_FOR_NODE,    /* waits on an empty pool */
    HALT_IN_FAULT,    /* the algorithm's; worker->reason */
    HALT_IN_ERROR,    /* the model's: a range */
    HALT_AT_NO_POINT, /* an operation returns without a linearization point */
    HALT_AT_SECOND_POINT,
    HALT_FOR_MEMORY, /* of memory */
};

struct lin_run {
    struct lin_worker *worker;
    const struct lin_steps *steps;
    uint32_t *slots;
    uint32_t *locals;
    uint32_t thread;
    uint32_t at; /* instruction */
    struct error *error;
};

static inline enum lin_halt lin_run_push(struct lin_run *run, int32_t word)
{
    return vector_push(&run->worker->stack, word) ? HALT_NOT : HALT_FOR_MEMORY;
}

static inline int32_t lin_run_pop(struct lin_run *run)
{
    return run->worker->stack.items[--run->worker->stack.length];
}

/* Where the topmost `count` words begin; they are dropped. */
static inline const int32_t *lin_run_drop(struct lin_run *run, uint32_t count)
{
    run->worker->stack.length -= count;
    return run->worker->stack.items + run->worker->stack.length;
}

static inline enum lin_halt lin_run_push_words(struct lin_run *run, const uint32_t *words,
                                               uint32_t count)
{
    enum lin_halt halt = HALT_NOT;
    for (uint32_t i = 0; halt == HALT_NOT && i < count; i++)
        halt = lin_run_push(run, (int32_t)words[i]);
    return halt;
}

/* The algorithm does what it must not, which worker->reason tells. */
enum lin_halt lin_run_fault(struct lin_run *run, const char *what);

/* The next choice of the run, from 0 to count - 1; UINT32_MAX when refused. */
uint32_t lin_run_choose(struct lin_run *run, uint32_t count);

/* A number that was found lies outside of its range: a fault of the algorithm if it is an index,
 * else an error of the model. */
enum lin_halt lin_run_leave_range(struct lin_run *run, struct lin_step_range range, int64_t found,
                                  bool index);

/* Whether a number that was found lies in a range of the steps. */
static inline enum lin_halt lin_run_check_range(struct lin_run *run, uint32_t number, int64_t found,
                                                bool index)
{
    struct lin_step_range range = {INT32_MIN, INT32_MAX};
    if (number != UINT32_MAX)
        range = run->steps->ranges.items[number];
    return found >= range.low && found <= range.high
               ? HALT_NOT
               : lin_run_leave_range(run, range, found, index);
}

#endif
