/* Finds the core of a violation: a minimal set S of operations such that the part is a violation
 * even when all others are turned pending. That property is monotone in S, for more operations held
 * to what was recorded leave fewer linearizations; minimal sets of a monotone property are found by
 * QuickXplain (Junker, AAAI 2004), with about 2k + 2k log(n/k) decisions for a core of k out of n
 * operations.
 *
 * 1. Order the candidates (completed operations) by how likely they belong to it: those that the
 *    engine named as its evidence, then backwards in time from where these end, then the rest.
 * 2. Gallop: the shortest of a few growing prefixes of this order that is a violation by itself.
 *    What is not in it is pending from here on, so the part is narrowed once and for all.
 * 3. QuickXplain on what is left.
 *
 * A trial is one decision of the narrowed part, by the monitor where it applies, else by the
 * search. Pending operations make a search harder, so each trial has a bound on its work; the one
 * that stays undecided counts as "no violation", which keeps the property of S but not that S is
 * minimal. Then each member is tried once more by itself, and only if that is decided for all is
 * the core complete. A trial may let operations meet in orders that the part does not allow, and a
 * specification have no meaning there (limits->fault): that is no violation, and decided.
 *
 * At the end a small core is decided once more by another engine: a linearization that it finds
 * refutes the violation, and the fault is reported instead of the verdict. */
#include "decide/core.h"

#include <assert.h>
#include <string.h>

#include "decide/relax.h"
#include "monitor/monitors.h"

/* A trial may take this many steps more than four times what the part itself took; of a small part,
 * whose trials are hard where nearly all operations are pending, fewer, so that there are many. */
#define TRIAL_WORK       2000000
#define TRIAL_WORK_SMALL 500000

/* The memory for the core of a part of more than CORE_SMALL operations: so many bytes, so many for
 * each operation, and so many for each configuration that its verdict took. */
#define CORE_MEMORY               ((size_t)64 << 20)
#define CORE_MEMORY_OPERATION     1024
#define CORE_MEMORY_CONFIGURATION 256

/* Relaxed parts of up to this many operations are decided a second time by another engine: by the
 * search what a monitor said, by the definition what the search said. */
#define CONFIRM_SEARCH     24
#define CONFIRM_DEFINITION 8

struct core_search {
    const struct part *part; /* narrowed; candidates index its intervals */
    struct limits limits;    /* of all trials */
    struct budget budget;
    uint64_t trial_work;
    uint64_t left;          /* steps, for all trials to come */
    bool faulty;            /* the specification was at fault in the last trial */
    struct relaxed relaxed; /* the trial's part */
    struct relaxed base;    /* behind `part` once it is narrowed */
    struct decision trial;
    bool *member;
    uint32_t *candidates;
    uint32_t candidate_count;
    uint32_t capacity;
    bool stopped;          /* a limit ended the search */
    bool inexact;          /* a trial was left undecided */
    VECTOR(uint32_t) best; /* the smallest violating set seen so far; intervals of the part given */
    enum status status;    /* of a trial that failed */
    struct error *error;
};

void core_init(struct core *core, struct budget *budget)
{
    vector_init(&core->members, budget);
    core->complete = false;
}

void core_release(struct core *core)
{
    vector_release(&core->members);
}

static uint32_t origin_of(const struct core_search *search, uint32_t interval)
{
    return search->base.origin ? search->base.origin[interval] : interval;
}

/* Decides the part relaxed to its members. Unknown: undecided, stopped, failed or faulty. */
static enum verdict decide_members(struct core_search *search, enum method method)
{
    const uint64_t share = search->trial_work < search->left ? search->trial_work : search->left;
    if (search->limits.fault)
        atomic_store(search->limits.fault, false);
    enum status status = relaxed_decide(&search->relaxed, method, share, &search->limits,
                                        &search->left, &search->trial, search->error);
    search->limits.most_work = 0;
    search->stopped |= search->left == 0;
    search->faulty = search->limits.fault && atomic_load(search->limits.fault);
    if (status != STATUS_OK) {
        search->status = status;
        search->stopped = true;
        return VERDICT_UNKNOWN;
    }
    if (search->trial.verdict == VERDICT_UNKNOWN) {
        atomic_store(&search->budget.refused, false); /* the trial's memory is free again */
        search->inexact |= !search->faulty;
        search->stopped |= limits_reached(&search->limits) != LIMIT_NONE;
    }
    return search->trial.verdict;
}

/* Keeps the members as the smallest violating set, if they are. */
static void remember_members(struct core_search *search)
{
    uint32_t count = search->relaxed.part.count - search->relaxed.part.pending;
    if (search->best.length > 0 && count >= search->best.length)
        return;
    search->best.length = 0;
    for (uint32_t i = 0; i < search->part->count; i++)
        if (search->member[i] && !vector_push(&search->best, origin_of(search, i)))
            search->stopped = true;
}

