#include "report/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static void release(const void *kept)
{
    free((void *)(uintptr_t)kept);
}

lp_variable *variables_copy(const lp_variable *variables, size_t count)
{
    lp_variable *copies = memory_small(count * sizeof *copies);
    for (size_t i = 0; i < count; i++)
        copies[i] = (lp_variable){text_copy(variables[i].name), text_copy(variables[i].value)};
    return copies;
}

void variables_release(const lp_variable *variables, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        release(variables[i].name);
        release(variables[i].value);
    }
    release(variables);
}

void step_copy(lp_step *copy, const lp_step *step)
{
    *copy = *step;
    copy->event = text_copy(step->event);
    copy->file = step->file ? text_copy(step->file) : NULL;
    copy->changes = variables_copy(step->changes, step->change_count);
}

void step_release(const lp_step *step)
{
    release(step->event);
    release(step->file);
    variables_release(step->changes, step->change_count);
}
