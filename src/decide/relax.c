#include "decide/relax.h"

#include <assert.h>

#define GONE UINT32_MAX /* this event is not in the relaxed part */

/* Events are at most two for each interval. */
static size_t positions_size(uint32_t count)
{
    return 2 * (size_t)count * sizeof(uint32_t);
}

bool relaxed_init(struct relaxed *relaxed, const struct part *part, struct budget *budget)
{
    *relaxed = (struct relaxed){.budget = budget, .capacity = part->count};
    tally_init(&relaxed->tally, budget);
    relaxed->origin = memory_allocate(budget, part->count * sizeof *relaxed->origin);
    relaxed->intervals = memory_allocate(budget, part->count * sizeof *relaxed->intervals);
    relaxed->positions = memory_allocate(budget, positions_size(part->count));
    bool fine = relaxed->origin && relaxed->intervals && relaxed->positions;
    relaxed->find_irrelevant = irrelevant_finder_of(part);
    if (relaxed->find_irrelevant) {
        relaxed->irrelevant = memory_allocate(budget, part->count * sizeof *relaxed->irrelevant);
        fine = fine && relaxed->irrelevant;
    }
    if (!fine)
        relaxed_release(relaxed);
    return fine;
}

void relaxed_release(struct relaxed *relaxed)
{
    struct budget *budget = relaxed->budget;
    memory_release(budget, relaxed->origin, relaxed->capacity * sizeof *relaxed->origin);
    memory_release(budget, relaxed->intervals, relaxed->capacity * sizeof *relaxed->intervals);
    memory_release(budget, relaxed->positions, positions_size(relaxed->capacity));
    memory_release(budget, relaxed->irrelevant, relaxed->capacity * sizeof *relaxed->irrelevant);
    tally_release(&relaxed->tally);
    *relaxed = (struct relaxed){.budget = budget};
    tally_init(&relaxed->tally, budget);
}

static bool is_member(const struct part *part, const bool *member, uint32_t i)
{
    return member[i] && part->intervals[i].response != POSITION_NEVER;
}

static uint32_t last_response(const struct part *part, const bool *member)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < part->count; i++)
        if (is_member(part, member, i) && part->intervals[i].response > last)
            last = part->intervals[i].response;
    return last;
}

/* Whether the call would change no state if its result were not known. Most that change none at all
 * are marked in the table; of the others (an unsuccessful removal, a transaction of reads) the
 * specification says. */
static bool only_reads(const struct spec *spec, const struct call *call)
{
    if (spec->class->operations[call->operation].read_only)
        return true;
    if (!call->read_only)
        return false;
    struct recorded recorded = {.argument = call->argument, .process = call->process};
    struct call pending;
    struct text complaint = TEXT_EMPTY;
    enum status status = spec_bind(spec, call->operation, &recorded, &pending, &complaint);
    text_release(&complaint);
    return status == STATUS_OK && pending.read_only;
}

/* Copies what stays, with its old positions, which are marked in relaxed->positions. */
static void select_intervals(struct relaxed *relaxed, const struct part *part, const bool *member,
                             const bool *absent)
{
    uint32_t end = last_response(part, member), count = 0;
    for (uint32_t i = 0; i < part->positions; i++)
        relaxed->positions[i] = GONE;
    for (uint32_t i = 0; i < part->count && part->intervals[i].invoke < end; i++) {
        bool pending = !is_member(part, member, i);
        if (absent && absent[i])
            continue;
        if (pending && only_reads(part->spec, &part->intervals[i].call))
            continue;
        struct interval *interval = &relaxed->intervals[count];
        *interval = part->intervals[i];
        if (pending) {
            interval->response = POSITION_NEVER;
            interval->call.result_known = false;
            interval->call.result = VALUE_NIL;
            interval->call.read_only = false; /* what only reads is not here */
        } else {
            relaxed->positions[interval->response] = 0;
        }
        relaxed->positions[interval->invoke] = 0;
        relaxed->part.pending += pending;
        relaxed->origin[count++] = i;
    }
    relaxed->part.count = count;
}

/* Leaves out the pending operations that are of no use. */
static void thin_out(struct relaxed *relaxed)
{
    if (!relaxed->irrelevant || relaxed->part.pending == 0)
        return;
    relaxed->find_irrelevant(&relaxed->part, &relaxed->tally, relaxed->irrelevant);
    uint32_t count = 0;
    for (uint32_t i = 0; i < relaxed->part.count; i++) {
        if (relaxed->irrelevant[i]) {
            relaxed->positions[relaxed->intervals[i].invoke] = GONE;
            relaxed->part.pending--;
            continue;
        }
        relaxed->intervals[count] = relaxed->intervals[i];
        relaxed->origin[count++] = relaxed->origin[i];
    }
    relaxed->part.count = count;
}

void relaxed_make(struct relaxed *relaxed, const struct part *part, const bool *member)
{
    relaxed_make_without(relaxed, part, member, NULL);
}

void relaxed_make_without(struct relaxed *relaxed, const struct part *part, const bool *member,
                          const bool *absent)
{
    assert(part->count <= relaxed->capacity && part->positions <= 2 * relaxed->capacity);
    relaxed->part = *part;
    relaxed->part.intervals = relaxed->intervals;
    relaxed->part.pending = 0;
    select_intervals(relaxed, part, member, absent);
    thin_out(relaxed);
    uint32_t next = 0;
    for (uint32_t i = 0; i < part->positions; i++)
        if (relaxed->positions[i] != GONE)
            relaxed->positions[i] = next++;
    for (uint32_t i = 0; i < relaxed->part.count; i++) {
        struct interval *interval = &relaxed->intervals[i];
        interval->invoke = relaxed->positions[interval->invoke];
        if (interval->response != POSITION_NEVER)
            interval->response = relaxed->positions[interval->response];
    }
    relaxed->part.positions = next;
    assert(next == 2 * relaxed->part.count - relaxed->part.pending);
}

enum status relaxed_decide(const struct relaxed *relaxed, enum method method, uint64_t most,
                           struct limits *limits, uint64_t *left, struct decision *decision,
                           struct error *error)
{
    const uint64_t before = atomic_load_explicit(&limits->work, memory_order_relaxed);
    limits->most_work = before + most;
    enum status status = part_decide(&relaxed->part, method, limits, decision, NULL, error);
    const uint64_t took =
        atomic_load_explicit(&limits->work, memory_order_relaxed) - before + relaxed->part.count;
    *left -= took < *left ? took : *left;
    return status;
}
