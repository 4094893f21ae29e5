#include "report/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static char *copy_text(const char *string)
{
    size_t size = strlen(string) + 1;
    return memcpy(memory_small(size), string, size);
}

static void release(const void *kept)
{
    free((void *)(uintptr_t)kept);
}

lp_variable *variables_copy(const lp_variable *variables, size_t count)
{
    lp_variable *copies = memory_small(count * sizeof *copies);
    for (size_t i = 0; i < count; i++)
        copies[i] = (lp_variable){copy_text(variables[i].name), copy_text(variables[i].value)};
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
    copy->event = copy_text(step->event);
    copy->file = step->file ? copy_text(step->file) : NULL;
    copy->changes = variables_copy(step->changes, step->change_count);
}

void step_release(const lp_step *step)
{
    release(step->event);
    release(step->file);
    variables_release(step->changes, step->change_count);
}
