#include "support/prefix.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define NEVER POSITION_NEVER

void prefixes_choose_fates(struct prefixes *prefixes, struct random *random)
{
    const struct part *part = &prefixes->sample.part;
    for (uint32_t i = 0; i < part->count; i++) {
        uint32_t left = part->positions - part->intervals[i].invoke;
        prefixes->fates[i] =
            (struct fate){.end = part->intervals[i].invoke + random_below(random, left + 1),
                          .fails = random_chance(random, 1, 3)};
    }
}

/* The call as it is bound when no completion was recorded. */
static struct call unknown_call(const struct spec *spec, const struct call *call)
{
    struct recorded recorded = {.argument = call->argument, .process = call->process};
    struct call bound;
    struct text complaint = TEXT_EMPTY;
    assert_int_equal(spec_bind(spec, call->operation, &recorded, &bound, &complaint), STATUS_OK);
    text_release(&complaint);
    return bound;
}

void prefixes_cut(const struct prefixes *prefixes, uint32_t end, struct sample *prefix)
{
    sample_copy_part(prefix, &prefixes->sample.part);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < prefixes->sample.part.count; i++) {
        struct interval interval = prefixes->sample.intervals[i];
        const struct fate *fate = &prefixes->fates[i];
        if (interval.invoke >= end ||
            (interval.response == NEVER && fate->fails && fate->end < end))
            continue;
        if (interval.response >= end) {
            interval.call = unknown_call(prefix->part.spec, &interval.call);
            interval.response = NEVER;
        }
        prefix->intervals[kept++] = interval;
    }
    prefix->part.count = kept;
    sample_renumber(prefix);
}

bool prefixes_linearizable(const struct prefixes *prefixes, uint32_t end)
{
    struct sample prefix = {0};
    prefixes_cut(prefixes, end, &prefix);
    bool linearizable = oracle_linearizable(&prefix.part);
    sample_release(&prefix);
    return linearizable;
}

enum stage prefixes_know(const struct prefixes *prefixes, uint32_t i, uint32_t end,
                         struct call *call)
{
    const struct interval *interval = &prefixes->sample.intervals[i];
    const struct fate *fate = &prefixes->fates[i];
    if (interval->response < end) {
        *call = interval->call;
        return STAGE_COMPLETES;
    }
    *call = unknown_call(prefixes->sample.part.spec, &interval->call);
    if (interval->response != NEVER || fate->end >= end)
        return STAGE_RUNNING;
    return fate->fails ? STAGE_FAILED : STAGE_PENDING;
}

void prefixes_print(const struct prefixes *prefixes, struct text *text)
{
    sample_print(&prefixes->sample.part, text);
    for (uint32_t i = 0; i < prefixes->sample.part.count; i++)
        if (prefixes->sample.intervals[i].response == NEVER)
            text_format(text, " (%" PRIu32 ": %s at %" PRIu32 ")", i,
                        prefixes->fates[i].fails ? "fails" : "pending", prefixes->fates[i].end);
}
