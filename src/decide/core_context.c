/* Finds the context of a core: the operations outside of it without which the core's own operations
 * would not even be legal. In a core all other operations are pending, they may have happened or
 * not; a double compare-and-swap from 1 to 2 needs the one from 0 to 1.
 *
 * By the core's minimality its operations without the one that returned last have a linearization.
 * The operations outside the core that take effect in it make a set S such that the core's others
 * are linearizable when nothing else was ever called. That property is monotone in S (an operation
 * of S is pending and may be left out), so deleting what can be deleted leaves a minimal set: the
 * context. Deletion goes by halves, as in delta debugging (Zeller and Hildebrandt, TSE 2002). */
#include "decide/core_context.h"

#include <assert.h>

#include "decide/relax.h"

/* A trial may explore so many configurations, and there are so many trials. */
#define TRIAL_WORK  100000
#define MOST_TRIALS 200

struct context_search {
    const struct part *part;
    struct limits limits;
    struct relaxed relaxed;
    struct decision decision;
    bool *member;          /* of the core, without the one that returned last */
    bool *absent;          /* never called, in the trial */
    VECTOR(uint32_t) used; /* intervals outside the core, in the order of the linearization */
    unsigned trials;
    uint64_t left; /* steps, for all trials to come */
};

/* Whether the members are linearizable without what is absent; false too where it is undecided. */
static bool try_absent(struct context_search *search)
{
    struct error error;
    if (search->trials++ == MOST_TRIALS || search->left == 0)
        return false;
    relaxed_make_without(&search->relaxed, search->part, search->member, search->absent);
    enum status status = relaxed_decide(&search->relaxed, METHOD_AUTO, TRIAL_WORK, &search->limits,
                                        &search->left, &search->decision, &error);
    return status == STATUS_OK && search->decision.verdict == VERDICT_LINEARIZABLE;
}

/* What the linearization just found uses of operations that are no members, up to its last member.
 * All other operations become absent. False when refused. */
static bool collect_used(struct context_search *search, uint32_t last)
{
    const uint32_t *order = search->decision.linearization.items;
    size_t length = search->decision.linearization.length;
    while (length > 0 && !search->member[search->relaxed.origin[order[length - 1]]])
        length--;
    for (uint32_t i = 0; i < search->part->count; i++)
        search->absent[i] = !search->member[i];
    for (size_t i = 0; i < length; i++) {
        uint32_t interval = search->relaxed.origin[order[i]];
        if (search->member[interval] || interval == last)
            continue;
        search->absent[interval] = false;
        if (!vector_push(&search->used, interval))
            return false;
    }
    return true;
}

static void set_absent(struct context_search *search, size_t from, size_t to, bool absent)
{
    for (size_t i = from; i < to; i++)
        search->absent[search->used.items[i]] = absent;
}

/* Leaves out what is not needed of `used`, in blocks of half the size each round. */
static void minimise(struct context_search *search)
{
    for (size_t size = search->used.length; size > 0; size /= 2) {
        for (size_t end = search->used.length; end > 0;) {
            size_t from = end > size ? end - size : 0;
            set_absent(search, from, end, true);
            if (!try_absent(search))
                set_absent(search, from, end, false);
            end = from;
        }
        size_t kept = 0;
        for (size_t i = 0; i < search->used.length; i++)
            if (!search->absent[search->used.items[i]])
                search->used.items[kept++] = search->used.items[i];
        search->used.length = kept;
        size = size < kept ? size : kept;
    }
}

static bool context_search_create(struct context_search *search, const struct part *part,
                                  const struct limits *limits)
{
    *search = (struct context_search){.part = part};
    search->left = limits->most_work ? limits->most_work : UINT64_MAX;
    limits_init_within(&search->limits, limits, limits->budget);
    search->limits.log = NULL; /* trials are too many to tell */
    decision_init(&search->decision, limits->budget);
    vector_init(&search->used, limits->budget);
    search->member = memory_zeroed(limits->budget, part->count * sizeof *search->member);
    search->absent = memory_zeroed(limits->budget, part->count * sizeof *search->absent);
    return relaxed_init(&search->relaxed, part, limits->budget) && search->member && search->absent;
}

static void context_search_release(struct context_search *search, struct budget *budget)
{
    size_t size = search->part->count * sizeof(bool);
    memory_release(budget, search->member, size);
    memory_release(budget, search->absent, size);
    relaxed_release(&search->relaxed);
    decision_release(&search->decision);
    vector_release(&search->used);
}

/* The member of the core that returned last. */
static uint32_t last_member(const struct part *part, const struct core *core)
{
    uint32_t last = core->members.items[0];
    for (size_t i = 1; i < core->members.length; i++)
        if (part->intervals[core->members.items[i]].response > part->intervals[last].response)
            last = core->members.items[i];
    return last;
}

void core_context_find(const struct part *part, const struct core *core,
                       const struct limits *limits, size_t most, uint32_t *context, size_t *length)
{
    assert(core->complete && core->members.length > 0);
    struct context_search search;
    *length = 0;
    if (context_search_create(&search, part, limits)) {
        uint32_t last = last_member(part, core);
        for (size_t i = 0; i < core->members.length; i++)
            search.member[core->members.items[i]] = core->members.items[i] != last;
        if (try_absent(&search) && collect_used(&search, last)) {
            minimise(&search);
            for (size_t i = 0; i < search.used.length && search.used.length <= most; i++)
                context[(*length)++] = search.used.items[i];
        }
    }
    context_search_release(&search, limits->budget);
}
