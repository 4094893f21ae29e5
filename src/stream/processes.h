/* Clients that come and go: each has a number while it runs an operation, or one that is kept. */
#ifndef STREAM_PROCESSES_H
#define STREAM_PROCESSES_H

#include "stream/state.h"

/* Takes the numbers of processes back that are in no operation of the history, once they are many;
 * others get new ones. Not where a specification tells callers apart, nor of processes that have a
 * name: whether such a one has invoked before says what its `info` means. */
void stream_forget_processes(struct stream *stream);

#endif
