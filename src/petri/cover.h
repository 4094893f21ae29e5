/* Decides coverability: can a net reach a marking that is at least one of its targets?
 *
 * The engines work in turns, by counted work, so that the same net always gets the same answer in
 * the same way; the first one that has an answer ends it. No answer is believed: what is safe has a
 * certificate, what is unsafe a run, and both are checked again on the net as it was given. */
#ifndef PETRI_COVER_H
#define PETRI_COVER_H

#include "petri/certificate.h"
#include "petri/problem.h"

enum verdict {
    VERDICT_SAFE,   /* no initial marking can; there is a certificate */
    VERDICT_UNSAFE, /* one can; there is a run */
    VERDICT_UNKNOWN,
};

enum cover_engine {
    COVER_FORWARD = 1,
    COVER_BACKWARD = 2,
    COVER_INVARIANTS = 4, /* no engine by itself: the others use those that can be computed */
    COVER_ALL = 7,
};

/* Null members and zeros: the defaults. */
struct cover_options {
    unsigned engines;                                /* of enum cover_engine; 0: all */
    bool any_run;                                    /* the run need not be made shorter */
    void (*progress)(void *user, uint64_t explored); /* now and then */
    void *user;
};

struct coverage {
    enum verdict verdict;
    enum limit limit;   /* VERDICT_UNKNOWN: why; LIMIT_NONE: see `reason` */
    const char *reason; /* VERDICT_UNKNOWN without a limit */
    const char *method; /* what answered: "forward", "backward", "pairs", "invariants"; else "" */
    /* VERDICT_UNKNOWN: an engine had this answer when a limit ended the check of what proves it, or
     * the making of that; else VERDICT_UNKNOWN */
    enum verdict found;
    const char *found_by;           /* as `method` */
    uint64_t explored;              /* markings, by all engines */
    struct certificate certificate; /* VERDICT_SAFE */
    struct run run;                 /* VERDICT_UNSAFE */
    bool shortest;                  /* no run of any initial marking has fewer transitions */
    struct problem problem;
    struct budget *budget;
};

/* Fills the coverage, which is to be released in every case. The net must outlive it. STATUS_OK
 * whenever there is a verdict, unknown included: a limit that is reached, memory too, is one.
 * STATUS_INTERNAL: an engine's answer did not pass its check. */
enum status cover_solve(const struct net *net, struct budget *budget, const struct limits *limits,
                        const struct cover_options *options, struct coverage *coverage,
                        struct error *error) MUST_CHECK;
void coverage_release(struct coverage *coverage);

#endif
