/* Writes nets as thread transition systems: a net that is one as it is, any other by simulation. */
#include <inttypes.h>

#include "petri/format.h"

/* A net of threads as it is: see net_read_tts. */
static bool is_thread_pair(const struct net *net, struct arcs arcs, uint32_t locals)
{
    bool good = arcs.count >= 1 && arcs.items[0].place < net->controls && arcs.items[0].count == 1;
    uint32_t found = 0;
    for (uint32_t i = 1; good && i < arcs.count; i++) {
        good = arcs.items[i].place >= net->controls;
        found += arcs.items[i].count;
    }
    return good && found == locals;
}

static bool spawns(const struct net_transition *transition)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < transition->gives.count; i++)
        count += transition->gives.items[i].count;
    return count == 2;
}

/* What the new thread of a spawn begins in: the local state that is not the old thread's. */
static uint32_t given_local(const struct net *net, const struct net_transition *transition)
{
    uint32_t old = transition->takes.items[1].place;
    const struct arcs gives = transition->gives;
    for (uint32_t i = 1; i < gives.count; i++)
        if (!spawns(transition) || gives.items[i].place != old || gives.items[i].count == 2)
            return gives.items[i].place - net->controls;
    return 0;
}

static bool is_thread_net(const struct net *net)
{
    bool good = net->controls > 0 && net->controls < net->places.length;
    for (size_t p = 0; good && p < net->places.length; p++) {
        const struct net_place *described = &net->places.items[p];
        good = described->initial == (p == 0) && described->open == (p == net->controls);
    }
    for (size_t t = 0; good && t < net->transitions.length; t++) {
        const struct net_transition *transition = &net->transitions.items[t];
        bool two = spawns(transition);
        good = is_thread_pair(net, transition->takes, 1) &&
               is_thread_pair(net, transition->gives, two ? 2 : 1) &&
               (!two || arcs_count(transition->gives, transition->takes.items[1].place) > 0);
    }
    for (size_t i = 0; good && i < net->targets.length; i++)
        good = net->targets.length == 1 && net->targets.items[i].count > 1 &&
               net->targets.items[i].items[0].place < net->controls &&
               net->targets.items[i].items[0].count == 1 &&
               net->targets.items[i].items[1].place >= net->controls;
    return good;
}

static void write_thread_net(const struct net *net, FILE *out)
{
    fprintf(out, "%" PRIu32 " %zu\n", net->controls, net->places.length - net->controls);
    for (size_t t = 0; t < net->transitions.length; t++) {
        const struct net_transition *transition = &net->transitions.items[t];
        fprintf(out, "%" PRIu32 " %" PRIu32 " %s %" PRIu32 " %" PRIu32 "\n",
                transition->takes.items[0].place, transition->takes.items[1].place - net->controls,
                spawns(transition) ? "+>" : "->", transition->gives.items[0].place,
                given_local(net, transition));
    }
}

/* Any other net: threads are tokens, local state 0 is that of a thread that is none, and p + 1 that
 * of a token in place p. Shared state 0 makes the initial marking, 1 is between transitions, 2 is
 * that of a target; each transition passes through states of its own. It is written twice: first
 * only counted. */
struct simulation {
    const struct net *net;
    FILE *out; /* null: only counted */
    uint64_t steps;
    uint32_t states;
};

enum {
    STATE_START,
    STATE_READY,
    STATE_TARGET,
    STATE_FIRST_FREE,
};

static void move(struct simulation *simulation, uint32_t from, uint32_t local, uint32_t to,
                 uint32_t new_local)
{
    simulation->steps++;
    if (simulation->out)
        fprintf(simulation->out, "%" PRIu32 " %" PRIu32 " -> %" PRIu32 " %" PRIu32 "\n", from,
                local, to, new_local);
}

#define MOST_SIMULATED (UINT64_C(10) << 20)

/* Takes, or gives, tokens one by one from state `at`; returns the state behind the last. */
static uint32_t move_tokens(struct simulation *simulation, uint32_t at, struct arcs arcs, bool take)
{
    for (uint32_t i = 0; i < arcs.count; i++) {
        uint32_t local = arcs.items[i].place + 1;
        for (uint32_t n = 0; n < arcs.items[i].count; n++) {
            if (simulation->steps > MOST_SIMULATED)
                return at;
            move(simulation, at, take ? local : 0, simulation->states, take ? 0 : local);
            at = simulation->states++;
        }
    }
    return at;
}

static void simulate_start(struct simulation *simulation)
{
    uint32_t at = STATE_START;
    for (uint32_t p = 0; p < simulation->net->places.length; p++) {
        const struct net_place *described = &simulation->net->places.items[p];
        const struct arc arc = {p, described->initial};
        if (described->open)
            move(simulation, STATE_START, 0, STATE_START, p + 1);
        at = move_tokens(simulation, at, (struct arcs){&arc, described->initial > 0}, false);
    }
    move(simulation, at, 0, STATE_READY, 0);
}

static void simulate(struct simulation *simulation)
{
    const struct net *net = simulation->net;
    simulation->steps = 0;
    simulation->states = STATE_FIRST_FREE;
    simulate_start(simulation);
    for (size_t t = 0; t < net->transitions.length; t++) {
        const struct net_transition *transition = &net->transitions.items[t];
        uint32_t at = move_tokens(simulation, STATE_READY, transition->takes, true);
        at = move_tokens(simulation, at, transition->gives, false);
        if (at != STATE_READY)
            move(simulation, at, 0, STATE_READY, 0);
    }
    for (size_t i = 0; i < net->targets.length; i++)
        move(simulation, move_tokens(simulation, STATE_READY, net->targets.items[i], true), 0,
             STATE_TARGET, 0);
}

enum status net_write_tts(const struct net *net, FILE *out, struct error *error)
{
    if (is_thread_net(net)) {
        write_thread_net(net, out);
        return STATUS_OK;
    }
    struct simulation simulation = {.net = net};
    simulate(&simulation);
    if (simulation.steps > MOST_SIMULATED)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "as a thread transition system the net would have more than %" PRIu64
                         " transitions, for each token is taken and given on its own",
                         MOST_SIMULATED);
    fprintf(out, "%" PRIu32 " %zu\n", simulation.states, net->places.length + 1);
    simulation.out = out;
    simulate(&simulation);
    return STATUS_OK;
}

void net_write_prop(const struct net *net, FILE *out)
{
    if (!is_thread_net(net)) {
        fprintf(out, "%d|0\n", STATE_TARGET);
        return;
    }
    for (size_t i = 0; i < net->targets.length; i++) {
        const struct arcs target = net->targets.items[i];
        fprintf(out, "%" PRIu32 "|", target.items[0].place);
        for (uint32_t k = 1; k < target.count; k++)
            for (uint32_t n = 0; n < target.items[k].count; n++)
                fprintf(out, "%s%" PRIu32, k > 1 || n ? "," : "",
                        target.items[k].place - net->controls);
        fputc('\n', out);
    }
}
