/* Goes backwards from the targets, place by place: a place that matters makes the transitions that
 * raise it matter, and these the places they take from. */
#include "petri/relevance.h"

#include <assert.h>

#include "base/groups.h"

struct finding {
    const struct net *net;
    const struct concurrency *pairs;
    struct bits places, transitions;
    struct groups raisers; /* by place: transitions that raise it */
    uint32_t *queue;
    size_t length;
};

static bool group_raisers(struct finding *finding, struct arena *arena)
{
    const struct net *net = finding->net;
    if (!groups_begin(&finding->raisers, net->places.length, arena))
        return false;
    while (groups_pass(&finding->raisers, arena))
        for (uint32_t t = 0; t < net->transitions.length; t++) {
            struct arcs takes = net->transitions.items[t].takes,
                        gives = net->transitions.items[t].gives;
            for (uint32_t i = 0; i < gives.count; i++)
                if (gives.items[i].count > arcs_count(takes, gives.items[i].place))
                    groups_put(&finding->raisers, gives.items[i].place, t);
        }
    return groups_made(&finding->raisers);
}

static void add_places(struct finding *finding, struct arcs arcs)
{
    for (uint32_t i = 0; i < arcs.count; i++) {
        if (bits_get(finding->places, arcs.items[i].place))
            continue;
        bits_set(finding->places, arcs.items[i].place);
        finding->queue[finding->length++] = arcs.items[i].place;
        assert(finding->length <= finding->net->places.length);
    }
}

static void follow(struct finding *finding)
{
    const struct net *net = finding->net;
    for (size_t i = 0; i < net->targets.length; i++)
        if (concurrency_allow(finding->pairs, net->targets.items[i]))
            add_places(finding, net->targets.items[i]);
    for (size_t i = 0; i < finding->length; i++) {
        uint32_t p = finding->queue[i];
        for (uint32_t k = finding->raisers.first[p]; k < finding->raisers.first[p + 1]; k++) {
            uint32_t t = finding->raisers.items[k];
            struct arcs takes = net->transitions.items[t].takes;
            if (bits_get(finding->transitions, t) || !concurrency_allow(finding->pairs, takes))
                continue;
            bits_set(finding->transitions, t);
            add_places(finding, takes);
        }
    }
}

bool relevance_find(const struct net *net, const struct concurrency *pairs, struct budget *budget,
                    struct bits places, struct bits transitions)
{
    struct arena arena;
    struct finding finding = {
        .net = net, .pairs = pairs, .places = places, .transitions = transitions};
    arena_init(&arena, budget);
    finding.queue = arena_allocate(&arena, net->places.length * sizeof *finding.queue);
    bool good = finding.queue && group_raisers(&finding, &arena);
    if (good)
        follow(&finding);
    arena_release(&arena);
    return good;
}
