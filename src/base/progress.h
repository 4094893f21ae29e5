/* One line on standard error that is drawn over itself while work goes on. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/terminal.h"

struct progress {
    pthread_mutex_t lock;
    struct terminal terminal;
    bool enabled;
    bool shown;     /* a line stands on the screen */
    uint64_t drawn; /* clock_nanoseconds() of the last drawing */
};

/* Draws only if `wanted` and standard error is a terminal. */
void progress_init(struct progress *progress, bool wanted);

/* Whether a line drawn now would be seen: enabled, and the last one is a fifth of a second old.
 * Thread-safe; ask before putting the line together. */
bool progress_due(struct progress *progress);

/* Replaces the line (cut to the terminal's width). Thread-safe. */
void progress_draw(struct progress *progress, const char *line);

/* Takes the line away: before anything else is written, and at the end. Thread-safe. */
void progress_clear(struct progress *progress);

void progress_release(struct progress *progress); /* clears */

#endif
