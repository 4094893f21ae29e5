#include "decide/retrace.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/table.h"
#include "decide/decide.h"
#include "decide/relax.h"

/* Of a nondeterministic object no more states than these are followed, or shown. */
#define MOST_STATES SIZE_OR_SMALL(1024, 32)
#define MOST_SHOWN  16

#define STATES_A_LOOK SIZE_OR_SMALL(256, 1)

static enum status refused(const struct limits *limits, struct error *error)
{
    return error_set(error, STATUS_LIMIT, NULL, 0, "%s",
                     limits_reached(limits) == LIMIT_TIME ? "the time limit is reached"
                                                          : "the memory limit is reached");
}

/* One trial: the part with only the members held to what was recorded. Undecided where the
 * specification is at fault in it. */
static enum status try_once(struct relaxed *relaxed, const struct part *part, const bool *member,
                            struct limits *limits, struct decision *decision, struct error *error)
{
    relaxed_make(relaxed, part, member);
    atomic_store(limits->fault, false);
    TRY(part_decide(&relaxed->part, METHOD_AUTO, limits, decision, NULL, error));
    return decision->verdict == VERDICT_UNKNOWN && !atomic_load(limits->fault)
               ? refused(limits, error)
               : STATUS_OK;
}

static enum status try_members(struct relaxed *relaxed, const struct part *part, bool *member,
                               const uint32_t *members, size_t count, struct limits *limits,
                               struct decision *decision, bool *violation, bool *minimal,
                               struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        assert(members[i] < part->count);
        member[members[i]] = true;
    }
    TRY(try_once(relaxed, part, member, limits, decision, error));
    *violation = *minimal = decision->verdict == VERDICT_VIOLATION;
    for (size_t i = 0; i < count && *minimal; i++) {
        member[members[i]] = false;
        TRY(try_once(relaxed, part, member, limits, decision, error));
        member[members[i]] = true;
        *minimal = decision->verdict != VERDICT_VIOLATION;
    }
    return STATUS_OK;
}

enum status retrace_core(const struct part *part, const uint32_t *members, size_t count,
                         struct limits *limits, bool *violation, bool *minimal, struct error *error)
{
    struct relaxed relaxed;
    struct decision decision;
    bool *member = memory_zeroed(limits->budget, part->count);
    atomic_bool fault, *whole = limits->fault;
    enum status status = STATUS_LIMIT;
    *violation = *minimal = false;
    decision_init(&decision, limits->budget);
    atomic_init(&fault, false);
    limits->fault = &fault;
    if (relaxed_init(&relaxed, part, limits->budget) && member)
        status = try_members(&relaxed, part, member, members, count, limits, &decision, violation,
                             minimal, error);
    else
        status = refused(limits, error);
    relaxed_release(&relaxed);
    decision_release(&decision);
    memory_release(limits->budget, member, part->count);
    limits->fault = whole;
    return status;
}

static const uint64_t *words_of(const struct outcomes *states, size_t i)
{
    return states->words.items + states->items.items[i].start;
}

static bool are_same(const struct outcomes *states, size_t i, size_t j)
{
    const size_t length = states->items.items[i].length;
    return states->items.items[j].length == length &&
           memcmp(words_of(states, i), words_of(states, j), length * sizeof(uint64_t)) == 0;
}

/* Takes away states that occur earlier already; false when refused. `seen`: a table for that. */
static bool keep_different(struct outcomes *states, struct table *seen)
{
    size_t kept = 0;
    if (states->items.length < 2)
        return true;
    table_clear(seen);
    for (size_t i = 0; i < states->items.length; i++) {
        const struct outcome state = states->items.items[i];
        const uint64_t hash = hash_bytes(words_of(states, i), state.length * sizeof(uint64_t), 0);
        struct table_search search = table_search(seen, hash);
        bool occurs = false;
        while (!occurs && table_next(&search))
            occurs = are_same(states, i, search.number);
        if (!occurs && !table_add(seen, hash, (uint32_t)kept))
            return false;
        if (!occurs)
            states->items.items[kept++] = state;
    }
    states->items.length = kept;
    return true;
}

static void print_states(const struct spec *spec, const struct outcomes *states, struct text *text)
{
    const size_t count = states->items.length;
    for (size_t i = 0; i < count && i < MOST_SHOWN; i++) {
        text_append(text, i ? " or " : "");
        spec->class->print_state(spec, words_of(states, i), states->items.items[i].length, text);
    }
    if (count > MOST_SHOWN)
        text_format(text, " or %zu more", count - MOST_SHOWN);
}

/* Every state in which the call may leave the object. */
static enum status step_states(const struct spec *spec, const struct call *call,
                               const struct outcomes *now, struct outcomes *next,
                               struct table *seen, uint32_t *looked, struct error *error)
{
    outcomes_clear(next);
    for (size_t i = 0; i < now->items.length; i++)
        if (limits_look_every(now->limits, looked, STATES_A_LOOK) ||
            !spec->class->step(spec, words_of(now, i), now->items.items[i].length, call, next))
            return refused(now->limits, error);
    if (!keep_different(next, seen))
        return refused(now->limits, error);
    return next->items.length <= MOST_STATES
               ? STATUS_OK
               : error_set(error, STATUS_LIMIT, NULL, 0, "the object may be in more than %d states",
                           MOST_STATES);
}

enum status retrace_states(const struct part *part, const uint32_t *order, size_t length,
                           size_t first, struct limits *limits, struct text *states,
                           size_t *reached, struct error *error)
{
    const struct spec *spec = part->spec;
    struct outcomes both[2], *now = &both[0], *next = &both[1];
    struct table seen;
    table_init(&seen, limits->budget);
    outcomes_init(now, limits->budget);
    outcomes_init(next, limits->budget);
    now->limits = next->limits = limits;
    enum status status = STATUS_OK;
    uint32_t looked = 0;
    *reached = 0;
    if (!spec->class->init(spec, part->key, now))
        status = refused(limits, error);
    for (size_t i = 0; i < length && status == STATUS_OK; i++) {
        status =
            step_states(spec, &part->intervals[order[i]].call, now, next, &seen, &looked, error);
        if (status != STATUS_OK)
            break;
        struct outcomes *before = now;
        now = next;
        next = before;
        if (now->items.length == 0)
            break;
        *reached = i + 1;
        if (i >= first && spec->class->print_state)
            print_states(spec, now, &states[i - first]);
    }
    outcomes_release(&both[0]);
    outcomes_release(&both[1]);
    table_release(&seen);
    return status;
}
