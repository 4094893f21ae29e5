/* A recorded history: operations in the order of their invocations, and nothing decided yet.
 *
 * Positions order the events of a history: an operation a precedes b when a.response < b.invoke.
 * A reader turns what it reads into events (or, for formats that give call and return times, into
 * operations with times) and hands them to a history_builder, which checks well-formedness and
 * assigns the positions. */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/vector.h"
#include "value/value.h"

#define POSITION_NEVER UINT32_MAX
#define NO_OBJECT      UINT16_MAX

/* Beyond this many operations positions would overflow: an input error names it. */
#define HISTORY_MAX_OPERATIONS ((uint32_t)1 << 30)

enum outcome_kind {
    OUTCOME_OK,      /* it happened, between invoke and response */
    OUTCOME_FAIL,    /* it did not happen */
    OUTCOME_UNKNOWN, /* `info`, or no completion: it may have happened, any time after invoke */
};

struct operation {
    value argument;      /* of the invocation, as recorded; nil where there is none */
    value result;        /* of the completion, as recorded; nil where there is none */
    value key;           /* the event's `key` field; nil unless has_key */
    int64_t invoke_time; /* as recorded; TIME_NONE where there is none */
    int64_t response_time;
    uint32_t invoke;      /* position */
    uint32_t response;    /* position of the completion (ok, fail or info), or POSITION_NEVER */
    uint32_t record;      /* the operation's public index: its place among the file's invocations
                             or records. Differs from its place here only where a file lists timed
                             operations in another order than that of their calls */
    uint32_t process;     /* index into history->processes */
    uint32_t invoke_line; /* 1-based; 0 where lines mean nothing */
    uint32_t response_line;
    uint16_t function; /* index into history->functions */
    uint16_t object;   /* index into history->objects, or NO_OBJECT */
    uint8_t outcome;   /* enum outcome_kind */
    bool has_key;
    bool result_recorded; /* the ok completion carries a value at all */
};

#define TIME_NONE INT64_MIN

/* Something the recorder noted that is no operation of a client: Jepsen's nemesis. */
struct annotation {
    uint32_t position; /* the next event's position when it was recorded */
    uint32_t line;
    value process, value;
    value function; /* a KIND_STRING if it is a text at all */
    int64_t time;
    uint8_t type; /* enum event_type, as recorded */
};

/* Which order the events of a history have. */
enum history_order {
    ORDER_UNSAID, /* that of the file; nobody said that it is the one meant */
    ORDER_FILE,   /* that of the file, whatever the times say */
    ORDER_TIME,   /* that of the times */
};

/* Of two events the later one in the order of the file, which has the earlier time. */
struct time_reversal {
    bool found;
    int64_t time, latest_time;
    uint32_t line, latest_line;           /* 1-based; 0: none */
    uint32_t operation, latest_operation; /* records */
};

/* A `time` that is no integer of at most 64 bits: it says nothing. */
struct unread_time {
    bool found;
    uint32_t line; /* 1-based; 0: none */
    value value;
};

struct history {
    const char *name;          /* "file.edn", "file.tla#H1"; owned by `arena` */
    const char *format;        /* name of the format it was read from; static */
    const char *specification; /* what the file itself says the object is (`# @object
                                  atomic-stack` gives "stack"), or null; static or in arena */
    bool initial_known;        /* the file or its format fixes the initial value: */
    value initial;
    struct value_pool *pool; /* not owned */
    struct budget *budget;   /* not owned */
    struct arena arena;
    VECTOR(struct operation) operations; /* by invoke */
    VECTOR(value) processes;             /* label of each process: an integer, or a name */
    VECTOR(value) functions;             /* name of each function: a KIND_STRING, distinct */
    VECTOR(value) objects;               /* name of each object: likewise */
    VECTOR(struct annotation) annotations;
    uint32_t positions; /* number of events */
    enum history_order order;
    uint32_t passed_over;          /* lines that are no events, of a log */
    struct time_reversal reversal; /* the first one of the file, unless ORDER_TIME */
    struct unread_time unread;     /* likewise the first one */
};

enum event_type {
    EVENT_INVOKE,
    EVENT_OK,
    EVENT_FAIL,
    EVENT_INFO,
    EVENT_NOTE, /* no operation: an annotation */
};

/* One event as a reader found it. Names (function, object) are told apart by their letters alone:
 * :read and "read" are one function. A completion may leave out function, key and object; what it
 * has must be what its invocation has. */
struct event {
    value process;
    value function; /* nil: not said (completions only) */
    value value;    /* nil unless has_value */
    value key;      /* nil unless has_key */
    value object;   /* nil unless has_object */
    int64_t time;   /* TIME_NONE where there is none; with time_unread the value that stood there */
    uint32_t line;
    uint8_t type;  /* enum event_type */
    uint8_t noted; /* EVENT_NOTE: the type it was recorded with */
    bool has_value, has_key, has_object;
    bool time_unread; /* there is a time that is no integer */
    bool named; /* the process is no integer: a client if it invokes, else its `info` events are
                   annotations */
};

/* One operation as a reader of call and return times found it. Closed intervals: of equal times,
 * calls come before returns. */
struct timed_operation {
    struct event event; /* the invocation; `time` is the call's */
    value result;
    int64_t return_time; /* ignored if OUTCOME_UNKNOWN */
    uint32_t return_line;
    uint8_t outcome;
    bool result_recorded;
};

struct history_builder;

/* A new, empty history; `name` is copied. Null when refused. */
struct history *history_create(const char *name, struct value_pool *pool, struct budget *budget);
void history_destroy(struct history *history);

/* Appends to a history; one builder at a time. Null when refused. */
struct history_builder *history_builder_create(struct history *history);

/* Appends an event. STATUS_INPUT with file (the history's name, so gone with the history: whoever
 * destroys it first puts another name there), line, expected and found when it is ill-formed: a
 * completion without a running invocation of its process, of another function than it, a second
 * running operation of one process, too many operations. */
enum status history_builder_event(struct history_builder *builder, const struct event *event,
                                  struct error *error) MUST_CHECK;

/* Collects an operation with times; positions follow at history_builder_finish. Events and timed
 * operations do not mix in one history. */
enum status history_builder_timed(struct history_builder *builder,
                                  const struct timed_operation *operation,
                                  struct error *error) MUST_CHECK;

/* Completes the history: what still runs is pending; timed operations are ordered, and one that
 * returns before it was called, or two of one process that overlap (a call at the very time of the
 * last return does: intervals are closed), are STATUS_INPUT. A timed operation of unknown outcome
 * gives its process free: if that calls again, `response` is a position just before. Releases the
 * builder whatever the status; a null builder is allowed. */
enum status history_builder_finish(struct history_builder *builder, struct error *error) MUST_CHECK;

/* Releases the builder of a history that is given up; a null builder is allowed. */
void history_builder_abandon(struct history_builder *builder);

/* The text of a function's name, 0-terminated. */
const char *history_function_name(const struct history *history, uint16_t function);

#endif
