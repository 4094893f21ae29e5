/* Certificates that a net is safe, and the check of certificates and of runs on the net as it was
 * read: code that shares nothing with the engines but the net. */
#ifndef PETRI_CERTIFICATE_H
#define PETRI_CERTIFICATE_H

#include "base/status.h"
#include "petri/concurrency.h"

enum certificate_kind {
    CERTIFICATE_NONE,
    /* Markings, with OMEGA, whose downward closure holds the initial markings, is closed under
     * every transition and avoids the targets. */
    CERTIFICATE_COVER,
    /* Markings whose upward closure holds the targets, avoids the initial markings, and which no
     * transition enters from outside: but for markings that `pairs` or `invariants` exclude,
     * which are themselves closed under every transition. */
    CERTIFICATE_BASIS,
};

struct certificate {
    enum certificate_kind kind;
    struct arena arena;
    VECTOR(struct arcs) markings;    /* ascending by place; of the others the count is 0 */
    struct bits free;                /* COVER: places of which nothing is claimed */
    const struct concurrency *pairs; /* BASIS; not owned */
    VECTOR(struct arcs) invariants;  /* BASIS: weights */
};

void certificate_init(struct certificate *certificate, struct budget *budget);
void certificate_release(struct certificate *certificate);

/* Whether it proves that no target can be covered. STATUS_LIMIT; STATUS_INTERNAL with what is wrong
 * with it. */
enum status certificate_check(const struct certificate *certificate, const struct net *net,
                              struct budget *budget, const struct limits *limits,
                              struct error *error) MUST_CHECK;

/* A run of the net: transitions one after the other, from an initial marking. */
struct run {
    uint32_t *initial; /* by place of the net */
    VECTOR(uint32_t) transitions;
};

/* Whether the marking is initial, each transition can fire, and a target is covered at the end.
 * `shortest` (may be null) is the number of transitions after which a target
 * is covered for the first time. STATUS_INTERNAL with what is wrong. */
enum status run_check(const struct net *net, const struct run *run, struct budget *budget,
                      size_t *shortest, struct error *error) MUST_CHECK;

#endif
