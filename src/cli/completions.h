/* Completion for shells, written from the tables of commands and options: nothing is asked of the
 * program while a word is completed. */
#ifndef CLI_COMPLETIONS_H
#define CLI_COMPLETIONS_H

#include <stddef.h>
#include <stdio.h>

#include "cli/options.h"

/* Writes the script for bash, zsh or fish; false if `shell` is none of these. */
bool completions_write(const char *shell, const struct command *commands, size_t count, FILE *out);

#endif