static enum verdict try_members(struct core_search *search)
{
    if (search->stopped)
        return VERDICT_UNKNOWN;
    relaxed_make(&search->relaxed, search->part, search->member);
    enum verdict verdict = decide_members(search, METHOD_AUTO);
    if (verdict == VERDICT_VIOLATION)
        remember_members(search);
    return verdict;
}

static void set_members(struct core_search *search, uint32_t from, uint32_t to, bool member)
{
    for (uint32_t i = from; i < to; i++)
        search->member[search->candidates[i]] = member;
}

/* QuickXplain. The members and the candidates from .. to-1 together are a violation; adds to the
 * members a minimal set of these candidates with which they are one alone. `grown`: there are
 * members since the last trial that found no violation. Its depth is logarithmic. */
static void explain(struct core_search *search, uint32_t from, uint32_t to, bool grown)
{
    if (search->stopped || from == to)
        return;
    if (grown && try_members(search) == VERDICT_VIOLATION)
        return;
    if (to - from == 1) {
        search->member[search->candidates[from]] = true;
        return;
    }
    uint32_t middle = from + (to - from) / 2;
    set_members(search, from, middle, true);
    explain(search, middle, to, true);
    set_members(search, from, middle, false);
    bool needed = false;
    for (uint32_t i = middle; i < to && !needed; i++)
        needed = search->member[search->candidates[i]];
    explain(search, from, middle, needed);
}

/* Candidates in the order of the file's opening comment; `*named` of them are evidence, `*before`
 * were invoked before it ends. */
static void order_candidates(struct core_search *search, const struct decision *decision,
                             uint32_t *named, uint32_t *before)
{
    const struct part *part = search->part;
    uint32_t count = 0, end = 0;
    for (size_t i = 0; i < decision->evidence.length; i++) {
        uint32_t interval = decision->evidence.items[i];
        assert(interval < part->count);
        if (search->member[interval] || part->intervals[interval].response == POSITION_NEVER)
            continue;
        search->member[interval] = true;
        search->candidates[count++] = interval;
        if (part->intervals[interval].response > end)
            end = part->intervals[interval].response;
    }
    *named = count;
    uint32_t first_after = 0;
    while (first_after < part->count && part->intervals[first_after].invoke < end)
        first_after++;
    for (uint32_t i = first_after; i-- > 0;)
        if (!search->member[i] && part->intervals[i].response != POSITION_NEVER)
            search->candidates[count++] = i;
    *before = count;
    for (uint32_t i = first_after; i < part->count; i++)
        if (part->intervals[i].response != POSITION_NEVER)
            search->candidates[count++] = i;
    search->candidate_count = count;
    set_members(search, 0, count, false);
}

/* The length of a prefix of the candidates that is a violation by itself; they are members. */
static uint32_t gallop(struct core_search *search, uint32_t named, uint32_t before)
{
    uint32_t length = named < 4 ? 4 : named, members = 0;
    while (length < search->candidate_count && !search->stopped) {
        set_members(search, members, length, true);
        members = length;
        if (try_members(search) == VERDICT_VIOLATION)
            return length;
        uint64_t next = (uint64_t)length * 4;
        length = length < before && next > before ? before
                 : next < search->candidate_count ? (uint32_t)next
                                                  : search->candidate_count;
    }
    set_members(search, members, search->candidate_count, true);
    return search->candidate_count;
}

/* From here on `part` is what is left of it when only the members, which are the first `length`
 * candidates, are held to what was recorded. False when refused. */
static bool narrow(struct core_search *search, uint32_t length)
{
    relaxed_make(&search->relaxed, search->part, search->member);
    relaxed_release(&search->base);
    search->base = search->relaxed;
    search->part = &search->base.part;
    search->candidate_count = length;
    if (!relaxed_init(&search->relaxed, search->part, &search->budget))
        return false;
    /* Where each candidate is now; the scratch array of positions serves as the inverse. */
    uint32_t *narrowed = search->base.positions;
    for (uint32_t i = 0; i < search->part->count; i++)
        narrowed[search->base.origin[i]] = i;
    for (uint32_t i = 0; i < length; i++)
        search->candidates[i] = narrowed[search->candidates[i]];
    memset(search->member, 0, search->capacity * sizeof *search->member);
    return true;
}

/* Some trials were undecided: tries each member by itself. True if every one is needed. */
static bool confirm_minimal(struct core_search *search)
{
    bool minimal = true;
    for (uint32_t i = 0; i < search->candidate_count && !search->stopped; i++) {
        uint32_t interval = search->candidates[i];
        if (!search->member[interval])
            continue;
        search->member[interval] = false;
        enum verdict verdict = try_members(search);
        if (verdict != VERDICT_VIOLATION)
            search->member[interval] = true;
        minimal &= verdict != VERDICT_UNKNOWN || search->faulty;
    }
    return minimal && !search->stopped;
}

