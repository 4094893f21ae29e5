/* Large parts over containers, made by simulating always-busy threads: for what sample_random is
 * too slow. Positions are those of a run in which each operation takes effect inside its interval,
 * so the part is linearizable until large_spoil has been at it. */
#ifndef TESTS_SUPPORT_LARGE_H
#define TESTS_SUPPORT_LARGE_H

#include "support/generate.h"

enum large_order {
    LARGE_STACK,
    LARGE_QUEUE,
    LARGE_PRIORITY_QUEUE,
};

struct large {
    enum large_order order;
    uint32_t operations, threads;
    uint32_t add_percent;       /* the chance that an operation adds; falls to its complement in the
                                   second half if `deep` */
    uint32_t pending_per_mille; /* operations that never respond; the thread goes on as another */
    uint32_t pause;             /* an operation takes `pause` + 1 times longer than it rests */
    bool deep;
    uint64_t seed;
};

/* A part over the subject, whose workload lists adding first and removing second. Values are
 * distinct; removals from the empty object answer nil. */
void large_part(struct sample *sample, const struct subject *subject, const struct large *large);

/* Swaps the answers of two removals so that the part is a violation for certain: a and b with
 * add a < add b < remove a, remove b, each preceding the next. False if it finds no such two from
 * the `from`-th operation on. */
bool large_spoil(struct sample *sample, uint32_t from);

/* Decides a large part with the monitor of the subject's specification: fails the test unless it is
 * linearizable, with a valid linearization; when spoilt in its middle first (`spoil`), unless it is
 * a violation with a reason, and the operations in the evidence alone are one, too. */
void large_decide(const struct subject *subject, const struct large *large, bool spoil);

#endif
