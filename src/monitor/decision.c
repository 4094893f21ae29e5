#include "monitor/decision.h"

#include <string.h>

void decision_init(struct decision *decision, struct budget *budget)
{
    *decision = (struct decision){.verdict = VERDICT_UNKNOWN, .reason = TEXT_EMPTY};
    vectors_init(budget, &decision->linearization, &decision->evidence, &decision->partials);
    arena_init(&decision->arena, budget);
}

void decision_release(struct decision *decision)
{
    vectors_release(&decision->linearization, &decision->evidence, &decision->partials);
    text_release(&decision->reason);
    arena_release(&decision->arena);
}

void decision_clear(struct decision *decision)
{
    decision->verdict = VERDICT_UNKNOWN;
    decision->limit = LIMIT_NONE;
    decision->explored = 0;
    decision->furthest = 0;
    decision->linearization.length = 0;
    decision->evidence.length = 0;
    decision->spoken_count = 0;
    decision->partials.length = 0;
    text_clear(&decision->reason);
    decision->vague = false;
    arena_release(&decision->arena);
}

bool decision_linearize(struct decision *decision, const uint32_t *order, size_t length)
{
    decision->verdict = VERDICT_LINEARIZABLE;
    if (!vector_reserve(&decision->linearization, length))
        return false;
    if (length)
        memcpy(decision->linearization.items, order, length * sizeof *order);
    decision->linearization.length = length;
    return true;
}

void decision_spoken(struct decision *decision)
{
    decision->spoken_count = 0;
    while (decision->spoken_count < DECISION_SPOKEN &&
           decision->spoken_count < decision->evidence.length) {
        decision->spoken[decision->spoken_count] = decision->evidence.items[decision->spoken_count];
        decision->spoken_count++;
    }
}

enum status decision_limit(struct decision *decision, const struct limits *limits)
{
    uint64_t explored = decision->explored;
    uint32_t furthest = decision->furthest;
    decision_clear(decision);
    decision->explored = explored;
    decision->furthest = furthest;
    decision->limit = limits_which(limits); /* a budget below the limits' own may have refused */
    return STATUS_OK;
}