/* The members are decided once more, and by another engine than before if that is feasible. Sets
 * `status` if they turn out to be linearizable. True if they are seen to be a violation. */
static bool confirm_violation(struct core_search *search, enum method decided)
{
    enum verdict verdict = try_members(search);
    bool monitored = monitor_applies(&search->relaxed.part, &search->limits, NULL);
    uint32_t count = search->relaxed.part.count;
    enum method other = METHOD_AUTO;
    if (count <= CONFIRM_SEARCH && (monitored || decided == METHOD_MONITOR))
        other = METHOD_SEARCH;
    else if (count <= CONFIRM_DEFINITION && decided != METHOD_DEFINITION)
        other = METHOD_DEFINITION;
    if (verdict != VERDICT_LINEARIZABLE && other != METHOD_AUTO && !search->stopped) {
        search->trial_work = TRIAL_WORK;
        if (decide_members(search, other) == VERDICT_LINEARIZABLE)
            verdict = VERDICT_LINEARIZABLE;
    }
    if (verdict == VERDICT_LINEARIZABLE)
        search->status =
            error_set(search->error, STATUS_INTERNAL, NULL, 0,
                      "the %s for %s found a violation among operations that are linearizable; "
                      "please report this together with the history",
                      method_name(decided), search->part->spec->class->name);
    return verdict == VERDICT_VIOLATION;
}

static bool core_search_create(struct core_search *search, const struct part *part,
                               const struct decision *decision, const struct limits *limits,
                               struct error *error)
{
    *search = (struct core_search){.part = part, .error = error, .capacity = part->count};
    size_t memory = 0;
    search->trial_work = 4 * decision->explored + TRIAL_WORK_SMALL;
    search->left = limits->most_work ? limits->most_work : UINT64_MAX;
    if (part->count > CORE_SMALL) {
        memory = CORE_MEMORY + CORE_MEMORY_OPERATION * (size_t)part->count +
                 CORE_MEMORY_CONFIGURATION * decision->explored;
        search->trial_work = 4 * decision->explored + TRIAL_WORK;
    }
    budget_init(&search->budget, limits->budget, memory);
    limits_init_within(&search->limits, limits, &search->budget);
    search->limits.log = NULL; /* trials are too many to tell */
    search->base.budget = &search->budget;
    decision_init(&search->trial, &search->budget);
    vector_init(&search->best, &search->budget);
    search->member = memory_zeroed(&search->budget, part->count * sizeof *search->member);
    search->candidates = memory_allocate(&search->budget, part->count * sizeof(uint32_t));
    return relaxed_init(&search->relaxed, part, &search->budget) && search->member &&
           search->candidates;
}

static void core_search_release(struct core_search *search)
{
    struct budget *budget = &search->budget;
    memory_release(budget, search->member, search->capacity * sizeof *search->member);
    memory_release(budget, search->candidates, search->capacity * sizeof(uint32_t));
    relaxed_release(&search->relaxed);
    relaxed_release(&search->base);
    vector_release(&search->best);
    decision_release(&search->trial);
}

/* Reports the members, or if the search was stopped the smallest set that was seen to do. */
static void core_report(struct core_search *search, struct core *core)
{
    core->members.length = 0;
    core->complete &= !search->stopped;
    if (search->stopped) {
        for (size_t i = 0; i < search->best.length; i++)
            if (!vector_push(&core->members, search->best.items[i]))
                break;
        return;
    }
    for (uint32_t i = 0; i < search->part->count; i++)
        if (search->member[i] && !vector_push(&core->members, origin_of(search, i))) {
            core->members.length = 0;
            core->complete = false;
            return;
        }
}

enum status core_find(const struct part *part, const struct decision *decision, enum method decided,
                      const struct limits *limits, struct core *core, struct error *error)
{
    assert(decision->verdict == VERDICT_VIOLATION);
    core->members.length = 0;
    core->complete = false;
    struct core_search search;
    if (core_search_create(&search, part, decision, limits, error)) {
        uint32_t named, before;
        order_candidates(&search, decision, &named, &before);
        uint32_t length = gallop(&search, named, before);
        search.inexact = false;
        if (!search.stopped && narrow(&search, length)) {
            explain(&search, 0, length, false);
            bool minimal = !search.inexact || confirm_minimal(&search);
            core->complete = confirm_violation(&search, decided) && minimal;
        } else {
            search.stopped = true;
        }
        core_report(&search, core);
    }
    enum status status = search.status;
    core_search_release(&search);
    return status;
}
