/* What a stream keeps: stream.c changes it, story.c reads it. */
#ifndef STREAM_STATE_H
#define STREAM_STATE_H

#include "base/bisect.h"
#include "base/table.h"
#include "history/bind.h"
#include "history/history.h"
#include "stream/configurations.h"
#include "stream/online.h"
#include "stream/shelf.h"

struct value_roots;

struct stream_options {
    struct bind_options bind;
    uint64_t keep; /* operations, completed or pending, that are kept for the story, at least */
    uint64_t keep_bytes; /* not 0: in place of that so many bytes, at most */
    unsigned threads;    /* that read and decide at a time; 0: as 1 */
    uint32_t batch;      /* a decision is made when so many events have come; at least 1 */
    bool checkpoints;    /* may be written (checkpoint.h) */
    bool order_unsaid; /* nobody said that the order of events is meant, whatever their times say */
    bool
        monitors_only; /* what monitors do not find possible is given up: it is decided elsewhere */
};

/* An object as it was at a cut. */
struct snapshot {
    uint64_t ordinal; /* of the first event behind it */
    uint64_t state;   /* with `begun` */
    uint64_t known;   /* not monitored: of operations that ran, what the event of that ordinal, and
                         those in front of it, said has been made use of */
    bool fresh;       /* nothing had happened to the object */
    bool monitored;
    bool begun; /* the monitor had begun with `state` (online_class.begin) */
    union {
        struct stream_object object; /* not monitored */
        struct {                     /* monitored: the history goes on from these operations */
            struct packed retained;  /* their serials, some perhaps twice */
            struct packed beside;    /* as online_class.cut; empty: it goes on from `retained`
                                        alone */
        };
    };
};

/* How an object is followed. */
enum following {
    FOLLOWED_BY_MONITOR,
    FOLLOWED_BY_SEARCH,
    FOLLOWED_IDLE,       /* by a monitor again when something happens (idle.h) */
    FOLLOWED_IDLE_STATE, /* likewise by the search */
    FOLLOWED_RETAINED,   /* too many configurations: by all its operations since a snapshot */
    FOLLOWED_PACKED,     /* by a monitor that is packed until something happens (idle.h) */
};

/* A monitor that is packed. */
struct packed_monitor {
    uint64_t state;   /* that it began with, if `begun` */
    uint64_t last;    /* the greatest serial that it keeps */
    uint32_t serials; /* so many bytes list them, as in a snapshot; the rest is the monitor */
    uint32_t length;  /* bytes */
    uint8_t bytes[];
};

/* All operations of an object since its older snapshot are kept, and decided together (retained.h).
 */
struct retained {
    uint64_t events; /* so many */
    uint64_t tried;  /* of which it was decided last, or tried */
    uint64_t next;   /* so many are to be decided in any case */
    bool doubtful;   /* the last time a limit was reached */
    bool returned;   /* it was tried to give the object back to the search */
};

/* An object that is awake. */
struct followed {
    const struct spec *spec;  /* not owned */
    value key, independent;   /* key: as spec_class.init takes it */
    struct online *online;    /* decides it; null: no monitor does */
    struct snapshot *then[2]; /* in the epoch before, in this one; null: nothing happened then, or
                                 it matters no more */
    union {                   /* by `following`: */
        uint64_t state;       /* that the monitor began with, if `begun`; in which it would begin */
        struct stream_object *now; /* what the search knows */
        uint64_t *words;           /* the only state, behind its length */
        struct retained *retained;
        struct packed_monitor *packed;
    };
    uint64_t looked;      /* the ordinal of the first event of which the monitor was told since it
                             looked, or an earlier one; with `unlooked`. Retained: that of the
                             first event that is not decided. Searched: `known` of the next
                             snapshot */
    uint32_t first, last; /* of its events in the batch; NONE */
    uint32_t epoch;       /* the last digits of that of then[1] */
    uint16_t object;
    uint8_t following; /* enum following */
    bool begun : 1, has_key : 1, has_independent : 1, given_up : 1;
    bool touched : 1;  /* something has happened to it */
    bool holds : 1;    /* in stream->holders */
    bool unlooked : 1; /* the monitor was told events since it looked: in stream->unlooked */
    bool wide : 1;     /* the search may keep many configurations */
};

