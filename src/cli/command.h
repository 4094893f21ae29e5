/* The commands: one file each. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"

/* Exit statuses; of several the worst counts (exit_worst). */
enum {
    EXIT_HOLDS = 0,
    EXIT_VIOLATION = 1,
    EXIT_INPUT = 2,     /* wrong usage, wrong input, or an output that cannot be written */
    EXIT_UNDECIDED = 3, /* a limit was reached, or the user interrupted */
    EXIT_FAULT = 70,    /* linchpin's own */
};

int cc_run(int argc, char **argv); /* cc and c++ */
int check_run(const struct options *options);
int cover_run(const struct options *options);
int convert_run(const struct options *options);
int fmt_run(const struct options *options);
int lsp_run(const struct options *options);
int rules_run(const struct options *options);
int replay_run(const struct options *options);
int graph_run(const struct options *options);
int simulate_run(const struct options *options);
int specs_run(const struct options *options);
int stress_run(const struct options *options);
int test_run(const struct options *options);
int verify_run(const struct options *options);

/* Of 70, 2, 1, 3, 0 the one that comes first. */
int exit_worst(int a, int b);

/* Flushes standard output; EXIT_INPUT when something could not be written. */
int exit_flush(void);

/* Says that standard output takes no more, for the reason `error` (an errno; 0: not known), unless
 * nobody reads any more; gives EXIT_INPUT. */
int exit_unwritten(int error);

#endif
