/* Histories of which the middle matters (prefix.h), as lines that a monitor is fed with. */
#ifndef TESTS_SUPPORT_PREFIX_LINES_H
#define TESTS_SUPPORT_PREFIX_LINES_H

#include "base/text.h"
#include "support/prefix.h"

/* All zero: none. */
struct prefix_lines {
    struct text lines[4 * PREFIXES_MOST];
    uint32_t positions[4 * PREFIXES_MOST]; /* of the lines: events in front of each */
    size_t count;
};

/* Writes the events in order, a line of EDN each, the ends of operations that do not complete among
 * them; one that would end with its invocation runs for ever then. `texts`: with texts in place of
 * integers, which are then objects of a pool. */
void prefix_lines_write(struct prefix_lines *written, struct prefixes *prefixes, bool texts);

void prefix_lines_release(struct prefix_lines *written);

#endif
