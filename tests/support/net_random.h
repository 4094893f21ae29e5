/* Random small nets, and two oracles for them that are as plain as can be: they share nothing with
 * src/petri. */
#ifndef TESTS_SUPPORT_NET_RANDOM_H
#define TESTS_SUPPORT_NET_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "petri/net.h"

enum {
    SAMPLE_PLACES = 6,
    SAMPLE_TRANSITIONS = 9,
    SAMPLE_TARGETS = 2,
};

/* A net, by place. */
struct net_sample {
    uint32_t places, transitions, targets;
    uint8_t initial[SAMPLE_PLACES];
    bool open[SAMPLE_PLACES];
    uint8_t takes[SAMPLE_TRANSITIONS][SAMPLE_PLACES], gives[SAMPLE_TRANSITIONS][SAMPLE_PLACES];
    uint8_t target[SAMPLE_TARGETS][SAMPLE_PLACES];
};

/* Some are nets of threads that share a state, the others have no such structure. */
void net_sample_random(struct random *random, struct net_sample *sample);

/* Into a net that is initialised; it must not run out of memory. */
void net_sample_build(const struct net_sample *sample, struct net *net);

enum oracle_answer {
    ORACLE_SAFE,
    ORACLE_UNSAFE,
    ORACLE_TOO_LARGE,
};

/* The definition of coverability by layers: markings from which a target can be covered in 0, 1, 2,
 * ... steps, until nothing is new. *length: how many the shortest run has, if unsafe. */
enum oracle_answer net_oracle_layers(const struct net_sample *sample, unsigned *length);

/* Every marking of so many tokens in open places that can be reached, up to a bound: SAFE only if
 * there are no open places and the bound was not met. */
enum oracle_answer net_oracle_explicit(const struct net_sample *sample);

/* Takes transitions, targets and tokens away as long as `keep` is true of what is left. */
void net_sample_shrink(struct net_sample *sample,
                       bool (*keep)(void *context, const struct net_sample *sample), void *context);

#endif
