#include "monitor/step.h"

#include "value/print.h"

enum step step_inapplicable(struct inapplicable *why, uint32_t interval, const char *before,
                            value v, const char *after)
{
    if (why) {
        why->interval = interval;
        text_clear(&why->reason);
        text_append(&why->reason, before);
        if (v != VALUE_REFUSED)
            value_print_edn(v, &why->reason);
        text_append(&why->reason, after);
    }
    return STEP_INAPPLICABLE;
}

static bool settle_evidence(const struct part *part, struct limits *limits,
                            struct decision *decision)
{
    unsigned char *shown = memory_zeroed(limits->budget, part->count);
    if (!shown)
        return false;
    for (size_t i = 0; i < decision->evidence.length; i++)
        shown[decision->evidence.items[i]] = 1;
    decision->evidence.length = 0;
    for (uint32_t i = 0; i < part->count; i++)
        if (shown[i])
            decision->evidence.items[decision->evidence.length++] = i;
    memory_release(limits->budget, shown, part->count);
    return true;
}

enum status step_finish(enum step step, const struct part *part, struct limits *limits,
                        struct decision *decision)
{
    if (step == STEP_READY) {
        decision->verdict = VERDICT_LINEARIZABLE;
        return STATUS_OK;
    }
    if (step == STEP_VIOLATION && settle_evidence(part, limits, decision)) {
        decision->verdict = VERDICT_VIOLATION;
        return STATUS_OK;
    }
    if (step == STEP_UNDECIDED)
        return STATUS_OK;
    return decision_limit(decision, limits);
}
