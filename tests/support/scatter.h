/* Random parts over containers whose operations lie anywhere: what sample_random, which starts from
 * a correct run, seldom makes. Every value is added once, removed once at most, and not before its
 * add has begun, so that it takes the order of the container to tell right from wrong. */
#ifndef TESTS_SUPPORT_SCATTER_H
#define TESTS_SUPPORT_SCATTER_H

#include "support/generate.h"

struct scatter {
    uint32_t operations; /* at most */
    uint32_t length;     /* greatest length of an interval; an operation's share of the time is 2 */
    uint32_t empties;    /* at most: removals that answer nil */
    uint32_t pending;    /* at most: removals that never respond */
    uint32_t pending_adds_percent;
    uint32_t kept_percent; /* values that nobody removes */
};

/* Random settings for parts of up to `operations` operations. */
struct scatter scatter_any(struct random *random, uint32_t operations);

/* A part over the subject, whose workload lists adding first and removing second. */
void scatter_part(struct sample *sample, const struct subject *subject, struct random *random,
                  const struct scatter *scatter);

/* Moves one end of an interval by a few events. */
void scatter_nudge(struct sample *sample, struct random *random);

#endif
