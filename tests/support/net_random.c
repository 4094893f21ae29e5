#include "support/net_random.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

static uint8_t weight(struct random *random)
{
    return random_chance(random, 1, 6) ? 2 : 1;
}

/* Mostly as many tokens are given as are taken, so that there is something left to be decided. */
static void random_transition(struct random *random, const struct net_sample *sample,
                              uint8_t *takes, uint8_t *gives)
{
    uint32_t taken = random_below(random, 12) ? 1 + random_below(random, 2) : 0;
    uint32_t given = random_below(random, 4) ? taken : random_below(random, 3);
    for (uint32_t i = 0; i < taken; i++)
        takes[random_below(random, sample->places)] = weight(random);
    for (uint32_t i = 0; i < given; i++)
        gives[random_below(random, sample->places)] = weight(random);
    for (uint32_t p = 0; p < sample->places; p++)
        if (takes[p] && random_chance(random, 1, 4))
            gives[p] = takes[p]; /* only looked at */
}

/* The first places are the shared state, the others count threads. */
static void random_thread_step(struct random *random, uint32_t shared, uint32_t places,
                               uint8_t *takes, uint8_t *gives)
{
    takes[random_below(random, shared)] = 1;
    gives[random_below(random, shared)] = 1;
    takes[shared + random_below(random, places - shared)] = 1;
    if (random_below(random, 5))
        gives[shared + random_below(random, places - shared)]++;
    if (random_below(random, 8) == 0)
        gives[shared + random_below(random, places - shared)]++;
}

void net_sample_random(struct random *random, struct net_sample *sample)
{
    bool threads = random_chance(random, 1, 3);
    *sample = (struct net_sample){.places = 3 + random_below(random, SAMPLE_PLACES - 2),
                                  .transitions = 3 + random_below(random, SAMPLE_TRANSITIONS - 2),
                                  .targets = 1 + random_below(random, SAMPLE_TARGETS)};
    uint32_t shared = 1 + random_below(random, sample->places - 1);
    uint32_t closed = random_chance(random, 1, 3) ? 3 : 12; /* for each open place */
    for (uint32_t p = 0; p < sample->places; p++) {
        sample->initial[p] = (uint8_t)(threads ? p == 0 : random_below(random, 3));
        sample->open[p] = threads ? p == shared : random_below(random, closed) == 0;
    }
    for (uint32_t t = 0; t < sample->transitions; t++)
        if (threads)
            random_thread_step(random, shared, sample->places, sample->takes[t], sample->gives[t]);
        else
            random_transition(random, sample, sample->takes[t], sample->gives[t]);
    for (uint32_t i = 0; i < sample->targets; i++)
        for (uint32_t n = 2 + random_below(random, threads ? 2 : 4); n > 0; n--)
            sample->target[i][random_below(random, sample->places)]++;
}

static uint32_t add_arcs(const uint8_t *counts, struct arc *arcs)
{
    uint32_t length = 0;
    for (uint32_t p = 0; p < SAMPLE_PLACES; p++)
        if (counts[p])
            arcs[length++] = (struct arc){p, counts[p]};
    return length;
}

void net_sample_build(const struct net_sample *sample, struct net *net)
{
    struct arc takes[SAMPLE_PLACES], gives[SAMPLE_PLACES];
    for (uint32_t p = 0; p < sample->places; p++) {
        char name[] = {'p', (char)('0' + p), 0};
        net_add_place(net, name, sample->initial[p], sample->open[p]);
    }
    for (uint32_t t = 0; t < sample->transitions; t++) {
        uint32_t taken = add_arcs(sample->takes[t], takes);
        uint32_t given = add_arcs(sample->gives[t], gives);
        net_add_transition(net, NULL, 0, takes, taken, gives, given);
    }
    for (uint32_t i = 0; i < sample->targets; i++)
        net_add_target(net, takes, add_arcs(sample->target[i], takes));
    assert(!net->refused);
}

/* ---- the oracle by layers ---- */

#define MOST_MINIMAL 400
#define MOST_COUNT   60

struct marking {
    uint8_t counts[SAMPLE_PLACES];
};

struct layer {
    struct marking items[MOST_MINIMAL];
    uint32_t count;
    bool too_large;
};

static bool at_least(const uint8_t *large, const uint8_t *small)
{
    for (uint32_t p = 0; p < SAMPLE_PLACES; p++)
        if (large[p] < small[p])
            return false;
    return true;
}

/* Keeps the layer minimal; true if the marking was new. */
static bool layer_add(struct layer *layer, const struct marking *marking)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < layer->count; i++)
        if (at_least(marking->counts, layer->items[i].counts))
            return false;
    for (uint32_t i = 0; i < layer->count; i++)
        if (!at_least(layer->items[i].counts, marking->counts))
            layer->items[kept++] = layer->items[i];
    layer->count = kept;
    if (kept == MOST_MINIMAL)
        layer->too_large = true;
    else
        layer->items[layer->count++] = *marking;
    return true;
}

static bool layer_has_initial(const struct layer *layer, const struct net_sample *sample)
{
    for (uint32_t i = 0; i < layer->count; i++) {
        bool found = true;
        for (uint32_t p = 0; p < sample->places; p++)
            found = found && (sample->open[p] || layer->items[i].counts[p] <= sample->initial[p]);
        if (found)
            return true;
    }
    return false;
}

