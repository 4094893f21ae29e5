/* linchpin rules --on HISTORY: running violation automata on a recorded history. */
#ifndef CLI_RULES_RUN_H
#define CLI_RULES_RUN_H

#include "cli/options.h"
#include "cli/session.h"

/* Runs the automata on each history that options->on names, and prints what they make of it; the
 * exit status. */
int rules_run_histories(struct session *session, lp_context *context, const struct options *options,
                        const lp_rules *rules);

#endif
