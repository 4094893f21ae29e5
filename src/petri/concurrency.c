/* Computes the concurrency relation in rounds over the transitions, in an order in which they can
 * first fire, so that most of what a round finds is there when it is needed. A transition adds what
 * may lie beside its takes to the rows of its gives, 64 places at a time; at the end of a round the
 * rows are put into the columns. It is looked at again when the row of a place it takes from has
 * changed since. */
#include "petri/concurrency.h"

#include <assert.h>

#include "base/faults.h"
#include "base/groups.h"

/* Each goes through rows of as many bits as there are places. */
#define TRANSITIONS_A_LOOK SIZE_OR_SMALL(16, 1)
/* Places of a marking that are compared two by two. */
#define FEW SIZE_OR_SMALL(16, 1)

struct finding {
    const struct net *net;
    struct concurrency *pairs;
    uint32_t *order;    /* transitions that can fire as far as single places go */
    uint32_t *position; /* in it, by transition; NET_NONE: not there */
    uint32_t order_count;
    struct groups users;    /* by place: who takes from it; at the end those that take nothing */
    uint64_t *looked;       /* by transition, when it was looked at */
    uint64_t *changed;      /* by place, when its row was */
    uint64_t now;           /* a count of what is looked at */
    struct bits queued;     /* positions that are to be looked at again */
    struct bits announced;  /* places that have changed in this round, */
    VECTOR(uint32_t) round; /* and as a list */
    bool more;              /* some are queued */
    bool refused;
    const struct limits *limits; /* null: none */
    uint32_t fired;              /* since the last look at them */
};

/* ---- the order ---- */

/* What is found on the way: places, and by transition of how many that it takes from none can hold
 * a token as far as is known. */
struct reaching {
    struct bits reached;
    uint32_t *queue, *missing;
    size_t length;
};

static void reach(struct reaching *reaching, uint32_t place)
{
    if (bits_get(reaching->reached, place))
        return;
    bits_set(reaching->reached, place);
    reaching->queue[reaching->length++] = place;
}

static void append(struct finding *finding, struct reaching *reaching, uint32_t t)
{
    struct arcs gives = finding->net->transitions.items[t].gives;
    assert(reaching->missing[t] == 0);
    finding->position[t] = finding->order_count;
    finding->order[finding->order_count++] = t;
    for (uint32_t i = 0; i < gives.count; i++)
        reach(reaching, gives.items[i].place);
}

static void find_order(struct finding *finding, struct reaching *reaching)
{
    const struct net *net = finding->net;
    for (uint32_t p = 0; p < net->places.length; p++)
        if (net->places.items[p].initial || net->places.items[p].open)
            reach(reaching, p);
    for (uint32_t t = 0; t < net->transitions.length; t++) {
        finding->position[t] = NET_NONE;
        reaching->missing[t] = net->transitions.items[t].takes.count;
        if (!reaching->missing[t])
            append(finding, reaching, t);
    }
    for (size_t i = 0; i < reaching->length; i++) {
        uint32_t p = reaching->queue[i];
        for (uint32_t k = finding->users.first[p]; k < finding->users.first[p + 1]; k++)
            if (--reaching->missing[finding->users.items[k]] == 0)
                append(finding, reaching, finding->users.items[k]);
    }
}

/* ---- what has changed ---- */

static void queue_users(struct finding *finding, uint32_t place)
{
    for (uint32_t i = finding->users.first[place]; i < finding->users.first[place + 1]; i++) {
        uint32_t t = finding->users.items[i];
        if (finding->position[t] == NET_NONE || finding->looked[t] >= finding->changed[place])
            continue;
        bits_set(finding->queued, finding->position[t]);
        finding->more = true;
    }
}

/* Queues who takes from it, once in a round; who is looked at and has to be again is found when the
 * round ends. */
static void announce(void *user, uint32_t place)
{
    struct finding *finding = user;
    finding->changed[place] = finding->now;
    if (bits_get(finding->announced, place))
        return;
    bits_set(finding->announced, place);
    finding->refused = !vector_push(&finding->round, place) || finding->refused;
    queue_users(finding, place);
}

static void end_round(struct finding *finding)
{
    finding->now++;
    if (!symmetric_bits_mirror(&finding->pairs->rows, announce, finding))
        finding->refused = true;
    for (size_t i = 0; i < finding->round.length; i++) {
        uint32_t place = finding->round.items[i];
        bits_clear(finding->announced, place);
        queue_users(finding, place);
    }
    finding->round.length = 0;
}

static void revive(struct finding *finding, uint32_t place)
{
    if (bits_get(finding->pairs->live, place))
        return;
    bits_set(finding->pairs->live, place);
    announce(finding, place);
    announce(finding, (uint32_t)finding->pairs->places); /* those that take nothing */
}

