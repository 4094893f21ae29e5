#include "monitor/moments.h"

#include <assert.h>

/* Marks the positions at which operations respond. */
static void mark_responses(const struct part *part, unsigned char *responds)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (part->intervals[i].response != POSITION_NEVER)
            responds[part->intervals[i].response] = 1;
}

static uint32_t count_moments(const unsigned char *responds, uint32_t positions)
{
    uint32_t count = 0;
    for (uint32_t position = 1; position < positions; position++)
        count += responds[position] & ~responds[position - 1];
    return count;
}

static void number_positions(struct moments *moments, const unsigned char *responds)
{
    uint32_t base = moments->base, moment = base, invoked = 0;
    for (uint32_t position = 0; position < base; position++) {
        moments->before[position] = position;
        moments->invoked[position] = 0;
    }
    for (uint32_t position = 0; position + base < moments->positions; position++) {
        if (position > 0 && responds[position] && !responds[position - 1])
            moments->invoked[moment++] = invoked;
        moments->before[position + base] = moment;
        invoked += !responds[position];
    }
    assert(moment + 1 == moments->count);
    moments->invoked[moment] = invoked;
}

bool moments_init(struct moments *moments, const struct values *values)
{
    const struct part *part = values->part;
    struct budget *budget = values->limits->budget;
    *moments =
        (struct moments){.budget = budget, .base = values->base, .positions = values->positions};
    unsigned char *responds = memory_zeroed(budget, part->positions);
    if (!responds)
        return false;
    mark_responses(part, responds);
    moments->count = moments->base + count_moments(responds, part->positions) + 1;
    moments->before = memory_allocate(budget, moments->positions * sizeof *moments->before);
    moments->invoked = memory_allocate(budget, moments->count * sizeof *moments->invoked);
    bool allocated = moments->before && moments->invoked;
    if (allocated)
        number_positions(moments, responds);
    memory_release(budget, responds, part->positions);
    return allocated;
}

void moments_release(struct moments *moments)
{
    if (!moments->budget)
        return;
    memory_release(moments->budget, moments->before, moments->positions * sizeof(uint32_t));
    memory_release(moments->budget, moments->invoked, moments->count * sizeof(uint32_t));
    *moments = (struct moments){0};
}

struct stay moments_stay(const struct moments *moments, const struct element *element)
{
    return (struct stay){.add_first = moments_first(moments, element->add_invoke),
                         .add_last = moments_last(moments, element->add_response),
                         .remove_first = moments_first(moments, element->remove_invoke),
                         .remove_last = moments_last(moments, element->remove_response)};
}
