#include "lin/run.h"

#include <stdio.h>

enum lin_halt lin_run_fault(struct lin_run *run, const char *what)
{
    const struct script *script = run->steps->module->script;
    place at = run->steps->listing.places.items[run->at];
    struct lin_worker *worker = run->worker;
    const size_t size = sizeof worker->reason;
    size_t length = (size_t)snprintf(worker->reason, size,
                                     "%s:%u: ", script->parts[script_part_at(script, at)].name,
                                     script_line(script, at));
    worker->what = length < size ? length : size - 1;
    snprintf(worker->reason + worker->what, size - worker->what, "%s", what);
    return HALT_IN_FAULT;
}

uint32_t lin_run_choose(struct lin_run *run, uint32_t count)
{
    struct lin_worker *worker = run->worker;
    if (worker->chosen == worker->choices.length &&
        !vector_push(&worker->choices, ((struct lin_choice){0, count})))
        return UINT32_MAX;
    return worker->choices.items[worker->chosen++].taken;
}

enum lin_halt lin_run_leave_range(struct lin_run *run, struct lin_step_range range, int64_t found,
                                  bool index)
{
    if (index) {
        char what[100];
        snprintf(what, sizeof what, "index %lld is outside of 0..%d", (long long)found, range.high);
        return lin_run_fault(run, what);
    }
    script_error(run->steps->module->script, run->steps->listing.places.items[run->at], run->error,
                 "expected an int from %d to %d, found %lld: the range is the model's promise",
                 range.low, range.high, (long long)found);
    return HALT_IN_ERROR;
}