static void relate(struct finding *finding, uint32_t place, size_t word, uint64_t others)
{
    uint64_t added = 0;
    assert(place < finding->pairs->places);
    if (!symmetric_bits_put(&finding->pairs->rows, place, word, others, &added))
        finding->refused = true;
    if (added)
        announce(finding, place);
}

static void relate_two(struct finding *finding, uint32_t p, uint32_t q)
{
    relate(finding, p, q / WORD_BITS, bit_of(q));
}

/* ---- one transition ---- */

static void give_beside(struct finding *finding, const struct net_transition *transition,
                        size_t word)
{
    const struct concurrency *pairs = finding->pairs;
    struct arcs takes = transition->takes, gives = transition->gives;
    uint64_t known = UINT64_MAX, beside = pairs->live.words[word];
    for (uint32_t i = 0; i < gives.count; i++)
        known &= symmetric_bits_word(&pairs->rows, gives.items[i].place, word);
    beside &= ~known;
    for (uint32_t i = 0; i < takes.count && beside; i++)
        beside &= symmetric_bits_word(&pairs->rows, takes.items[i].place, word);
    for (uint32_t i = 0; i < gives.count && beside; i++)
        relate(finding, gives.items[i].place, word, beside);
}

/* Of the words of a row only those are looked at in which each of the takes has something. */
static void give_all_beside(struct finding *finding, const struct net_transition *transition)
{
    const struct symmetric_bits *rows = &finding->pairs->rows;
    struct arcs takes = transition->takes;
    for (size_t mask = 0; mask < rows->masks; mask++) {
        uint64_t some = UINT64_MAX;
        for (uint32_t i = 0; i < takes.count && some; i++)
            some &= rows->occupied[takes.items[i].place / TILE * rows->masks + mask];
        while (some) {
            size_t word = mask * WORD_BITS + bits_take(&some);
            if (word < rows->words)
                give_beside(finding, transition, word);
        }
    }
}

/* The places that are in one word with those of `at`; *next is behind them. */
static uint64_t arcs_in_word(struct arcs arcs, uint32_t at, uint32_t *next)
{
    uint32_t word = arcs.items[at].place / WORD_BITS;
    uint64_t some = 0;
    for (; at < arcs.count && arcs.items[at].place / WORD_BITS == word; at++)
        some |= bit_of(arcs.items[at].place);
    *next = at;
    return some;
}

/* What is given, with each other: each place with all that are in one word of a row. */
static void relate_gives(struct finding *finding, struct arcs gives)
{
    for (uint32_t next, at = 0; at < gives.count; at = next) {
        uint32_t word = gives.items[at].place / WORD_BITS;
        uint64_t some = arcs_in_word(gives, at, &next);
        for (uint32_t i = 0; i < gives.count; i++) {
            bool alone = i >= at && i < next && gives.items[i].count == 1;
            uint64_t own = alone ? bit_of(gives.items[i].place) : 0;
            relate(finding, gives.items[i].place, word, some & ~own);
        }
    }
}

static void fire(struct finding *finding, uint32_t t)
{
    const struct net_transition *transition = &finding->net->transitions.items[t];
    struct arcs gives = transition->gives;
    assert(finding->position[t] != NET_NONE && finding->looked[t] < finding->now);
    finding->looked[t] = finding->now++;
    if (!concurrency_allow(finding->pairs, transition->takes))
        return;
    for (uint32_t i = 0; i < gives.count; i++)
        revive(finding, gives.items[i].place);
    give_all_beside(finding, transition);
    relate_gives(finding, gives);
}

/* ---- the whole ---- */

static bool group_users(struct finding *finding, struct arena *arena)
{
    const struct net *net = finding->net;
    const struct arc none = {(uint32_t)net->places.length, 1};
    if (!groups_begin(&finding->users, net->places.length + 1, arena))
        return false;
    while (groups_pass(&finding->users, arena))
        for (uint32_t t = 0; t < net->transitions.length; t++) {
            struct arcs takes = net->transitions.items[t].takes;
            if (!takes.count)
                takes = (struct arcs){&none, 1};
            for (uint32_t i = 0; i < takes.count; i++)
                groups_put(&finding->users, takes.items[i].place, t);
        }
    return groups_made(&finding->users);
}

static bool allocate_result(struct concurrency *pairs, const struct net *net, struct budget *budget)
{
    pairs->places = net->places.length;
    pairs->live = bits_allocate(budget, pairs->places);
    return symmetric_bits_init(&pairs->rows, pairs->places, budget) && pairs->live.words;
}

