#include "petri/net.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

void net_init(struct net *net, struct budget *budget)
{
    *net = (struct net){0};
    arena_init(&net->arena, budget);
    vectors_init(budget, &net->places, &net->transitions, &net->targets, &net->invariants);
}

void net_release(struct net *net)
{
    vectors_release(&net->places, &net->transitions, &net->targets, &net->invariants);
    arena_release(&net->arena);
}

static int by_place(const void *left, const void *right)
{
    const struct arc *a = left, *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

size_t arcs_normalise(struct arc *arcs, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(arcs, count, sizeof *arcs, by_place);
    for (size_t i = 0; i < count; i++) {
        if (kept && arcs[kept - 1].place == arcs[i].place)
            arcs[kept - 1].count += arcs[i].count;
        else if (arcs[i].count)
            arcs[kept++] = arcs[i];
    }
    assert(kept <= count);
    return kept;
}

uint32_t arcs_count(struct arcs arcs, uint32_t place)
{
    uint32_t low = 0, high = arcs.count;
    BISECT(low, high, middle, arcs.items[middle].place < place);
    assert(low == arcs.count || arcs.items[low].place >= place);
    return low < arcs.count && arcs.items[low].place == place ? arcs.items[low].count : 0;
}

/* A copy of its own, normalised; false when refused, as a place may have been that they name. */
static bool take_arcs(struct net *net, const struct arc *arcs, size_t count, struct arcs *taken)
{
    struct arc *items = net->refused ? NULL : arena_allocate(&net->arena, count * sizeof *items);
    if (!items)
        return false;
    if (count)
        memcpy(items, arcs, count * sizeof *items);
    *taken = (struct arcs){items, (uint32_t)arcs_normalise(items, count)};
    assert(!taken->count || items[taken->count - 1].place < net->places.length);
    return true;
}

/* The number of what has been added, or NET_NONE. */
static uint32_t added(struct net *net, bool good, size_t length)
{
    good = good && !limits_look(net->limits, &net->looked);
    net->refused = net->refused || !good;
    return good ? (uint32_t)length - 1 : NET_NONE;
}

uint32_t net_add_place(struct net *net, const char *name, uint32_t initial, bool open)
{
    char *copy = arena_copy_text(&net->arena, name, strlen(name));
    struct net_place place = {copy, initial, open};
    bool good = copy && vector_push(&net->places, place);
    return added(net, good, net->places.length);
}

uint32_t net_add_transition(struct net *net, const char *name, uint32_t line,
                            const struct arc *takes, size_t take_count, const struct arc *gives,
                            size_t give_count)
{
    struct net_transition transition = {.line = line};
    bool good = take_arcs(net, takes, take_count, &transition.takes) &&
                take_arcs(net, gives, give_count, &transition.gives);
    if (good && name) {
        transition.name = arena_copy_text(&net->arena, name, strlen(name));
        good = transition.name != NULL;
    }
    good = good && vector_push(&net->transitions, transition);
    return added(net, good, net->transitions.length);
}

uint32_t net_add_target(struct net *net, const struct arc *arcs, size_t count)
{
    struct arcs target;
    bool good = take_arcs(net, arcs, count, &target) && vector_push(&net->targets, target);
    return added(net, good, net->targets.length);
}

uint32_t net_add_invariant(struct net *net, const struct arc *weights, size_t count)
{
    struct net_invariant invariant;
    bool good = take_arcs(net, weights, count, &invariant.weights) &&
                vector_push(&net->invariants, invariant);
    return added(net, good, net->invariants.length);
}
