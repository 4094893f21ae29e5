/* The parts of linchpin replay. */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include "cli/options.h"
#include "report/model_trace.h"
#include "report/result.h"
#include "report/test_trace.h"

/* Waits for Enter; false if the user has seen enough ("q", or the end of the input). */
bool replay_wait(void);

/* With --json: writes what was replayed as an object, with the command that its trace is of.
 * `checked`: what the trace says was found to be so again. Releases the result. */
void replay_write(const char *command, bool checked, struct result *result);

/* Whether `found` is `kept`, the hash of what a trace was made of; else complains of `input`, in
 * which `what` ("the model") is another now. */
bool replay_fits(const char *input, const char *what, uint64_t kept, uint64_t found, bool json);

/* Steps through an execution of a model, after taking each of its steps again on the model itself.
 * Gives the exit status. */
int replay_model(const struct options *options, const struct model_trace *trace);

/* Shows a violation of real code again. The code is not run: what can be decided of the calls
 * without it is decided again, and the command that runs it is shown. Gives the exit status. */
int replay_test(const struct options *options, const struct test_trace *trace);

#endif
