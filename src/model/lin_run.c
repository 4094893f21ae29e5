#include "model/lin_run.h"

#include <stdio.h>

enum lin_halt lin_run_fault(struct lin_run *run, const char *what)
{
    const struct script *script = run->steps->module->script;
    place at = run->steps->listing.places.items[run->at];
    snprintf(run->model->reason, sizeof run->model->reason, "%s:%u: %s",
             script->parts[script_part_at(script, at)].name, script_line(script, at), what);
    return HALT_IN_FAULT;
}

enum lin_halt lin_run_push_words(struct lin_run *run, const uint32_t *words, uint32_t count)
{
    enum lin_halt halt = HALT_NOT;
    for (uint32_t i = 0; halt == HALT_NOT && i < count; i++)
        halt = lin_run_push(run, (int32_t)words[i]);
    return halt;
}

uint32_t lin_run_choose(struct lin_run *run, uint32_t count)
{
    struct lin_model *model = run->model;
    if (model->chosen == model->choices.length &&
        !vector_push(&model->choices, ((struct lin_choice){0, count})))
        return UINT32_MAX;
    return model->choices.items[model->chosen++].taken;
}

enum lin_halt lin_run_check_range(struct lin_run *run, uint32_t number, int64_t found, bool index)
{
    struct lin_step_range range = {INT32_MIN, INT32_MAX};
    if (number != UINT32_MAX)
        range = run->steps->ranges.items[number];
    if (found >= range.low && found <= range.high)
        return HALT_NOT;
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