/* An object, of which there may be a million, looked up in no order. */
struct resting {
    union {
        value name;                /* its key, or its index */
        struct followed *followed; /* awake: all that there is to say, but for what it is; owned */
    };
    uint64_t state; /* as followed->state, or what stands there */
    uint16_t object;
    uint8_t following;
    bool awake : 1;
    bool happened : 1; /* some operation of it has not failed; with monitors_only */
    bool has_key : 1, has_independent : 1, begun : 1, touched : 1, holds : 1, wide : 1;
};

struct stream_event {
    uint64_t ordinal;
    uint64_t serial; /* of its operation */
    uint32_t object;
    uint32_t next; /* of the same object; UINT32_MAX */
    bool begins;
};

/* An event on its way to its object (told.h). */
struct told_event {
    uint64_t ordinal;
    uint64_t skipped; /* events, in front of it */
    value process;
    uint32_t line;
    uint32_t place; /* of its operation, among those that are kept */
    uint32_t object;
    uint32_t objects; /* how many there are with it */
    uint32_t next;    /* that waits, of the same object; UINT32_MAX */
    uint8_t stage;    /* enum stage */
    uint8_t answer;   /* enum online_answer, if the monitor was asked, */
    bool asked;
    bool refused; /* but if a budget refused before */
};

/* What stands in front of the stream and has values of it, too. */
struct value_user {
    bool (*add)(void *user, struct value_roots *roots); /* false: nothing can be forgotten now */
    void *user;
};

/* What has become of an object's events of a batch. */
struct decided {
    uint64_t first;             /* the ordinal of the first of them */
    enum possible possible;     /* as far as it was decided */
    enum possible not_for_good; /* and of what is not decided for good yet */
};

enum stream_verdict {
    STREAM_POSSIBLE, /* linearizable as far as it was decided */
    STREAM_VIOLATION,
    STREAM_UNKNOWN, /* some object was given up, and no other is violated */
};

struct stream {
    struct stream_options options;
    struct limits *limits; /* not owned */
    struct history *history;
    struct history_builder *builder;
    struct binder binder;
    bool bound;                 /* the binder has been made */
    bool forgets;               /* values that no operation has that is kept, nor */
    struct value_user users[2]; /* one of these, */
    uint32_t user_count;        /* so many */
    bool intact; /* the event that failed was refused before anything was done with it */
    bool fed;    /* with lines, which a second thread parses ahead: that is enough for two */
    struct configurations configurations;
    VECTOR(struct configurations) helpers; /* of the other threads */
    VECTOR(struct decided) decided;        /* by several threads: batch.h */
    struct team *team;                     /* null: not needed so far */
    VECTOR(struct told_event) told;        /* events that wait, with several threads */
    VECTOR(uint32_t) asked;                /* objects whose monitors are told some of them */
    VECTOR(uint8_t) looks;                 /* what monitors have answered: told.h */
    enum status stopped;                   /* what came of events that waited: STATUS_OK, */
    struct error fault;                    /* or this */
    VECTOR(struct tracked) tracked;        /* of each operation of the history */
    struct shelf shelf;                    /* operations that are kept besides */
    bool brought; /* the last of the history is one of these, for the time of an event (bring.h) */
    VECTOR(struct resting) objects;    /* by their numbers: objects.h */
    VECTOR(struct followed *) rooms;   /* room of objects that rest now, for those that wake */
    struct table numbers;              /* of the objects */
    VECTOR(const struct spec *) specs; /* of the objects of a name: behind its number */
    struct spec_keys keys;
    VECTOR(struct stream_event) batch; /* events that are not decided for good, in order */
    uint64_t looked;                   /* how many events there were at the last decision */
    bool complete;                     /* and it was about all of them */
    VECTOR(uint32_t) touched;          /* objects in the batch */
    VECTOR(uint32_t) unlooked;         /* objects whose monitors are to look yet */
    VECTOR(struct online *) spares;    /* monitors of none, to be renewed */
    VECTOR(uint32_t) woken;            /* objects, since the last batch */
    VECTOR(uint32_t) holders;          /* objects whose monitors or snapshots may hold something */
    VECTOR(uint32_t) retained;         /* objects that are retained, or were */

