/* Backwards from the targets, place by place: who raises it is looked at once. */
#include "petri/relevance.h"

#include <string.h>

struct finding {
    const struct net *net;
    const struct concurrency *pairs;
    struct bits places, transitions;
    uint32_t *raisers, *first; /* by place: raisers[first[p]] to raisers[first[p + 1] - 1] */
    uint32_t *queue;
    size_t length;
};

/* Counts who raises each place, or lists them behind where each place begins. */
static void index_raisers(struct finding *finding, uint32_t *starts, bool listing)
{
    const struct net *net = finding->net;
    for (uint32_t t = 0; t < net->transitions.length; t++) {
        struct arcs takes = net->transitions.items[t].takes,
                    gives = net->transitions.items[t].gives;
        for (uint32_t i = 0; i < gives.count; i++) {
            uint32_t p = gives.items[i].place;
            if (gives.items[i].count <= arcs_count(takes, p))
                continue;
            if (listing)
                finding->raisers[starts[p]++] = t;
            else
                starts[p + 1]++;
        }
    }
}

static void add_places(struct finding *finding, struct arcs arcs)
{
    for (uint32_t i = 0; i < arcs.count; i++) {
        if (bits_get(finding->places, arcs.items[i].place))
            continue;
        bits_set(finding->places, arcs.items[i].place);
        finding->queue[finding->length++] = arcs.items[i].place;
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
        for (uint32_t k = finding->first[p]; k < finding->first[p + 1]; k++) {
            uint32_t t = finding->raisers[k];
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
    size_t arcs = 1, bytes = (net->places.length + 2) * sizeof(uint32_t);
    for (size_t t = 0; t < net->transitions.length; t++)
        arcs += net->transitions.items[t].gives.count;
    arena_init(&arena, budget);
    finding.raisers = arena_allocate(&arena, arcs * sizeof *finding.raisers);
    finding.queue = arena_allocate(&arena, bytes);
    uint32_t *starts = arena_allocate(&arena, bytes); /* of place p at p + 1, in the end at p */
    bool good = finding.raisers && finding.queue && starts;
    if (good) {
        memset(starts, 0, bytes);
        finding.first = starts;
        index_raisers(&finding, starts + 1, false);
        for (size_t p = 0; p <= net->places.length; p++)
            starts[p + 1] += starts[p];
        index_raisers(&finding, starts + 1, true);
        follow(&finding);
    }
    arena_release(&arena);
    return good;
}
