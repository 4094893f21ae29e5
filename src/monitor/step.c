#include "monitor/step.h"

#include <assert.h>

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

uint32_t *operations_by_position(const struct part *part, struct arena *arena)
{
    uint32_t *operations = arena_allocate(arena, part->positions * sizeof *operations);
    for (uint32_t i = 0; operations && i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        assert(interval->invoke < interval->response);
        operations[interval->invoke] = i;
        if (interval->response != POSITION_NEVER)
            operations[interval->response] = i;
    }
    return operations;
}
