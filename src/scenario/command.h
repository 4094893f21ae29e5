/* Running other programs: compilers, binutils. */
#ifndef SCENARIO_COMMAND_H
#define SCENARIO_COMMAND_H

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

/* The words of a command line; they are borrowed. */
struct words {
    VECTOR(const char *) items;
};

void words_init(struct words *words, struct budget *budget);
void words_release(struct words *words);

/* Appends words, up to a null one; false when refused. */
bool words_add(struct words *words, ...) MUST_CHECK __attribute__((sentinel));

/* Runs a command to its end, with its standard output and standard error in `output` and
 * `complaints` (both may be null: nobody wants them). *succeeded: it exited with 0. STATUS_USAGE
 * when it cannot be run at all, with the name of the program. */
enum status command_run(struct words *words, struct text *output, struct text *complaints,
                        bool *succeeded, struct error *error) MUST_CHECK;

/* Runs a command whose output is the user's, with our standard streams. *exit_status: 128 and more
 * if a signal ended it. STATUS_USAGE when it cannot be run at all. */
enum status command_pass(struct words *words, int *exit_status, struct error *error) MUST_CHECK;

/* As command_run, for a command that must succeed: else STATUS_INPUT with what it complained of. */
enum status command_need(struct words *words, struct text *output, struct error *error) MUST_CHECK;

#endif
