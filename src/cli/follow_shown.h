/* How far a log that is followed is, for people and for Prometheus. */
#ifndef CLI_FOLLOW_SHOWN_H
#define CLI_FOLLOW_SHOWN_H

#include "base/text.h"
#include "cli/run.h"

struct follow_state {
    const lp_monitor_state *state;
    uint64_t behind;  /* bytes of files that have not been read yet */
    uint64_t resumed; /* operations that an earlier run had seen */
    double seconds;   /* since it began */
};

/* Appends "12,345 operations (4,000/s), 3 running, 2 pending, 1,024 kept, 12 MB behind". */
void follow_append(const struct follow_state *now, struct text *text);

/* Writes the line about `name` to standard error, beside what is drawn there. */
void follow_say(struct work *work, const struct follow_state *now);

/* Writes the file in Prometheus' text format: the old one stands until the new one is whole. */
lp_status follow_write_metrics(const char *path, const struct follow_state *now, lp_error *error);

#endif
