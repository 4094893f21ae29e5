#include "petri/concurrency.h"

#include <string.h>

#define LOOK_EVERY 256

/* Of a transition that takes from several places the one that fewest take from is its key. */
struct finding {
    const struct net *net;
    struct concurrency *pairs;
    uint64_t *queued;              /* transitions to be looked at again */
    uint32_t *keyed, *first_keyed; /* transitions by their key; those without at the end */
    uint32_t *users;               /* by place: transitions that take from it */
    struct span {
        uint32_t begin, end; /* words */
    } * spans;               /* by place: where its row is not all 0 */
    uint64_t *beside;        /* what may lie beside the takes of a transition */
    bool more;               /* there are some queued */
};

/* ---- the transitions to look at ---- */

static void look_at_keyed(struct finding *finding, uint32_t place)
{
    for (uint32_t i = finding->first_keyed[place]; i < finding->first_keyed[place + 1]; i++) {
        bit_set(finding->queued, finding->keyed[i]);
        finding->more = true;
    }
}

static void revive(struct finding *finding, uint32_t place)
{
    if (bit_get(finding->pairs->live, place))
        return;
    bit_set(finding->pairs->live, place);
    look_at_keyed(finding, place);
    look_at_keyed(finding, (uint32_t)finding->pairs->places); /* those that take nothing */
}

static void put_in_row(struct finding *finding, uint32_t p, uint32_t q)
{
    struct span *span = &finding->spans[p];
    uint32_t word = q / 64;
    bit_set(finding->pairs->rows + p * finding->pairs->words, q);
    if (span->begin == span->end)
        *span = (struct span){word, word + 1};
    span->begin = word < span->begin ? word : span->begin;
    span->end = word >= span->end ? word + 1 : span->end;
}

static struct span intersection(struct span one, struct span other)
{
    uint32_t begin = one.begin > other.begin ? one.begin : other.begin;
    uint32_t end = one.end < other.end ? one.end : other.end;
    return (struct span){begin, begin < end ? end : begin};
}

/* A transition that takes from p has more beside what it takes only if q is related to its other
 * places, too: to its key, unless that is one of the two. */
static void relate(struct finding *finding, uint32_t p, uint32_t q)
{
    const struct concurrency *pairs = finding->pairs;
    const uint64_t *one = concurrency_row(pairs, p), *other = concurrency_row(pairs, q);
    if (bit_get(one, q))
        return;
    put_in_row(finding, p, q);
    put_in_row(finding, q, p);
    look_at_keyed(finding, p);
    look_at_keyed(finding, q);
    struct span span = intersection(finding->spans[p], finding->spans[q]);
    for (size_t word = span.begin; word < span.end; word++)
        for (uint64_t left = one[word] & other[word]; left; left &= left - 1)
            look_at_keyed(finding, (uint32_t)(word * 64 + (size_t)__builtin_ctzll(left)));
}

/* ---- one transition ---- */

/* Fills `beside`, in the words that are returned. */
static struct span find_beside(struct finding *finding, struct arcs takes)
{
    struct concurrency *pairs = finding->pairs;
    struct span span = {0, (uint32_t)pairs->words};
    for (uint32_t i = 0; i < takes.count; i++)
        span = intersection(span, finding->spans[takes.items[i].place]);
    memcpy(finding->beside + span.begin, pairs->live + span.begin,
           (span.end - span.begin) * sizeof *finding->beside);
    for (uint32_t i = 0; i < takes.count; i++) {
        const uint64_t *row = concurrency_row(pairs, takes.items[i].place);
        for (size_t word = span.begin; word < span.end; word++)
            finding->beside[word] &= row[word];
    }
    return span;
}

static void give(struct finding *finding, struct span span, uint32_t place)
{
    struct concurrency *pairs = finding->pairs;
    const uint64_t *row = concurrency_row(pairs, place);
    revive(finding, place);
    for (size_t word = span.begin; word < span.end; word++) {
        uint64_t fresh = finding->beside[word] & ~row[word];
        for (; fresh; fresh &= fresh - 1)
            relate(finding, place, (uint32_t)(word * 64 + (size_t)__builtin_ctzll(fresh)));
    }
}

static void fire(struct finding *finding, const struct net_transition *transition)
{
    if (!concurrency_allow(finding->pairs, transition->takes))
        return;
    struct span beside = find_beside(finding, transition->takes);
    for (uint32_t i = 0; i < transition->gives.count; i++) {
        const struct arc *arc = &transition->gives.items[i];
        give(finding, beside, arc->place);
        for (uint32_t j = 0; j < i; j++)
            relate(finding, arc->place, transition->gives.items[j].place);
        if (arc->count > 1)
            relate(finding, arc->place, arc->place);
    }
}

/* ---- the whole ---- */

static void begin(struct finding *finding)
{
    const struct net *net = finding->net;
    for (uint32_t p = 0; p < net->places.length; p++) {
        const struct net_place *place = &net->places.items[p];
        if (!place->initial && !place->open)
            continue;
        revive(finding, p);
        if (place->initial > 1 || place->open)
            relate(finding, p, p);
        for (uint32_t q = 0; q < p; q++)
            if (bit_get(finding->pairs->live, q))
                relate(finding, p, q);
    }
    look_at_keyed(finding, (uint32_t)net->places.length);
}

