#include "monitor/decision.h"

void decision_init(struct decision *decision, struct budget *budget)
{
    *decision = (struct decision){.verdict = VERDICT_UNKNOWN, .reason = TEXT_EMPTY};
    vector_init(&decision->linearization, budget);
    vector_init(&decision->evidence, budget);
    vector_init(&decision->partials, budget);
    arena_init(&decision->arena, budget);
}

void decision_release(struct decision *decision)
{
    vector_release(&decision->linearization);
    vector_release(&decision->evidence);
    vector_release(&decision->partials);
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
    /* A budget below the limits' own may have refused: that too is memory. */
    enum limit reached = limits_reached(limits);
    decision->limit = reached == LIMIT_NONE ? LIMIT_MEMORY : reached;
    return STATUS_OK;
}