/* The markings one step further back, in a new layer. */
static bool step_back(const struct net_sample *sample, const struct layer *layer,
                      struct layer *next)
{
    bool more = false;
    *next = *layer;
    for (uint32_t i = 0; i < layer->count; i++)
        for (uint32_t t = 0; t < sample->transitions; t++) {
            struct marking before = layer->items[i];
            for (uint32_t p = 0; p < sample->places; p++) {
                uint8_t given = sample->gives[t][p];
                uint8_t rest = before.counts[p] > given ? before.counts[p] - given : 0;
                before.counts[p] = (uint8_t)(rest + sample->takes[t][p]);
                next->too_large = next->too_large || before.counts[p] > MOST_COUNT;
            }
            more = layer_add(next, &before) || more;
        }
    return more;
}

enum oracle_answer net_oracle_layers(const struct net_sample *sample, unsigned *length)
{
    static struct layer layers[2];
    layers[0] = (struct layer){0};
    for (uint32_t i = 0; i < sample->targets; i++) {
        struct marking target;
        memcpy(target.counts, sample->target[i], sizeof target.counts);
        layer_add(&layers[0], &target);
    }
    for (*length = 0;; ++*length) {
        const struct layer *layer = &layers[*length % 2];
        if (layer->too_large)
            return ORACLE_TOO_LARGE;
        if (layer_has_initial(layer, sample))
            return ORACLE_UNSAFE;
        if (!step_back(sample, layer, &layers[1 - *length % 2]))
            return ORACLE_SAFE;
    }
}

/* ---- the explicit oracle ---- */

#define MOST_REACHED 3000
#define MOST_TOKENS  6 /* in a place; beyond it nothing is followed */
#define OPEN_TOKENS  4 /* in open places, besides what they have at least */

struct reached {
    struct marking items[MOST_REACHED];
    uint32_t count;
    bool cut;
};

static void reach(struct reached *reached, const struct marking *marking)
{
    for (uint32_t p = 0; p < SAMPLE_PLACES; p++)
        if (marking->counts[p] > MOST_TOKENS) {
            reached->cut = true;
            return;
        }
    for (uint32_t i = 0; i < reached->count; i++)
        if (memcmp(&reached->items[i], marking, sizeof *marking) == 0)
            return;
    if (reached->count == MOST_REACHED)
        reached->cut = true;
    else
        reached->items[reached->count++] = *marking;
}

enum oracle_answer net_oracle_explicit(const struct net_sample *sample)
{
    static struct reached reached;
    struct marking first = {{0}};
    reached.count = 0;
    reached.cut = false;
    for (uint32_t p = 0; p < sample->places; p++) {
        first.counts[p] = (uint8_t)(sample->initial[p] + (sample->open[p] ? OPEN_TOKENS : 0));
        reached.cut = reached.cut || sample->open[p];
    }
    reach(&reached, &first);
    for (uint32_t i = 0; i < reached.count; i++) {
        struct marking from = reached.items[i];
        for (uint32_t k = 0; k < sample->targets; k++)
            if (at_least(from.counts, sample->target[k]))
                return ORACLE_UNSAFE;
        for (uint32_t t = 0; t < sample->transitions; t++) {
            struct marking to = from;
            if (!at_least(from.counts, sample->takes[t]))
                continue;
            for (uint32_t p = 0; p < sample->places; p++)
                to.counts[p] =
                    (uint8_t)(from.counts[p] - sample->takes[t][p] + sample->gives[t][p]);
            reach(&reached, &to);
        }
    }
    return reached.cut ? ORACLE_TOO_LARGE : ORACLE_SAFE;
}

/* ---- shrinking ---- */

static bool try_sample(struct net_sample *sample, const struct net_sample *smaller,
                       bool (*keep)(void *, const struct net_sample *), void *context)
{
    if (!keep(context, smaller))
        return false;
    *sample = *smaller;
    return true;
}

static bool drop_one(struct net_sample *sample, bool (*keep)(void *, const struct net_sample *),
                     void *context)
{
    for (uint32_t t = 0; t < sample->transitions; t++) {
        struct net_sample smaller = *sample;
        smaller.transitions--;
        memcpy(smaller.takes[t], smaller.takes[smaller.transitions], sizeof smaller.takes[t]);
        memcpy(smaller.gives[t], smaller.gives[smaller.transitions], sizeof smaller.gives[t]);
        if (try_sample(sample, &smaller, keep, context))
            return true;
    }
    for (uint32_t i = 0; sample->targets > 1 && i < sample->targets; i++) {
        struct net_sample smaller = *sample;
        smaller.targets--;
        memcpy(smaller.target[i], smaller.target[smaller.targets], sizeof smaller.target[i]);
        if (try_sample(sample, &smaller, keep, context))
            return true;
    }
    return false;
}

static bool lower_one(struct net_sample *sample, bool (*keep)(void *, const struct net_sample *),
                      void *context)
{
    for (size_t at = 0; at < sizeof *sample; at++) {
        struct net_sample smaller = *sample;
        uint8_t *byte = (uint8_t *)&smaller + at;
        if (at < offsetof(struct net_sample, initial) || *byte == 0)
            continue;
        --*byte;
        if (try_sample(sample, &smaller, keep, context))
            return true;
    }
    return false;
}

void net_sample_shrink(struct net_sample *sample,
                       bool (*keep)(void *context, const struct net_sample *sample), void *context)
{
    while (drop_one(sample, keep, context) || lower_one(sample, keep, context))
        ;
}