static uint32_t key_of(const struct finding *finding, const struct net_transition *transition)
{
    uint32_t key = (uint32_t)finding->pairs->places;
    for (uint32_t i = 0; i < transition->takes.count; i++) {
        uint32_t p = transition->takes.items[i].place;
        if (i == 0 || finding->users[p] < finding->users[key])
            key = p;
    }
    return key;
}

static void index_keys(struct finding *finding)
{
    const struct net *net = finding->net;
    size_t places = finding->pairs->places;
    for (size_t t = 0; t < net->transitions.length; t++)
        for (uint32_t i = 0; i < net->transitions.items[t].takes.count; i++)
            finding->users[net->transitions.items[t].takes.items[i].place]++;
    uint32_t *first = finding->first_keyed + 1; /* counts, then starts moved by one, then starts */
    for (int round = 0; round < 2; round++) {
        for (size_t t = 0; t < net->transitions.length; t++) {
            uint32_t *at = &first[key_of(finding, &net->transitions.items[t])];
            if (round == 0)
                at[1]++;
            else
                finding->keyed[(*at)++] = (uint32_t)t;
        }
        for (size_t p = 0; round == 0 && p <= places; p++)
            first[p + 1] += first[p];
    }
}

static bool allocate(struct finding *finding, struct arena *arena, struct budget *budget)
{
    struct concurrency *pairs = finding->pairs;
    size_t transitions = finding->net->transitions.length,
           places = pairs->places = finding->net->places.length;
    size_t words = pairs->words = (places + 63) / 64, queue = transitions / 64 + 1;
    pairs->rows = memory_zeroed(budget, places * words * sizeof *pairs->rows);
    pairs->live = memory_zeroed(budget, words * sizeof *pairs->live);
    finding->beside = arena_allocate(arena, words * sizeof *finding->beside);
    finding->queued = arena_allocate(arena, queue * sizeof *finding->queued);
    finding->keyed = arena_allocate(arena, (transitions + 1) * sizeof *finding->keyed);
    finding->first_keyed = arena_allocate(arena, (places + 3) * sizeof *finding->first_keyed);
    finding->users = arena_allocate(arena, (places + 1) * sizeof *finding->users);
    finding->spans = arena_allocate(arena, (places + 1) * sizeof *finding->spans);
    if (!pairs->rows || !pairs->live || !finding->beside || !finding->queued || !finding->keyed ||
        !finding->first_keyed || !finding->users || !finding->spans)
        return false;
    memset(finding->queued, 0, queue * sizeof *finding->queued);
    memset(finding->first_keyed, 0, (places + 3) * sizeof *finding->first_keyed);
    memset(finding->users, 0, (places + 1) * sizeof *finding->users);
    memset(finding->spans, 0, (places + 1) * sizeof *finding->spans);
    index_keys(finding);
    return true;
}

/* In rounds, so that much has changed before a transition's turn comes again. */
static enum status find(struct finding *finding, const struct limits *limits)
{
    const struct net *net = finding->net;
    begin(finding);
    while (finding->more) {
        finding->more = false;
        for (uint32_t t = 0; t < net->transitions.length; t++) {
            if (!bit_get(finding->queued, t))
                continue;
            finding->queued[t / 64] &= ~(UINT64_C(1) << (t % 64));
            fire(finding, &net->transitions.items[t]);
            if (limits && t % LOOK_EVERY == 0 && limits_reached(limits) != LIMIT_NONE)
                return STATUS_LIMIT;
        }
    }
    return STATUS_OK;
}

enum status concurrency_find(const struct net *net, struct budget *budget,
                             const struct limits *limits, struct concurrency *pairs)
{
    struct finding finding = {.net = net, .pairs = pairs};
    struct arena arena;
    *pairs = (struct concurrency){.budget = budget};
    arena_init(&arena, budget);
    enum status status = allocate(&finding, &arena, budget) ? find(&finding, limits) : STATUS_LIMIT;
    arena_release(&arena);
    return status;
}

void concurrency_release(struct concurrency *pairs)
{
    memory_release(pairs->budget, pairs->rows, pairs->places * pairs->words * sizeof *pairs->rows);
    memory_release(pairs->budget, pairs->live, pairs->words * sizeof *pairs->live);
    *pairs = (struct concurrency){.budget = pairs->budget};
}

bool concurrency_allow(const struct concurrency *pairs, struct arcs marking)
{
    for (uint32_t i = 0; i < marking.count; i++) {
        const struct arc *arc = &marking.items[i];
        const uint64_t *row = concurrency_row(pairs, arc->place);
        if (!bit_get(pairs->live, arc->place) || (arc->count > 1 && !bit_get(row, arc->place)))
            return false;
        for (uint32_t j = 0; j < i; j++)
            if (!bit_get(row, marking.items[j].place))
                return false;
    }
    return true;
}
