/* linchpin check --follow: reading what is being written. */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include "cli/follow_bytes.h"
#include "cli/follow_checkpoint.h"
#include "cli/run.h"

/* Whether options and operands are fit for it, or else says what is not. */
bool follow_makes_sense(const struct options *options, const struct inputs *inputs);

struct follow_answer {
    lp_history *history; /* what is kept of it */
    lp_result *result;   /* about all of it */
    lp_monitor_state state;
    uint64_t left_out; /* events that were held at the end, and are not decided */
    uint64_t settled;  /* events that were held when the logs had not ended, with which there is a
                          violation */
    lp_error unread; /* with a message: why a log was read no further, but what was read before is a
                        violation */
    struct follow_bytes bytes;                 /* of the only log */
    struct follow_written metrics, checkpoint; /* as they are at the end */
};

/* Follows the logs, in a context of its own, until there is a violation, the writers of pipes have
 * closed them all, or the user stops it. As lp_monitor_result. */
lp_status follow_logs(struct work *work, lp_context *context, const struct spec_choice *choice,
                      const struct inputs *inputs, struct follow_answer *answer, lp_error *error);

#endif
