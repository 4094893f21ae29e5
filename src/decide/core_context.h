/* The operations outside a core that make it understandable. */
#ifndef DECIDE_CORE_CONTEXT_H
#define DECIDE_CORE_CONTEXT_H

#include "decide/core.h"

/* Adds to `context` (empty at first) a smallest set of operations outside `core` (intervals of the
 * part, `core` complete) without which not even the core's other operations would be legal before
 * the one of them that returned last: what they built on. None where there would be more than
 * `most`, or where a limit leaves it undecided. */
void core_context_find(const struct part *part, const struct core *core,
                       const struct limits *limits, size_t most, uint32_t *context, size_t *length);

#endif
