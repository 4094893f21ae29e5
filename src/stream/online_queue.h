/* What the parts of the queue's monitor share: online_queue.c, which says what need not be kept,
 * and online_queue_points.c, which finds out when it may have been empty. */
#ifndef STREAM_ONLINE_QUEUE_H
#define STREAM_ONLINE_QUEUE_H

#include "base/linked.h"
#include "base/table.h"
#include "stream/online.h"
#include "stream/pile.h"
#include "stream/unseen.h"

/* A value whose enqueue has been invoked and whose removal has not answered, or whose enqueue has
 * not answered. If the enqueue never answers, or was set aside, it is `unseen` until a dequeue
 * answers it. */
struct item {
    value value;
    uint64_t begun, ended; /* of its enqueue; UINT64_MAX: it has not answered */
    union {
        uint64_t due;     /* since when it is; UINT64_MAX: it is not */
        uint64_t dequeue; /* taken: the serial of that */
    };
    uint64_t serial;
    uint32_t before, after; /* of those inside, by `ended`; after: of free ones the next */
    bool inside, taken;     /* its enqueue has answered; a dequeue has answered it */
    bool pending;           /* its enqueue never answers, or */
    bool aside;             /* was set aside; while a dequeue answers it */
};

struct point {
    uint64_t at;
    uint64_t values, takers;
};

/* A dequeue that found nothing, and is not over with. */
struct doubtful {
    uint64_t begun, ended;
    uint64_t serial;
};

/* A value that was removed: what it says is needed still. */
struct witness {
    uint64_t from, to;    /* of an overtaker: when its enqueue was invoked, its dequeue answered; of
                             one that covers points: where */
    uint64_t add, remove; /* serials */
};

struct witnesses {
    VECTOR(struct witness) items;
    size_t next; /* at that many it is worth looking which can go */
};

struct queue {
    struct online online;
    VECTOR(struct item) items;
    uint32_t free, first, last; /* items */
    uint32_t last_due;          /* of the items inside, of which the first are; RUNNING_NONE */
    uint64_t inside, due;       /* how many */
    struct table by_value;      /* items whose value may still come */
    struct unseen unseen;
    struct pending_list taken; /* enqueues that run for long, whose values have been answered;
                                  detail: the serial of the dequeue */
    struct running dequeues;
    struct pile old;    /* pending dequeues that were invoked before all that matters */
    uint64_t overtaken; /* the greatest time at which the enqueue of a removed value was invoked */
    VECTOR(struct point) points;
    VECTOR(struct doubtful) doubtful;
    VECTOR(uint64_t) certain; /* points at which it was empty for certain, found now */
    size_t next_doubtful;
    uint64_t last_certain;
    struct witnesses overtakers, covers;
    uint64_t uncovered; /* before that points may be none without a witness */
};

/* How many dequeues have not answered. */
uint64_t queue_takers(const struct queue *queue);

/* When the first dequeue was invoked that may still need a point. */
uint64_t queue_needed_since(struct queue *queue);

/* A dequeue has been invoked: there is a point behind it. False when refused. */
bool queue_add_point(struct queue *queue, uint64_t now) MUST_CHECK;

/* A value that was inside from `ended` on is no more, and was not when its dequeue began. */
void queue_value_gone(struct queue *queue, uint64_t ended, uint64_t begun);

/* A dequeue that was invoked then has answered, or has taken a value for certain. */
void queue_taker_gone(struct queue *queue, uint64_t invoked);

/* A dequeue that was invoked at `begun` answers that it found nothing. */
enum online_answer queue_found_nothing(struct queue *queue, const struct online_event *event,
                                       uint64_t begun);

/* Takes out points that are none or matter no more, and decides what was in doubt. */
enum online_answer queue_sweep(struct queue *queue);

#endif
