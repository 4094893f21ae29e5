/* Each operation holds a lock while it runs, so that the executions of the exploration are the
 * orders in which it was taken: each is met once, and so is what is left to choice in it. One that
 * waits holds it, and nobody goes on: what was done before it is an order behind which it does not
 * return. */
#include "runtime/serial.h"

#include <setjmp.h>

#include "runtime/retry.h"
#include "runtime/sections.h"
#include "runtime/several.h"
#include "runtime/stacks.h"

enum {
    RUNS_A_LOOK = 64
};

static jmp_buf behind_crash; /* set while a run is under way */

/* Keeps what was done in the last run. */
static bool take_down(struct serial_histories *histories)
{
    struct serial_step steps[SCENARIO_CALLS];
    unsigned count = 0, waits = SERIAL_NOBODY;
    for (unsigned i = 0; i < execution.order_length; i++) {
        unsigned call = execution.order[i];
        if (execution.operations[call].finished)
            steps[count++] =
                (struct serial_step){.call = call, .result = execution.operations[call].result};
        else
            waits = call; /* and none is behind it */
    }
    return serial_histories_add(histories, steps, count, waits);
}

/* Where a thread waits for what is old nothing is kept: another execution has it go on. */
static enum exchange_end run_once(struct serial_histories *histories)
{
    struct exchange_wait waits[EXECUTION_THREADS];
    if (setjmp(behind_crash)) {
        execution.phase = PHASE_OUTSIDE;
        execution.current = THREAD_ALONE;
        return END_FINDING;
    }
    enum exchange_end end = scheduler_run();
    if (end != END_COMPLETE)
        return end;
    if (!scheduler_is_complete() && !scheduler_hangs(waits))
        return END_COMPLETE;
    return take_down(histories) ? END_COMPLETE : END_MEMORY;
}

static enum exchange_end run_all(struct serial_histories *histories, struct limits *limits,
                                 struct exploration *exploration)
{
    enum exchange_end end = END_COMPLETE;
    for (uint64_t runs = 1; end == END_COMPLETE && exploration_begin(exploration); runs++) {
        if (runs % RUNS_A_LOOK == 0 && limits_reached(limits) != LIMIT_NONE)
            return END_TIME;
        end = run_once(histories);
        /* What was kept is right all the same. */
        if (stacks_become_memory(false) && stacks_had_volatile()) {
            end = END_COMPLETE;
            exploration_restart(exploration);
        }
        if (sections_are_unsound()) {
            sections_enable(false);
            exploration_restart(exploration);
        }
    }
    return end;
}

enum exchange_end serial_explore(struct serial_histories *histories, struct limits *limits)
{
    const struct exploration_settings settings = {.model = MEMORY_SC, .budget = limits->budget};
    struct exploration *exploration;
    if (exploration_create(&settings, &exploration) != STATUS_OK)
        return END_MEMORY;
    retry_enable(false, false);
    sections_enable(true);
    several_enable(false);
    scheduler_explore(exploration);
    execution.takes_turns = true;
    enum exchange_end end = run_all(histories, limits, exploration);
    execution.takes_turns = false;
    exploration_destroy(exploration);
    return end;
}

void serial_crash(void)
{
    execution.in_code = NULL;
    if (execution.takes_turns)
        longjmp(behind_crash, 1);
}
