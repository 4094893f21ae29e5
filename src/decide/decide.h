/* Decides one part: chooses the engine (monitor, search, definition), and replays each
 * linearization that it finds before that counts. */
#ifndef DECIDE_DECIDE_H
#define DECIDE_DECIDE_H

#include "monitor/decision.h"

enum method {
    METHOD_AUTO, /* the monitor where it applies and does not give up, else the search */
    METHOD_MONITOR,
    METHOD_SEARCH,
    METHOD_DEFINITION,
};

/* "monitor", "search", "definition" */
const char *method_name(enum method method);

/* Decides `part`; `*used` (may be null) is the engine that did. A linearization has been replayed
 * against the specification before it is reported; one that does not hold is STATUS_INTERNAL.
 * METHOD_MONITOR is for parts to which the monitor applies; STATUS_USAGE if it gives up. Limits
 * make the verdict unknown, with STATUS_OK. */
enum status part_decide(const struct part *part, enum method method, struct limits *limits,
                        struct decision *decision, enum method *used,
                        struct error *error) MUST_CHECK;

/* STATUS_USAGE, naming the operation and the reason, if the monitor does not apply to `part`. */
enum status part_require_monitor(const struct part *part, const struct history *history,
                                 struct limits *limits, struct error *error) MUST_CHECK;

#endif
