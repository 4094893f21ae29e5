/* Compares violation automata with the definition of linearizability on random histories of more
 * operations than can be enumerated. What automata miss is often a letter that only comes where
 * much else goes on (random_history.h). */
#ifndef RULES_RANDOM_CHECK_H
#define RULES_RANDOM_CHECK_H

#include "rules/check.h"

struct random_request {
    uint64_t seed, count; /* of histories */
};

struct random_finding {
    uint64_t histories;    /* that were compared; up to the first difference, if there is one */
    uint64_t linearizable; /* of these, where there is none */
    uint64_t overlooked;   /* likewise, where the automata are partial: accepted by none */
    enum limit limit;      /* why they are fewer than asked for */
    /* The first difference, after operations have been left out as long as it stays one. */
    struct rules_history missed, false_alarm;
    size_t culprit;
};

/* Compares; of `request` bound and words do not matter: violations are given as the canonical word,
 * other histories as that one and as one in which the order within blocks is random. The histories
 * are not HISTORY_MATCHED. The same seed gives the same histories, whatever the number of threads.
 * STATUS_LIMIT: there was no memory to begin with; a fault of the specification. */
enum status rules_check_random(const struct rules_request *request,
                               const struct random_request *random, struct limits *limits,
                               struct random_finding *finding, struct error *error) MUST_CHECK;

#endif
