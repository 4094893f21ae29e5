/* linchpin check --follow: reading what is being written. */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include "cli/run.h"

/* Whether options and operands are fit for it, or else says what is not. */
bool follow_makes_sense(const struct options *options, const struct inputs *inputs);

/* Follows work->name, in a context of its own, until there is a violation, the writer of a pipe has
 * closed it, or the user stops it. As lp_monitor_result; *state says how far it came. */
lp_status follow_log(struct work *work, lp_context *context, const struct spec_choice *choice,
                     lp_history **history, lp_result **result, lp_monitor_state *state,
                     lp_error *error);

#endif
