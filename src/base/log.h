/* The log of what an engine does, a line for each moment that matters, in the words of its domain:
 * "reachability: depth 12, 10,240 states, frontier 812". Where there is none, or it wants less, a
 * LOG costs one branch that is predicted, and its arguments are not evaluated.
 *
 * A log is handed down with the limits of the work (base/limits.h), so that every piece of work has
 * its own. Several threads may write to one: each line is put together first and given away whole.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdint.h>

#include "base/attributes.h"
#include "base/quantity.h"

enum log_level {
    LOG_NOTHING,
    LOG_MOMENTS, /* what is begun, what is found, what is given up; progress when work has doubled
                  */
    LOG_STEPS,   /* besides, each level, part and turn */
};

struct log {
    enum log_level level;
    void (*line)(void *user, const char *line); /* called by any thread, also by several at once */
    void *user;
};

/* Writes a line to `log` (null: none) if it wants moments, or steps. */
#define LOG(log, ...)      LOG_AT(log, LOG_MOMENTS, __VA_ARGS__)
#define LOG_STEP(log, ...) LOG_AT(log, LOG_STEPS, __VA_ARGS__)

#define LOG_AT(log, wanted, ...)                                                                   \
    do {                                                                                           \
        if (UNLIKELY(log_wants(log, wanted)))                                                      \
            log_write(log, __VA_ARGS__);                                                           \
    } while (0)

static inline bool log_wants(const struct log *log, enum log_level level)
{
    return log && log->level >= level;
}

/* Whether a line is due of work that has come to `now` since it was `*said` in the last one, which
 * then is now: when it has doubled, or always where steps are wanted. */
bool log_due(const struct log *log, uint64_t now, uint64_t *said);

void log_write(const struct log *log, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
