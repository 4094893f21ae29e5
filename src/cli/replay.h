/* The parts of linchpin replay. */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include "cli/options.h"
#include "report/model_trace.h"
#include "report/test_trace.h"

/* Waits for Enter; false if the user has seen enough ("q", or the end of the input). */
bool replay_wait(void);

/* Steps through an execution of a model, after taking each of its steps again on the model itself.
 * Gives the exit status. */
int replay_model(const struct options *options, const struct model_trace *trace);

/* Shows a violation of real code again. The code is not run: what can be decided of the calls
 * without it is decided again, and the command that runs it is shown. Gives the exit status. */
int replay_test(const struct options *options, const struct test_trace *trace);

#endif
