/* linchpin rules FILE.lin: testing inductive rules. */
#ifndef CLI_RULE_SETS_H
#define CLI_RULE_SETS_H

#include "cli/options.h"
#include "cli/session.h"

struct rule_sets_file {
    const char *path; /* as the user named it */
    lp_rule_sets *sets;
};

/* Tests the rules with number `index` in a file, and prints what was found; the exit status. */
int rule_sets_test(struct session *session, lp_context *context, const struct options *options,
                   const struct rule_sets_file *file, size_t index);

#endif
