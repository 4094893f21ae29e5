/* A part of a history without linearization: the decision, the core, and what else is told of it.
 */
#ifndef DECIDE_VIOLATION_H
#define DECIDE_VIOLATION_H

#include "decide/core.h"

/* A part without linearization. All numbers are places in history->operations. */
struct violation {
    uint32_t part; /* its index among the parts */
    const struct spec *spec;
    uint16_t object; /* or NO_OBJECT */
    bool has_key;
    value key;          /* nil when whole */
    bool keyed_results; /* recorded results are [key value] */
    enum method method;
    struct decision decision; /* reason; evidence (ascending) and partials */
    struct core core;
    VECTOR(uint32_t) context; /* ascending; operations outside the core that the story needs */
};

void violation_release(struct violation *violation);

#endif
