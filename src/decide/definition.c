/* Linearizability by its definition (Herlihy and Wing, TOPLAS 1990; as an algorithm Wing and Gong,
 * JPDC 1993): some order of the operations is legal for the object and respects precedence.
 *
 * An order is built from its front. What may come next are the minimal operations: not yet taken,
 * and invoked before every completed operation that is not yet taken has responded. Each is tried
 * in turn, with each outcome that the specification gives it, and given up when nothing can follow.
 * All completed operations taken: the order is a linearization (pending ones that are left did not
 * happen). Everything tried: there is none.
 *
 * Where the specification says what operations do together (spec.h), the order is one of sets:
 * their members follow one another, and each was invoked before any other of them responded. An
 * operation that stays open has several places; all that precedes another ends before that begins.
 *
 * Nothing is remembered and nothing is skipped: this is the oracle of the tests, and for people to
 * read. Its time is exponential. The depth is bounded by the number of operations; the stack is an
 * array, not the machine's. */
#include "decide/definition.h"

#include <inttypes.h>

/* One place of the order under construction. */
struct place {
    struct outcomes outcomes; /* of `operation`, in the state before this place */
    uint32_t operation;       /* the one being tried here; part->count: all have been */
    size_t next;              /* outcome to try next */
};

struct orders {
    const struct part *part;
    struct limits *limits;
    struct place *places;    /* count + 1 of them */
    uint32_t depth;          /* places that are filled */
    uint32_t *taken;         /* by operation: how many places it has */
    uint32_t completed_left; /* completed operations not yet taken */
    uint32_t steps;          /* since the last look at the limits */
    struct outcomes initial;
};

static const struct outcome *state_before(const struct orders *orders, uint32_t depth,
                                          const uint64_t **words)
{
    const struct outcomes *outcomes = &orders->initial;
    size_t which = 0;
    if (depth > 0) {
        outcomes = &orders->places[depth - 1].outcomes;
        which = orders->places[depth - 1].next - 1;
    }
    const struct outcome *state = &outcomes->items.items[which];
    *words = outcomes->words.items + state->start;
    return state;
}

/* Whether an operation that has been taken is to be taken again. */
static bool is_open(const struct orders *orders, uint32_t operation)
{
    const uint64_t *words;
    const struct outcome *state = state_before(orders, orders->depth, &words);
    return spec_is_open(orders->part->spec, words, state->length,
                        orders->part->intervals[operation].call.number);
}

static bool is_minimal(const struct orders *orders, uint32_t operation)
{
    const struct part *part = orders->part;
    if (orders->taken[operation])
        return is_open(orders, operation);
    for (uint32_t i = 0; i < part->count; i++)
        if ((!orders->taken[i] || is_open(orders, i)) &&
            part->intervals[i].response < part->intervals[operation].invoke)
            return false;
    return true;
}

/* Whether a completed operation has begun and not ended. */
static bool some_is_open(const struct orders *orders)
{
    bool some = false;
    for (uint32_t i = 0; orders->part->spec->class->is_open && i < orders->part->count; i++)
        some |= orders->part->intervals[i].response != POSITION_NEVER && orders->taken[i] &&
                is_open(orders, i);
    return some;
}

/* How many members of a set that takes effect together stand at the end of the order, where it is
 * not complete yet. */
static uint32_t count_gathered(const struct orders *orders)
{
    const uint64_t *words;
    const struct outcome *state = state_before(orders, orders->depth, &words);
    return spec_gathered(orders->part->spec, words, state->length);
}

/* Whether an operation runs at the same time as each of so many at the end of the order. */
static bool runs_with_last(const struct orders *orders, uint32_t operation, uint32_t count)
{
    const struct interval *intervals = orders->part->intervals;
    bool runs = true;
    for (uint32_t i = 1; i <= count; i++)
        runs &= intervals[orders->places[orders->depth - i].operation].response >
                intervals[operation].invoke;
    return runs;
}

/* Moves `place` on to its next operation that is minimal and legal, from `from` on. False when a
 * budget refuses; place->operation == count when there is none. */
static bool place_try(struct orders *orders, struct place *place, uint32_t from)
{
    const struct part *part = orders->part;
    const uint64_t *words;
    const struct outcome *state = state_before(orders, orders->depth, &words);
    const uint32_t gathered = count_gathered(orders);
    place->next = 0;
    for (place->operation = from; place->operation < part->count; place->operation++) {
        outcomes_clear(&place->outcomes);
        if (!is_minimal(orders, place->operation) ||
            !runs_with_last(orders, place->operation, gathered))
            continue;
        const struct call *call = &part->intervals[place->operation].call;
        if (!part->spec->class->step(part->spec, words, state->length, call, &place->outcomes))
            return false;
        if (place->outcomes.items.length > 0)
            return true;
    }
    return true;
}

