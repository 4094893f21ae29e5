/* A history without end on a pipe, decided by a program that reads it. */
#ifndef STREAMS_PIPE_H
#define STREAMS_PIPE_H

#include "streams/lines.h"

struct pipe_use {
    double seconds;   /* until the program had ended */
    double processor; /* of them that the program had on all threads */
    double megabytes; /* at its peak */
    int status;       /* with which it ended; -1: it was killed */
};

/* Starts the program, whose words end with NULL, and writes the lines of so many operations to its
 * standard input. False where the system refuses. */
bool pipe_run(struct endless *endless, const struct used *used, uint64_t operations,
              char *const *words, struct pipe_use *use);

#endif
