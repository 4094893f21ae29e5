/* Checks runs on the net as it was read: like certificate.c, this knows what firing is and nothing
 * of how the run was found. */
#include "petri/certificate.h"

static bool covers(const uint32_t *counts, struct arcs tokens)
{
    for (uint32_t i = 0; i < tokens.count; i++)
        if (counts[tokens.items[i].place] < tokens.items[i].count)
            return false;
    return true;
}

static bool covers_target(const struct net *net, const uint32_t *counts)
{
    for (size_t i = 0; i < net->targets.length; i++)
        if (covers(counts, net->targets.items[i]))
            return true;
    return false;
}

static bool fire(const struct net_transition *transition, uint32_t *counts)
{
    if (!covers(counts, transition->takes))
        return false;
    for (uint32_t i = 0; i < transition->takes.count; i++)
        counts[transition->takes.items[i].place] -= transition->takes.items[i].count;
    for (uint32_t i = 0; i < transition->gives.count; i++) {
        uint32_t *count = &counts[transition->gives.items[i].place];
        if (__builtin_add_overflow(*count, transition->gives.items[i].count, count))
            return false;
    }
    return true;
}

static enum status follow(const struct net *net, const struct run *run, uint32_t *counts,
                          size_t *shortest, struct error *error)
{
    size_t length = run->transitions.length, i = 0;
    for (size_t p = 0; p < net->places.length; p++) {
        const struct net_place *place = &net->places.items[p];
        counts[p] = run->initial[p];
        if (place->open ? counts[p] < place->initial : counts[p] != place->initial)
            return error_set(error, STATUS_INTERNAL, NULL, 0,
                             "the run does not begin in an initial marking");
    }
    for (; i < length && !(shortest && covers_target(net, counts)); i++)
        if (!fire(&net->transitions.items[run->transitions.items[i]], counts))
            return error_set(error, STATUS_INTERNAL, NULL, 0,
                             "transition %zu of the run cannot fire", i + 1);
    if (!covers_target(net, counts))
        return error_set(error, STATUS_INTERNAL, NULL, 0, "the run ends without a target");
    if (shortest)
        *shortest = i;
    return STATUS_OK;
}

enum status run_check(const struct net *net, const struct run *run, struct budget *budget,
                      size_t *shortest, struct error *error)
{
    size_t bytes = net->places.length * sizeof(uint32_t);
    uint32_t *counts = memory_allocate(budget, bytes);
    TRY_MEMORY(counts);
    enum status status = follow(net, run, counts, shortest, error);
    memory_release(budget, counts, bytes);
    return status;
}
