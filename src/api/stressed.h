/* The rounds of a stress test: each one's history is read and decided as any other. */
#ifndef API_STRESSED_H
#define API_STRESSED_H

#include <linchpin/stress.h>

#include "api/objects.h"
#include "scenario/conversation.h"
#include "scenario/stressing.h"

struct stress {
    lp_context *context;
    const lp_stress_options *options;
    struct text folder, program, compilers;
    struct listed_tests tests;
    VECTOR(lp_stress_result) results;
};

/* One of its tests. */
struct stressed {
    struct stress *stress;
    lp_stress_result *result;
    lp_spec *spec;      /* null: the test names none */
    lp_spec *waiting;   /* the same, and where operations wait; null: none waits of itself */
    bool waits;         /* one of its operations may wait */
    bool over;          /* no further round can be decided: the reason is said */
    uint64_t undecided; /* rounds that came to their end */
    uint64_t unlooked;  /* rounds in which operations wait, of which it is not known if they may */
    struct text orders; /* in which threads call */
    const struct limits *limits;
};

unsigned stressed_threads(const lp_stress_options *options);

/* Whether a specification is the code itself, with one operation after the other. */
bool stressed_is_auto(const char *spec);

/* Puts what was found in the result; takes the reason. */
void stressed_say(lp_stress_result *result, lp_verdict verdict, lp_stress_finding finding,
                  struct text *reason);

/* Decides a round. Its history stays with the result if it is a finding. LP_LIMIT: it could not be
 * decided, which says nothing about others. */
lp_status stressed_decide(struct stressed *stressed, const struct stressing_round *round,
                          lp_error *error);

/* Likewise a round in which nothing returned; `blocked`: every thread waits for something. */
lp_status stressed_decide_hang(struct stressed *stressed, const struct stressing_round *round,
                               bool blocked, lp_error *error);

/* The code ended its process in a round. */
lp_status stressed_tell_crash(struct stressed *stressed, const struct stressing_round *round,
                              lp_error *error);

#endif