static bool allocate(struct finding *finding, struct reaching *reaching, struct arena *arena)
{
    const struct net *net = finding->net;
    size_t transitions = net->transitions.length, places = net->places.length;
    finding->order = arena_zeroed(arena, transitions * sizeof *finding->order);
    finding->position = arena_zeroed(arena, transitions * sizeof *finding->position);
    finding->looked = arena_zeroed(arena, transitions * sizeof *finding->looked);
    finding->changed = arena_zeroed(arena, (places + 1) * sizeof *finding->changed);
    finding->queued = bits_in_arena(arena, transitions);
    finding->announced = bits_in_arena(arena, places + 1);
    reaching->reached = bits_in_arena(arena, places);
    reaching->queue = arena_zeroed(arena, (places + 1) * sizeof *reaching->queue);
    reaching->missing = arena_zeroed(arena, transitions * sizeof *reaching->missing);
    return finding->order && finding->position && finding->looked && finding->changed &&
           finding->queued.words && finding->announced.words && reaching->reached.words &&
           reaching->queue && reaching->missing;
}

static void begin(struct finding *finding)
{
    const struct net *net = finding->net;
    finding->now = 1;
    for (uint32_t p = 0; p < net->places.length; p++) {
        const struct net_place *place = &net->places.items[p];
        if (!place->initial && !place->open)
            continue;
        for (uint32_t word = 0; word <= p / WORD_BITS; word++)
            relate(finding, p, word, finding->pairs->live.words[word]);
        if (place->initial > 1 || place->open)
            relate_two(finding, p, p);
        revive(finding, p);
    }
    announce(finding, (uint32_t)net->places.length);
    end_round(finding);
}

static bool fire_queued(struct finding *finding, size_t word)
{
    while (finding->queued.words[word]) {
        uint32_t bit = bits_take(&finding->queued.words[word]);
        fire(finding, finding->order[word * WORD_BITS + bit]);
        if (finding->refused ||
            limits_look_every(finding->limits, &finding->fired, TRANSITIONS_A_LOOK))
            return false;
    }
    return true;
}

static enum status find(struct finding *finding)
{
    size_t words = bits_words(finding->order_count);
    begin(finding);
    while (finding->more) {
        finding->more = false;
        for (size_t word = 0; word < words; word++)
            TRY_MEMORY(fire_queued(finding, word));
        end_round(finding);
    }
    return finding->refused ? STATUS_LIMIT : STATUS_OK;
}

enum status concurrency_find(const struct net *net, struct budget *budget,
                             const struct limits *limits, struct concurrency *pairs)
{
    struct finding finding = {.net = net, .pairs = pairs, .limits = limits};
    struct reaching reaching = {0};
    struct arena arena;
    enum status status = STATUS_LIMIT;
    *pairs = (struct concurrency){.budget = budget};
    arena_init(&arena, budget);
    vector_init(&finding.round, budget);
    if (allocate_result(pairs, net, budget) && allocate(&finding, &reaching, &arena) &&
        group_users(&finding, &arena)) {
        find_order(&finding, &reaching);
        status = find(&finding);
    }
    vector_release(&finding.round);
    arena_release(&arena);
    return status;
}

void concurrency_release(struct concurrency *pairs)
{
    symmetric_bits_release(&pairs->rows);
    bits_release(pairs->budget, pairs->live);
    *pairs = (struct concurrency){.budget = pairs->budget};
}

/* ---- markings ---- */

/* Two by two would take the square of their number: so each with all that are in one word of a row.
 */
static bool allow_many(const struct concurrency *pairs, struct arcs marking)
{
    for (uint32_t next, at = 0; at < marking.count; at = next) {
        uint32_t word = marking.items[at].place / WORD_BITS;
        uint64_t some = arcs_in_word(marking, at, &next);
        for (uint32_t i = 0; i < marking.count; i++) {
            uint64_t missing =
                some & ~symmetric_bits_word(&pairs->rows, marking.items[i].place, word);
            if (i >= at && i < next)
                missing &= ~bit_of(marking.items[i].place);
            if (missing)
                return false;
        }
    }
    return true;
}

bool concurrency_allow(const struct concurrency *pairs, struct arcs marking)
{
    bool many = marking.count > FEW;
    for (uint32_t i = 0; i < marking.count; i++) {
        uint32_t place = marking.items[i].place;
        if (!bits_get(pairs->live, place) ||
            (marking.items[i].count > 1 && !concurrency_has(pairs, place, place)))
            return false;
        for (uint32_t j = 0; j < i && !many; j++)
            if (!concurrency_has(pairs, place, marking.items[j].place))
                return false;
    }
    return !many || allow_many(pairs, marking);
}
