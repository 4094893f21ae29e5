#include "implementation/run.h"

#include <stdio.h>

enum ran lin_run_fault(struct lin_run *run, const char *what)
{
    const struct script *script = run->steps->module->script;
    place at = lin_run_place(run);
    struct lin_worker *worker = run->worker;
    const size_t size = sizeof worker->reason;
    size_t length = (size_t)snprintf(worker->reason, size,
                                     "%s:%u: ", script->parts[script_part_at(script, at)].name,
                                     script_line(script, at));
    worker->what = length < size ? length : size - 1;
    snprintf(worker->reason + worker->what, size - worker->what, "%s", what);
    return RAN_INTO_FAULT;
}

/* What would bound an int that left its range. */
static void advise(const struct range_limit *range, int64_t found, char *advice, size_t size)
{
    const bool above = found > range->high;
    int length = snprintf(advice, size, " (`assume (... %s %lld)` before it waits instead",
                          above ? "<" : ">", (long long)(above ? range->high : range->low));
    if (above && range->low == 0 && range->high < INT32_MAX)
        length += snprintf(advice + length, size - (size_t)length, ", `%% %lld` starts again at 0",
                           (long long)range->high + 1);
    snprintf(advice + length, size - (size_t)length, ")");
}

enum ran lin_run_leave_range(struct lin_run *run, const struct range_limit *range, int64_t found,
                             enum lin_range_kind kind)
{
    if (kind == LIN_RANGE_INDEX) {
        char what[100];
        snprintf(what, sizeof what, "index %lld is outside of 0..%d", (long long)found,
                 (int)range->high);
        return lin_run_fault(run, what);
    }
    if (kind == LIN_RANGE_DEPTH) {
        script_error(run->steps->module->script, lin_run_place(run), run->error,
                     "expected at most %d calls of `%s` inside one another, found more: the depth "
                     "is the model's promise",
                     (int)range->high, range->name);
        return RAN_INTO_ERROR;
    }
    char advice[160];
    advise(range, found, advice, sizeof advice);
    script_error(run->steps->module->script, lin_run_place(run), run->error,
                 "expected an int from %d to %d, found %lld: the range is the model's promise%s",
                 (int)range->low, (int)range->high, (long long)found, advice);
    return RAN_INTO_ERROR;
}
