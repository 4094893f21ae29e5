/* Petri nets with what is asked of them: places, transitions, initial markings, targets.
 *
 * A transition can fire when every place holds at least as many tokens as it takes; it removes
 * these and adds what it gives. A place that is only looked at is taken from and given back.
 * The question is coverability: can some marking that is at least a target be reached from an
 * initial one? Initial markings are constants, but for places that are open: these hold their
 * number of tokens or any larger one.
 *
 *     struct net net;
 *     net_init(&net, budget);
 *     uint32_t idle = net_add_place(&net, "idle", 0, true);
 *     uint32_t inside = net_add_place(&net, "inside", 0, false);
 *     net_add_transition(&net, "enter", 0, &(struct arc){idle, 1}, 1, &(struct arc){inside, 1}, 1);
 *     net_add_target(&net, &(struct arc){inside, 2}, 1);
 *     cover_solve(&net, &limits, &options, &coverage);  (cover.h)
 *     net_release(&net);
 *
 * Adding fails only for lack of memory, or of time where there are limits; it then gives NET_NONE,
 * and nothing needs to be looked at in between, for net->refused stays set and cover_solve says so.
 */
#ifndef PETRI_NET_H
#define PETRI_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"

#define NET_NONE UINT32_MAX

/* More tokens than this in a marking, or taken or given at once, are refused by the readers: so
 * that sums of a few never overflow. */
#define NET_MOST_TOKENS UINT32_C(1000000000)

/* In a marking of the coverability engines: as many as one likes. */
#define OMEGA UINT32_MAX

struct arc {
    uint32_t place, count; /* count > 0 */
};

/* Some arcs, ascending by place, each place once. */
struct arcs {
    const struct arc *items;
    uint32_t count;
};

struct net_place {
    const char *name;
    uint32_t initial;
    bool open; /* initially that many or more */
};

struct net_transition {
    const char *name; /* null: it has none but its number */
    uint32_t line;    /* of the file; 0: none */
    struct arcs takes, gives;
};

/* Weights such that no transition raises the weighted sum of tokens; a reader's hint, believed by
 * nobody before it is checked. */
struct net_invariant {
    struct arcs weights;
};

struct net {
    struct arena arena; /* names and arcs */
    VECTOR(struct net_place) places;
    VECTOR(struct net_transition) transitions;
    VECTOR(struct arcs) targets;
    VECTOR(struct net_invariant) invariants;
    uint32_t controls; /* so many places, the first ones, hold one token between them; 0: unknown.
                          Only how a net is written depends on it */
    const struct limits *limits; /* null: none; else adding fails, too, when they are reached */
    uint32_t looked;
    bool refused;
};

void net_init(struct net *net, struct budget *budget);
void net_release(struct net *net);

/* The names are copied. Arcs may come in any order, and a place several times: counts add up. */
uint32_t net_add_place(struct net *net, const char *name, uint32_t initial, bool open);
uint32_t net_add_transition(struct net *net, const char *name, uint32_t line,
                            const struct arc *takes, size_t take_count, const struct arc *gives,
                            size_t give_count);
/* Reached by every marking that has at least these tokens. */
uint32_t net_add_target(struct net *net, const struct arc *arcs, size_t count);
uint32_t net_add_invariant(struct net *net, const struct arc *weights, size_t count);

/* Of a place in arcs; 0 if it is not there. */
uint32_t arcs_count(struct arcs arcs, uint32_t place);

/* Sorts, and adds up what is given of one place; returns how many are left. */
size_t arcs_normalise(struct arc *arcs, size_t count);

#endif
