#include "petri/concurrency.h"

#include <string.h>

#define LOOK_EVERY 256

struct finding {
    const struct net *net;
    struct concurrency *pairs;
    uint64_t *queued; /* transitions to be looked at again */
    uint32_t *users,
        *first_user; /* transitions by a place they take from; those without at the end */
    size_t user_count;
    uint64_t *beside; /* what may lie beside the takes of a transition */
    bool more;        /* there are some */
};

/* ---- the transitions to look at ---- */

static void look_at(struct finding *finding, uint32_t transition)
{
    bit_set(finding->queued, transition);
    finding->more = true;
}

static void changed(struct finding *finding, uint32_t place)
{
    for (uint32_t i = finding->first_user[place]; i < finding->first_user[place + 1]; i++)
        look_at(finding, finding->users[i]);
}

static void revive(struct finding *finding, uint32_t place)
{
    if (bit_get(finding->pairs->live, place))
        return;
    bit_set(finding->pairs->live, place);
    changed(finding, place);
    changed(finding, (uint32_t)finding->pairs->places); /* those that take nothing */
}

static void relate(struct finding *finding, uint32_t p, uint32_t q)
{
    struct concurrency *pairs = finding->pairs;
    if (bit_get(concurrency_row(pairs, p), q))
        return;
    bit_set(pairs->rows + p * pairs->words, q);
    bit_set(pairs->rows + q * pairs->words, p);
    changed(finding, p);
    changed(finding, q);
}

/* ---- one transition ---- */

/* Fills `beside`. */
static void find_beside(struct finding *finding, struct arcs takes)
{
    struct concurrency *pairs = finding->pairs;
    memcpy(finding->beside, pairs->live, pairs->words * sizeof *finding->beside);
    for (uint32_t i = 0; i < takes.count; i++) {
        const uint64_t *row = concurrency_row(pairs, takes.items[i].place);
        for (size_t word = 0; word < pairs->words; word++)
            finding->beside[word] &= row[word];
    }
}

static void give(struct finding *finding, uint32_t place)
{
    struct concurrency *pairs = finding->pairs;
    const uint64_t *row = concurrency_row(pairs, place);
    revive(finding, place);
    for (size_t word = 0; word < pairs->words; word++) {
        uint64_t fresh = finding->beside[word] & ~row[word];
        for (; fresh; fresh &= fresh - 1)
            relate(finding, place, (uint32_t)(word * 64 + (size_t)__builtin_ctzll(fresh)));
    }
}

static void fire(struct finding *finding, const struct net_transition *transition)
{
    if (!concurrency_allow(finding->pairs, transition->takes))
        return;
    find_beside(finding, transition->takes);
    for (uint32_t i = 0; i < transition->gives.count; i++) {
        const struct arc *arc = &transition->gives.items[i];
        give(finding, arc->place);
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
    changed(finding, (uint32_t)net->places.length);
}

static uint32_t user_at(const struct net_transition *transition, uint32_t i, size_t places)
{
    return transition->takes.count ? transition->takes.items[i].place : (uint32_t)places;
}

static bool index_users(struct finding *finding)
{
    const struct net *net = finding->net;
    size_t places = net->places.length, count = 0;
    for (size_t t = 0; t < net->transitions.length; t++) {
        uint32_t takes = net->transitions.items[t].takes.count;
        count += takes ? takes : 1;
    }
    finding->user_count = count;
    finding->users = memory_allocate(finding->pairs->budget, count * sizeof *finding->users);
    finding->first_user =
        memory_zeroed(finding->pairs->budget, (places + 3) * sizeof *finding->first_user);
    if (!finding->users || !finding->first_user)
        return false;
    uint32_t *first = finding->first_user + 1; /* counts, then starts moved by one, then starts */
    for (int round = 0; round < 2; round++) {
        for (size_t t = 0; t < net->transitions.length; t++) {
            const struct net_transition *transition = &net->transitions.items[t];
            uint32_t takes = transition->takes.count ? transition->takes.count : 1;
            for (uint32_t i = 0; i < takes; i++) {
                uint32_t *at = &first[user_at(transition, i, places)];
                if (round == 0)
                    at[1]++;
                else
                    finding->users[(*at)++] = (uint32_t)t;
            }
        }
        for (size_t p = 0; round == 0 && p <= places; p++)
            first[p + 1] += first[p];
    }
    return true;
}

static bool allocate(struct finding *finding, struct budget *budget)
{
    struct concurrency *pairs = finding->pairs;
    size_t transitions = finding->net->transitions.length;
    pairs->places = finding->net->places.length;
    pairs->words = (pairs->places + 63) / 64;
    pairs->rows = memory_zeroed(budget, pairs->places * pairs->words * sizeof *pairs->rows);
    pairs->live = memory_zeroed(budget, pairs->words * sizeof *pairs->live);
    finding->beside = memory_allocate(budget, pairs->words * sizeof *finding->beside);
    finding->queued = memory_zeroed(budget, (transitions / 64 + 1) * sizeof *finding->queued);
    return pairs->rows && pairs->live && finding->beside && finding->queued && index_users(finding);
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
    *pairs = (struct concurrency){.budget = budget};
    enum status status = allocate(&finding, budget) ? find(&finding, limits) : STATUS_LIMIT;
    size_t transitions = net->transitions.length;
    memory_release(budget, finding.beside, pairs->words * sizeof *finding.beside);
    memory_release(budget, finding.queued, (transitions / 64 + 1) * sizeof *finding.queued);
    memory_release(budget, finding.users, finding.user_count * sizeof *finding.users);
    memory_release(budget, finding.first_user, (pairs->places + 3) * sizeof *finding.first_user);
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
