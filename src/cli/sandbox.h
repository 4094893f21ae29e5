/* Gives up what a run does not need: system calls, other programs, the network. */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include <stdbool.h>

#include "cli/options.h"

/* For --sandbox: from now on this process and its threads can do no more than docs/manual/limits.md
 * says, and cannot have it back. Called before there is a second thread. False, and the reason on
 * standard error, where that cannot be had; then nothing may be run. */
bool sandbox_enter(const char *command, struct options *options);

#endif
