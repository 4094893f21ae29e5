/* Finds irrelevant pending operations of queues, stacks, deques and priority queues.
 *
 * Take a linearization, and a value that a pending operation inserted and that no completed removal
 * took. Leave the insertion out, and the pending removal that took the value, if any: what others
 * remove is still there in the same order, and what was empty still is. So
 *
 * 1. of the pending insertions of a value at most as many are needed as completed removals took
 *    that value, or took what is not known. As nothing but the invocation bounds when a pending
 *    operation happens, those invoked first will do;
 * 2. pending removals take what completed insertions brought, or what was there at first. */
#include "decide/irrelevant_pending.h"

#include "spec/deque.h"
#include "spec/priority_queue.h"
#include "spec/queue.h"
#include "spec/stack.h"

#define TAKEN UINT32_MAX /* as the operation of a row: completed removals that took the value */

static bool inserts(const struct part *part, const struct call *call)
{
    const struct spec_class *class = part->spec->class;
    if (class == &deque_class)
        return call->operation == DEQUE_PUSH_FRONT || call->operation == DEQUE_PUSH_BACK;
    return call->operation == (class == &queue_class   ? (int)QUEUE_ENQUEUE
                               : class == &stack_class ? (int)STACK_PUSH
                                                       : (int)PRIORITY_QUEUE_INSERT);
}

void irrelevant_in_container(const struct part *part, struct tally *tally, bool *irrelevant)
{
    tally_clear(tally);
    size_t brought; /* by completed insertions, or there at first */
    value_get_items(part->spec->initial, &brought);
    uint32_t unknown = 0; /* completed removals of what is not known */
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        if (interval->response == POSITION_NEVER)
            continue;
        if (inserts(part, &interval->call))
            brought++;
        else if (!interval->call.result_known ||
                 tally_add(tally, TAKEN, interval->call.result, UINT32_MAX) == UINT32_MAX)
            unknown++;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        const struct call *call = &interval->call;
        irrelevant[i] = false;
        if (interval->response != POSITION_NEVER)
            continue;
        bool insertion = inserts(part, call);
        size_t most =
            insertion ? (size_t)tally_get(tally, TAKEN, call->argument) + unknown : brought;
        irrelevant[i] = most == 0 || tally_add(tally, call->operation,
                                               insertion ? call->argument : VALUE_NIL, 0) >= most;
    }
}
