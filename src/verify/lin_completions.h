/* How often each operation of an implementation can complete when operations may take only so many
 * nodes: what an answer about any number of threads and at most N allocations speaks of. */
#ifndef VERIFY_LIN_COMPLETIONS_H
#define VERIFY_LIN_COMPLETIONS_H

#include "verify/assertion.h"
#include "verify/lin_instance.h"

struct lin_completions {
    bool takes_nodes;    /* some operation can */
    struct text said;    /* "`push` can complete 2 times and `pop` any number of times" */
    struct text lacking; /* the operations that take nodes and for lack of them cannot complete
                            twice: "`push` can complete only once"; "": there is none */
};

/* Of an assertion with any number of threads and `instance` open for it, when operations run one
 * after another. STATUS_LIMIT. Release whatever the status. */
enum status lin_completions_count(const struct lin_instance *instance,
                                  const struct assertion_options *options,
                                  struct lin_completions *completions,
                                  struct error *error) MUST_CHECK;
void lin_completions_release(struct lin_completions *completions);

#endif
