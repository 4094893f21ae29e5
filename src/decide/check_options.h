/* What a caller asks of check_history (check.h), and how far its decision is. */
#ifndef DECIDE_CHECK_OPTIONS_H
#define DECIDE_CHECK_OPTIONS_H

#include "decide/decide.h"

struct check_progress {
    size_t parts_done, parts;
    uint64_t explored; /* configurations or steps, by all engines */
};

struct check_options {
    struct bind_options bind;
    enum method method;
    bool all;           /* find every violating part, not only the first */
    bool untold;        /* a verdict will do: no cores, no words */
    unsigned threads;   /* at least 1 */
    uint64_t most_work; /* steps that a part gets at most in each pass; what has not been decided
                           with them is unknown; 0: as many as it takes */
    double timeout;     /* seconds, for messages; limits->deadline is what counts */
    /* Called from one thread at a time, a few times a second. May be null. */
    void (*progress)(void *user, const struct check_progress *progress);
    void *progress_user;
};

#endif
