/* Why a part is no linearization: the smallest set of operations that already shows it. */
#ifndef DECIDE_CORE_H
#define DECIDE_CORE_H

#include "decide/decide.h"

/* Parts of up to this many operations are small: what is looked for has steps of its own, however
 * many parts there are, and all the memory of the check. */
#define CORE_SMALL 20

/* A set of completed operations (intervals of the part) such that the part is still a violation
 * when every other operation is turned into a pending one. */
struct core {
    VECTOR(uint32_t) members; /* ascending; empty if none was found within the limits */
    bool complete;            /* and none when any member is turned pending as well */
};

void core_init(struct core *core, struct budget *budget);
void core_release(struct core *core);

/* Looks for a core of `part`, of which `decision` says that it is a violation and `decided` which
 * engine said so, within limits->most_work steps (0: as many as it takes), where a trial has one
 * for each operation besides those it counts. What limits leave undone shows in `core`, with
 * STATUS_OK. STATUS_INTERNAL if one engine refutes another: the violation is none. */
enum status core_find(const struct part *part, const struct decision *decision, enum method decided,
                      const struct limits *limits, struct core *core,
                      struct error *error) MUST_CHECK;

#endif