static void take(struct orders *orders, uint32_t operation, bool taken)
{
    const uint32_t before = orders->taken[operation];
    orders->taken[operation] += taken ? 1u : -1u;
    if (orders->part->intervals[operation].response != POSITION_NEVER &&
        (before == 0 || orders->taken[operation] == 0))
        orders->completed_left += taken ? -1u : 1u;
}

/* Tries every order; true when the places hold a linearization. `*stopped`: a limit came first. */
static bool orders_search(struct orders *orders, uint64_t *explored, bool *stopped)
{
    *stopped = !place_try(orders, &orders->places[0], 0);
    while (!*stopped &&
           (orders->completed_left > 0 || count_gathered(orders) > 0 || some_is_open(orders))) {
        struct place *place = &orders->places[orders->depth];
        ++*explored;
        orders->steps++;
        if (limits_work(orders->limits, &orders->steps, STEPS_A_LOOK)) {
            *stopped = true;
        } else if (place->operation == orders->part->count) {
            if (orders->depth == 0)
                return false;
            orders->depth--;
            take(orders, orders->places[orders->depth].operation, false);
        } else if (place->next == place->outcomes.items.length) {
            *stopped = !place_try(orders, place, place->operation + 1);
        } else {
            place->next++;
            take(orders, place->operation, true);
            orders->depth++;
            *stopped = !place_try(orders, &orders->places[orders->depth], 0);
        }
    }
    return !*stopped;
}

/* Each set that takes effect begins an operation or ends one. */
static size_t place_count(const struct part *part)
{
    return (size_t)part->count * (part->spec->class->is_open ? 2 * SPEC_MOST_TOGETHER : 1) + 1;
}

static bool orders_create(struct orders *orders, const struct part *part, struct limits *limits)
{
    *orders = (struct orders){.part = part, .limits = limits};
    outcomes_init(&orders->initial, limits->budget);
    size_t places = place_count(part);
    orders->places = memory_allocate(limits->budget, places * sizeof *orders->places);
    for (size_t i = 0; orders->places && i < places; i++) {
        outcomes_init(&orders->places[i].outcomes, limits->budget);
        orders->places[i].outcomes.limits = limits;
    }
    orders->taken = memory_zeroed(limits->budget, part->count * sizeof *orders->taken);
    orders->completed_left = part->count - part->pending;
    return orders->places && orders->taken &&
           part->spec->class->init(part->spec, part->key, &orders->initial);
}

static void orders_release(struct orders *orders)
{
    struct budget *budget = orders->limits->budget;
    size_t places = place_count(orders->part);
    for (size_t i = 0; orders->places && i < places; i++)
        outcomes_release(&orders->places[i].outcomes);
    memory_release(budget, orders->places, places * sizeof *orders->places);
    memory_release(budget, orders->taken, orders->part->count * sizeof *orders->taken);
    outcomes_release(&orders->initial);
}

static bool report_linearization(const struct orders *orders, struct decision *decision)
{
    decision->verdict = VERDICT_LINEARIZABLE;
    for (uint32_t i = 0; i < orders->depth; i++)
        if (!vector_push(&decision->linearization, orders->places[i].operation))
            return false;
    return true;
}

static bool report_violation(const struct orders *orders, struct decision *decision)
{
    decision->verdict = VERDICT_VIOLATION;
    text_format(&decision->reason,
                "none of the orders of the %" PRIu32 " operations that respect precedence is legal "
                "for a %s (%" PRIu64 " steps tried)",
                orders->part->count, orders->part->spec->class->name, decision->explored);
    for (uint32_t i = 0; i < orders->part->count; i++)
        if (!vector_push(&decision->evidence, i))
            return false;
    return true;
}

enum status definition_decide(const struct part *part, struct limits *limits,
                              struct decision *decision, struct error *error)
{
    (void)error;
    decision_clear(decision);
    struct orders orders;
    bool stopped = !orders_create(&orders, part, limits);
    if (!stopped) {
        bool found = orders_search(&orders, &decision->explored, &stopped);
        if (!stopped)
            stopped = !(found ? report_linearization(&orders, decision)
                              : report_violation(&orders, decision));
    }
    orders_release(&orders);
    return stopped ? decision_limit(decision, limits) : STATUS_OK;
}
