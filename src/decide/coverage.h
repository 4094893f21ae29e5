/* Says in one sentence what an unknown verdict covered: which limit was reached, and how far the
 * decision was. */
#ifndef DECIDE_COVERAGE_H
#define DECIDE_COVERAGE_H

#include "history/part.h"

struct coverage {
    enum limit limit;
    double timeout;              /* seconds; 0: none was given */
    const struct budget *budget; /* whose limit, or whose ancestor's, was reached */
    size_t parts_decided, parts;
    bool keyed, several_objects; /* what to call the parts */
    uint64_t explored;
    const struct part *furthest; /* an undecided part, or null */
    uint32_t furthest_length;    /* operations of it that were put in order; 0: not known */
    const struct history *history;
};

/* "time limit of 30 s reached: 41 of 100 keys decided, 12,345,678 steps explored; furthest: 3,120
 * of 10,000 operations of key 7". Gives where the limit ends, and what was covered begins. */
size_t coverage_print(const struct coverage *coverage, struct text *text);

#endif
