/* Checks a linearization that an engine has found, in time linear in its length: it is legal for
 * the object, complete, and respects precedence.
 *
 * An order respects precedence when no operation stands behind one that was invoked after it had
 * responded. For that it is enough to keep the latest invocation so far: operation b violates it
 * together with some earlier a exactly when b.response < max { a.invoke : a before b }. */
#include "decide/witness.h"

#include <assert.h>

#include "spec/replay.h"

/* The object refused an operation, or a limit stopped the replay, at `at`. */
static bool replay(const struct part *part, const uint32_t *order, size_t length,
                   struct limits *limits, size_t *at)
{
    *at = 0;
    struct spec_object *object = spec_open(part->spec, part->key, limits->budget);
    if (!object)
        return false;
    enum applied applied = APPLIED_LEGAL;
    uint32_t looked = 0;
    for (size_t i = 0; i < length && applied == APPLIED_LEGAL; i++) {
        *at = i;
        if (limits_look(limits, &looked))
            applied = APPLIED_REFUSED;
        else
            applied = spec_apply(part->spec, object, &part->intervals[order[i]].call, NULL);
    }
    spec_close(part->spec, object);
    return applied == APPLIED_LEGAL;
}

/* Whether an operation runs at the same time as each of the `count` before it in the order. */
static bool runs_with_last(const struct part *part, const uint32_t *order, size_t at,
                           uint32_t count)
{
    bool runs = true;
    for (size_t i = at - count; i < at; i++)
        runs &= part->intervals[order[i]].response > part->intervals[order[at]].invoke;
    return runs;
}

static bool is_open_in(const struct part *part, uint32_t operation, const struct outcomes *states,
                       size_t state)
{
    const struct outcome *outcome = &states->items.items[state];
    return spec_is_open(part->spec, states->words.items + outcome->start, outcome->length,
                        part->intervals[operation].call.number);
}

/* Whether the order may end in a state: no set has begun, and no completed operation is open. */
static bool is_end(const struct part *part, const struct outcomes *states, size_t state)
{
    const struct outcome *outcome = &states->items.items[state];
    bool end =
        spec_gathered(part->spec, states->words.items + outcome->start, outcome->length) == 0;
    for (uint32_t i = 0; end && part->spec->class->is_open && i < part->count; i++)
        end = part->intervals[i].response == POSITION_NEVER || !is_open_in(part, i, states, state);
    return end;
}

/* Adds what the operation at `at` makes of a state, where sets take effect together. One that was
 * there before must be open. */
static bool replay_in_set(const struct part *part, const uint32_t *order, size_t at,
                          const unsigned char *again, const struct outcomes *now, size_t state,
                          struct outcomes *next)
{
    const struct outcome *from = &now->items.items[state];
    const uint64_t *words = now->words.items + from->start;
    const uint32_t gathered = spec_gathered(part->spec, words, from->length);
    assert(gathered <= at);
    return !runs_with_last(part, order, at, gathered) ||
           (again && again[at] && !is_open_in(part, order[at], now, state)) ||
           part->spec->class->step(part->spec, words, from->length,
                                   &part->intervals[order[at]].call, next);
}

/* The same as `replay` where operations take effect together: members of a set follow one another
 * in the order, and run at the same time. */
static bool replay_sets(const struct part *part, const uint32_t *order, size_t length,
                        const unsigned char *again, struct limits *limits, size_t *at)
{
    struct outcomes now, next;
    uint32_t looked = 0;
    outcomes_init(&now, limits->budget);
    outcomes_init(&next, limits->budget);
    now.limits = next.limits = limits;
    bool fine = part->spec->class->init(part->spec, part->key, &now);
    for (*at = 0; *at < length && fine; ++*at) {
        outcomes_clear(&next);
        for (size_t i = 0; i < now.items.length && fine; i++)
            fine = !limits_look(limits, &looked) &&
                   replay_in_set(part, order, *at, again, &now, i, &next);
        struct outcomes swap = now;
        now = next;
        next = swap;
        fine = fine && now.items.length > 0;
    }
    bool whole = false;
    for (size_t i = 0; fine && i < now.items.length; i++)
        whole |= is_end(part, &now, i);
    outcomes_release(&now);
    outcomes_release(&next);
    return whole;
}

/* Every completed operation once, pending ones at most once, none against precedence. `seen` is
 * zeroed, a byte for each operation. Where operations may stay open they may come again: `again`
 * has a byte for each place then, 1 where one does. The place of the first fault, `length` + 1 if
 * there is none. */
static size_t order_fault(const struct part *part, const uint32_t *order, size_t length,
                          unsigned char *seen, unsigned char *again)
{
    uint32_t latest_invoke = 0, completed = 0;
    for (size_t i = 0; i < length; i++) {
        if (order[i] >= part->count || (seen[order[i]] && !again))
            return i;
        const bool first = !seen[order[i]];
        if (again)
            again[i] = !first;
        seen[order[i]] = 1;
        const struct interval *interval = &part->intervals[order[i]];
        if (interval->response < latest_invoke)
            return i;
        if (interval->invoke > latest_invoke)
            latest_invoke = interval->invoke;
        completed += first && interval->response != POSITION_NEVER;
    }
    return completed == part->count - part->pending ? length + 1 : length;
}

bool witness_is_valid(const struct part *part, const uint32_t *order, size_t length,
                      struct limits *limits, size_t *bad)
{
    size_t ignored;
    if (!bad)
        bad = &ignored;
    *bad = 0;
    const size_t places = part->spec->class->is_open ? length : 0;
    unsigned char *seen = memory_zeroed(limits->budget, part->count);
    unsigned char *again = places ? memory_zeroed(limits->budget, places) : NULL;
    bool valid = seen && (again || !places);
    if (valid) {
        const size_t fault = order_fault(part, order, length, seen, again);
        valid = fault > length;
        *bad = valid ? 0 : fault;
    }
    if (valid)
        valid = part->spec->class->together_count
                    ? replay_sets(part, order, length, again, limits, bad)
                    : replay(part, order, length, limits, bad);
    memory_release(limits->budget, seen, part->count);
    memory_release(limits->budget, again, places);
    return valid;
}
