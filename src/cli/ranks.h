/* --mpi: the program as one of several ranks (base/transport.h). Rank 0 is what the user sees:
 * others write nothing to standard output, and to standard error nothing until all have begun, as
 * they would only repeat what rank 0 says; and they end with 0. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "base/attributes.h"
#include "base/transport.h"

struct ranks {
    struct transport *transport;
    const char *command;
    bool agreed;              /* ranks_agree was called */
    int said, standard_error; /* others than rank 0: what they would say so far, and where; or -1 */
};

/* Begins; false, after a message, where there is no MPI. */
bool ranks_begin(struct ranks *ranks, const char *command) MUST_CHECK;

/* Collective, called once, with null for this process alone: whether all ranks have come as far as
 * this, with the same inputs: `inputs` is a hash of their names. If not, it was said why. */
bool ranks_agree(struct ranks *ranks, uint64_t inputs) MUST_CHECK;

/* The end; from this rank's exit status that of the process. */
int ranks_end(struct ranks *ranks, int status);

/* Whether this process is one whose answers another one writes. */
bool ranks_is_helper(const struct ranks *ranks);

/* How many ranks this machine has. */
unsigned ranks_here(const struct ranks *ranks);

/* Where output goes that the user sees, for terminal_detect: what launches ranks gives each a
 * terminal of its own, whatever is behind it. */
int ranks_standard_output(const struct ranks *ranks);

#endif