    uint64_t events, operations, completed, skipped; /* so far */
    uint64_t running, pending;
    uint64_t failed;                /* with monitors_only */
    uint64_t epoch, epoch_start[2]; /* ordinals: of the epoch before, of this one */
    uint64_t epoch_operations;      /* over, or pending, before it */
    uint64_t epoch_bytes;           /* of those that completed in it; with keep_bytes */
    uint64_t cleared_bytes;         /* likewise, since the last clearing */
    size_t kept;                    /* operations of the history left by the last clearing */
    size_t held;                    /* of them, by monitors */
    uint64_t forgotten;             /* ordinal: when values were last */
    size_t next_processes;          /* at so many it is worth looking which can go */

    enum stream_verdict verdict; /* see stream_verdict */
    bool doubtful;               /* a limit was reached for what is not decided for good yet: */
    uint64_t doubtful_since;     /* the ordinal of its first event that is known; ORDINAL_NEVER */
    enum limit limit;            /* why unknown: LIMIT_TIME: a search took as many steps as it may;
                                    LIMIT_NONE: what is kept of the object does not say how it goes
                                    on */
    uint64_t given_up;           /* objects */
    uint32_t given_up_line;      /* of the event with which the first was */
    value given_up_process;      /* of that event */
    uint32_t line;               /* of the last event */
    value process;               /* of that */
    uint32_t violated;           /* object */
    uint64_t violation;          /* the ordinal of the event that makes the history one */
    bool exactly;                /* without it that object's history is linearizable */
};

/* Whether what the monitor of an object keeps goes on from a state of its own: *state. */
static inline bool followed_begun(const struct followed *followed, uint64_t *state)
{
    const struct online *online = followed->online;
    *state = followed->state;
    return (online && online->class->goes_on && online->class->goes_on(online, state)) ||
           followed->begun;
}

/* The monitor that decides an object; null: none does, or a budget refused. */
struct online *stream_create_online(const struct stream *stream, const struct followed *followed);

/* Keeps the binder's tables as large as what the history names. */
enum status stream_renew_binder(struct stream *stream, struct error *error) MUST_CHECK;

/* So many operations of the history are in the order of their serial numbers, all but one that is
 * brought. */
static inline size_t stream_sorted(const struct stream *stream)
{
    return stream->tracked.length - stream->brought;
}

/* The place in the history of the operation of that serial number; UINT32_MAX: it is not there
 * (kept.h). */
static inline uint32_t stream_place(const struct stream *stream, uint64_t serial)
{
    const size_t length = stream_sorted(stream);
    size_t low = 0, high = length;
    if (stream->brought && stream->tracked.items[length].serial == serial)
        return (uint32_t)length;
    BISECT(low, high, middle, stream->tracked.items[middle].serial < serial);
    bool found = low < length && stream->tracked.items[low].serial == serial;
    return found ? (uint32_t)low : UINT32_MAX;
}

/* What is known now of an operation. */
static inline enum stage stage_of(const struct operation *operation, const struct tracked *tracked)
{
    if (tracked->ended == ORDINAL_NEVER)
        return STAGE_RUNNING;
    return operation->outcome == OUTCOME_OK     ? STAGE_COMPLETES
           : operation->outcome == OUTCOME_FAIL ? STAGE_FAILED
                                                : STAGE_PENDING;
}

/* Of one of the history, by its place. */
static inline enum stage stream_stage(const struct stream *stream, uint32_t place)
{
    return stage_of(&stream->history->operations.items[place], &stream->tracked.items[place]);
}

#endif
