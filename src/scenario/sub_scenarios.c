#include "scenario/sub_scenarios.h"

#include <assert.h>

static void append_calls(const struct scenario *scenario, unsigned thread, uint32_t calls,
                         struct scenario *to)
{
    unsigned first = 0;
    for (unsigned i = 0; i < thread; i++)
        first += scenario->lengths[i];
    for (unsigned i = first; i < first + scenario->lengths[thread]; i++)
        if (calls >> i & 1) {
            to->calls[to->call_count++] = scenario->calls[i];
            to->lengths[to->thread_count]++;
        }
}

void scenario_of_calls(const struct scenario *scenario, uint32_t calls, struct scenario *part)
{
    *part = (struct scenario){0};
    for (unsigned thread = 0; thread < scenario->thread_count; thread++) {
        append_calls(scenario, thread, calls, part);
        part->thread_count += part->lengths[part->thread_count] > 0;
    }
}

void scenario_of_fewer_threads(const struct scenario *scenario, unsigned first, unsigned second,
                               struct scenario *joined)
{
    assert(first != second && first < scenario->thread_count && second < scenario->thread_count);
    *joined = (struct scenario){0};
    for (unsigned thread = 0; thread < scenario->thread_count; thread++) {
        if (thread == second)
            continue;
        append_calls(scenario, thread, UINT32_MAX, joined);
        if (thread == first)
            append_calls(scenario, second, UINT32_MAX, joined);
        joined->thread_count++;
    }
}

bool scenario_is_allowed(const struct scenario *scenario,
                         const struct scenario_interface *interface)
{
    unsigned number = 0;
    for (unsigned thread = 0; thread < scenario->thread_count; thread++)
        for (unsigned i = 0; i < scenario->lengths[thread]; i++, number++) {
            int only = interface->operations[scenario->calls[number].operation].only_thread;
            if (only && (unsigned)only != thread + 1)
                return false;
        }
    return true;
}
