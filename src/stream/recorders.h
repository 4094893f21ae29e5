/* Events that several threads record at once: each has a queue of its own, and every event a stamp
 * that says where it stands among those of all. Stamps are taken one after the other without gaps,
 * and stand in each queue in their order: whoever collects takes whole queues, and always has the
 * next event at the front of one. */
#ifndef STREAM_RECORDERS_H
#define STREAM_RECORDERS_H

#include <pthread.h>
#include <stdatomic.h>

#include "stream/sink.h"

struct recorded_event {
    uint64_t stamp;
    struct event event;
};

struct recorders;

/* Of one thread at a time. */
struct recorder {
    struct recorders *all;
    struct recorder *next;
    pthread_mutex_t lock; /* of the queue, with the thread that collects */
    value process;
    VECTOR(struct recorded_event) queue, taken; /* `taken`: by the thread that collects */
    size_t done;                                /* of these: handed on */
};

struct recorders {
    struct budget *budget;
    pthread_mutex_t lock; /* of the list */
    struct recorder *first;
    atomic_uint_least64_t stamps; /* taken */
    uint64_t handed_on;
    VECTOR(struct recorder *) waiting; /* of which events were taken: a heap by the next stamp */
};

void recorders_init(struct recorders *recorders, struct budget *budget);
void recorders_release(struct recorders *recorders);

/* A recorder of a process, from any thread; null when refused. It lives as long as all do. */
struct recorder *recorder_add(struct recorders *recorders, value process);

/* Puts an event into the queue, now. False when refused: its place then stays empty, so that
 * nothing later is ever handed on. */
bool recorder_put(struct recorder *recorder, const struct event *event) MUST_CHECK;

/* Hands on what was put before the call, in order; from one thread at a time. */
enum status recorders_collect(struct recorders *recorders, const struct event_sink *sink,
                              struct error *error) MUST_CHECK;

#endif
