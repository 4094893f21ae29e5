/* Deciding the inputs of one `linchpin check`, and writing what comes out. */
#ifndef CLI_DECIDE_H
#define CLI_DECIDE_H

#include "base/progress.h"
#include "cli/input.h"
#include "cli/ordered.h"
#include "cli/results.h"
#include "cli/session.h"
#include "report/text.h"

struct check {
    const struct options *options;
    struct inputs inputs;
    struct session session;
    struct progress progress;
    struct ordered ordered;
    struct report_style style;
    struct spec_choice choice;
    lp_method method;
    unsigned jobs, workers;
    struct results results;
};

/* Decides input `index` with 1/`share` of the memory on `jobs` threads. Thread-safe for different
 * inputs. */
void decide_input(struct check *check, size_t index, unsigned share, unsigned jobs);

#endif
