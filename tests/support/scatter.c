#include "support/scatter.h"

#include <stdlib.h>

struct scatter scatter_any(struct random *random, uint32_t operations)
{
    bool empties = random_chance(random, 1, 2), pending = random_chance(random, 1, 3);
    return (struct scatter){.operations = operations / 2 + random_below(random, operations / 2 + 2),
                            .length = 1 + random_below(random, 3),
                            .empties = empties ? 1 + random_below(random, 2) : 0,
                            .pending = pending ? 1 + random_below(random, 4) : 0,
                            .pending_adds_percent = random_chance(random, 1, 4) ? 25 : 0,
                            .kept_percent = random_below(random, 50)};
}

struct scattering {
    struct sample *sample;
    const struct subject *subject;
    const struct scatter *scatter;
    struct random *random;
    uint32_t span; /* positions to choose from */
};

/* An operation (0 adds, 1 removes) invoked at `from` or later; `v` is its argument or its result.
 * Returns its invocation. */
static uint32_t put(struct scattering *scattering, int which, value v, uint32_t from, bool pending)
{
    struct sample *sample = scattering->sample;
    const char *name = scattering->subject->workload->calls[which].operation;
    struct recorded recorded = {.completed = !pending};
    if (which == 0)
        recorded.argument = v;
    else
        recorded.result = pending ? VALUE_NIL : v;
    recorded.result_recorded = which == 1;
    uint32_t invoke = from + random_below(scattering->random, scattering->span - from);
    uint32_t length = 1 + random_below(scattering->random, scattering->scatter->length);
    sample->intervals[sample->part.count] =
        (struct interval){.call = subject_call(scattering->subject, name, &recorded),
                          .invoke = invoke,
                          .response = pending ? POSITION_NEVER : invoke + length};
    sample->intervals[sample->part.count].call.process = sample->part.count;
    sample->part.count++;
    return invoke;
}

void scatter_part(struct sample *sample, const struct subject *subject, struct random *random,
                  const struct scatter *scatter)
{
    sample_start(sample, subject, scatter->operations);
    struct scattering scattering = {sample, subject, scatter, random, 2 * scatter->operations + 1};
    uint32_t empties = scatter->empties, pending = scatter->pending;
    /* Values that come in no order: a permutation of 1 .. 22. */
    for (uint32_t number = 1; sample->part.count < scatter->operations; number++) {
        value v = value_small(number * 7 % 23);
        if (empties > 0 && random_chance(random, 1, 4)) {
            empties--;
            put(&scattering, 1, VALUE_NIL, 0, false);
            continue;
        }
        if (pending > 0 && random_chance(random, 1, 3)) {
            pending--;
            put(&scattering, 1, VALUE_NIL, 0, true);
            continue;
        }
        bool never = random_below(random, 100) < scatter->pending_adds_percent;
        uint32_t from = put(&scattering, 0, v, 0, never);
        if (sample->part.count < scatter->operations &&
            random_below(random, 100) >= scatter->kept_percent)
            put(&scattering, 1, v, from, false);
    }
    sample_renumber(sample);
}

void scatter_nudge(struct sample *sample, struct random *random)
{
    const uint32_t spread = 4;
    for (uint32_t i = 0; i < sample->part.count; i++) {
        sample->intervals[i].invoke *= spread;
        if (sample->intervals[i].response != POSITION_NEVER)
            sample->intervals[i].response *= spread;
    }
    struct interval *interval = &sample->intervals[random_below(random, sample->part.count)];
    uint32_t by = 1 + random_below(random, 5 * spread);
    bool pending = interval->response == POSITION_NEVER;
    switch (random_below(random, 4)) {
    case 0:
        interval->invoke -= by < interval->invoke ? by : interval->invoke;
        break;
    case 1:
        if (pending || interval->invoke + by < interval->response)
            interval->invoke += by;
        break;
    case 2:
        if (!pending && interval->invoke + by < interval->response)
            interval->response -= by;
        break;
    default:
        if (!pending)
            interval->response += by;
    }
    sample_renumber(sample);
}
