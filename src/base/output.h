/* A file that appears whole or not at all: written beside its place, moved there when complete. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

struct output;

/* Begins a file that is to stand at `path`; "-" is standard output. What is there now stays until
 * output_commit; the new file gets its rights, and its owner where that is allowed. Of a symbolic
 * link the target is replaced; devices and pipes are written directly. STATUS_USAGE with the
 * system's reason, also where the file that is there must not be written. */
enum status output_open(const char *path, struct output **output, struct error *error) MUST_CHECK;

/* Where to write. */
FILE *output_stream(struct output *output);

/* Puts the file, once it is on the disk, in its place and releases `output`. STATUS_USAGE when
 * something could not be written (a full disk): the old file then still stands. Standard output is
 * left to its owner, to be flushed once at the end. */
enum status output_commit(struct output *output, struct error *error) MUST_CHECK;

/* Removes what a program that was killed had begun to write in the place of this file. */
void output_remove_left_over(const char *path);

/* Whether a file of that name is such a one of the file `of`: "x.search.a1B2c3.tmp". */
bool output_is_left_over(const char *name, const char *of);

/* Leaves everything as it was; a null output is allowed. */
void output_abandon(struct output *output);

/* Removes what is not complete: the process is about to end, and no output is used any more. Where
 * files can be without a name, there is nothing to be removed. */
void output_abandon_all(void);

#endif
