/* Recorded histories: reading them from files, recording them event by event, writing them.
 *
 * A history under construction is open; lp_history_close completes it. Only a closed history can
 * be checked, inspected or written:
 *
 *     create -> invoke / complete / note ... or interval ... -> close -> operation, write, check
 */
#ifndef LINCHPIN_HISTORY_H
#define LINCHPIN_HISTORY_H

#include <stdio.h>

#include <linchpin/value.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lp_history lp_history;

/* What became of an operation. */
typedef enum lp_outcome {
    LP_OUTCOME_OK,      /* it happened */
    LP_OUTCOME_FAIL,    /* it did not happen */
    LP_OUTCOME_UNKNOWN, /* it may have happened, any time after its invocation */
} lp_outcome;

#define LP_NEVER     UINT32_MAX /* a position: no completion was recorded */
#define LP_TIME_NONE INT64_MIN  /* no time was recorded */

/* An open history; `name` stands in messages and is copied. Null when memory is refused. */
LP_API lp_history *lp_history_create(lp_context *context, const char *name);
LP_API void lp_history_destroy(lp_history *history);

/* Records that `process` calls `function` (null-terminated, copied) with `argument`. LP_INPUT if
 * the process still has a running operation. An open history belongs to one thread at a time. The
 * line numbers of what is recorded count events, from 1. */
LP_API lp_status lp_history_invoke(lp_history *history, lp_value process, const char *function,
                                   lp_value argument, lp_error *error);

/* Records the completion of the process's running operation. */
LP_API lp_status lp_history_complete(lp_history *history, lp_value process, lp_outcome outcome,
                                     lp_value result, lp_error *error);

/* Records an operation with its times (any unit; closed intervals: equal times overlap) in any
 * order; `returned` is ignored for LP_OUTCOME_UNKNOWN. INT64_MIN is the earliest time, but is told
 * as LP_TIME_NONE afterwards. Does not mix with invoke and complete. */
LP_API lp_status lp_history_interval(lp_history *history, lp_value process, const char *function,
                                     lp_value argument, int64_t called, lp_outcome outcome,
                                     lp_value result, int64_t returned, lp_error *error);

/* Records what is no operation, and is shown beside them (a fault that was injected, an election):
 * `process` and `name` (copied) are what it is called, `about` says more. It comes behind what
 * was recorded so far; in a history of intervals at its `time` (or LP_TIME_NONE: first), in front
 * of events at the same time. "start X" and "stop X" of one process are shown as one band. */
LP_API lp_status lp_history_note(lp_history *history, lp_value process, const char *name,
                                 lp_value about, int64_t time, lp_error *error);

#define LP_NO_NAME UINT32_MAX /* nothing is said */

/* Operations or events in columns, an entry for each, as tables hold them. */
typedef struct lp_columns {
    size_t size; /* sizeof(lp_columns) */
    size_t length;
    const lp_value *process;
    const uint32_t *function; /* an index into `names`; of a completion that of its invocation, or
                                 LP_NO_NAME */
    const char *const *names;
    size_t name_count;
    const lp_value *key;    /* as lp_history_key; null: none */
    const uint32_t *object; /* an index into `objects`, or LP_NO_NAME; null: none */
    const char *const *objects;
    size_t object_count;
    const lp_value *argument; /* of operations and invocations; null: nil */
    const lp_value *result;   /* of operations and completions; null: nil */
    const uint8_t *outcome;   /* lp_outcome, of operations and completions; null: LP_OUTCOME_OK */
    const bool *invokes;      /* of events: an invocation, else a completion */
    const int64_t *called;   /* of operations; of events their times, or LP_TIME_NONE (null: all) */
    const int64_t *returned; /* of operations */
    const bool *answers; /* of operations and completions: there is a result; where not, `result`
                            is ignored, and none is shown; null: all */
} lp_columns;

/* Records all of a table's operations as lp_history_interval does, or its events as
 * lp_history_invoke and lp_history_complete do, but that these may have times, and that completions
 * with LP_OUTCOME_UNKNOWN of a process that is no integer and never invokes are annotations.
 * Recorded up to the first one that is wrong: the line of the error is its number, from 1. */
LP_API lp_status lp_history_intervals(lp_history *history, const lp_columns *columns,
                                      lp_error *error);
LP_API lp_status lp_history_events(lp_history *history, const lp_columns *columns, lp_error *error);

/* Records operations from what Python's `marshal.dumps(rows, 2)` makes of a list of tuples of
 * `width` items: process, function, argument, result, called and returned as in
 * lp_history_intervals, and with `width` 7 the outcome, "ok", "fail", "info" or None. `*understood`
 * becomes false where the bytes are something else, or hold what is not read in this form (times
 * that are no integers of 64 bits, values other than None, bool, int, float, str, list and tuple,
 * ...): the history is of no use then, and the rows are to be recorded in another way. */
LP_API lp_status lp_history_marshalled(lp_history *history, const void *bytes, size_t length,
                                       size_t width, bool *understood, lp_error *error);

/* Of several objects in one history, the one that the following operations are on; null: none. */
LP_API lp_status lp_history_object(lp_history *history, const char *object, lp_error *error);

/* Of several independent objects alike in one history, the one that the following operations are
 * on, named by any value; nil: none. (For `map` it is the key that they put, get, ...) */
LP_API lp_status lp_history_key(lp_history *history, lp_value key, lp_error *error);

/* Completes the history; operations still running are pending. */
LP_API lp_status lp_history_close(lp_history *history, lp_error *error);

/* Which order of the events is meant where a file has times beside them. */
typedef enum lp_order {
    LP_ORDER_UNSAID, /* that of the file; where the times run backwards, lp_check decides both */
    LP_ORDER_FILE,   /* that of the file, whatever the times say; LP_INPUT where a format has none
                        but that of its times */
    LP_ORDER_TIME,   /* that of the times: of equal ones calls come before returns (intervals are
                        closed), and each process stays in its own order. LP_INPUT where both
                        cannot hold, or an event has no time */
} lp_order;

typedef struct lp_read_options {
    size_t size;        /* sizeof(lp_read_options) */
    const char *format; /* a name from lp_format_at; null: recognised from the content */
    unsigned jobs;      /* threads; 0: one per core */
    double timeout;     /* seconds; 0: none */
    lp_order order;
} lp_read_options;

/* What `path` stands for: a file (or "-", standard input) for itself, a folder (a Jepsen store, one
 * run of it, etcd reports) for the histories found in it. `*paths` is an array of `*count` texts,
 * each to be given to lp_history_read, and is released by one free(). */
LP_API lp_status lp_history_find(lp_context *context, const char *path, char ***paths,
                                 size_t *count, lp_error *error);

/* The runs in such a folder that left no history, and are passed over: folders of a Jepsen store
 * with a log, for example, and nothing to read. Results and failures as of lp_history_find. */
LP_API lp_status lp_history_find_without(lp_context *context, const char *path, char ***paths,
                                         size_t *count, lp_error *error);

/* Reads all histories that `path` stands for; gzip and zstd are unpacked. `*histories` is an array
 * of `*count` closed histories, each destroyed by the caller, and itself released with free(). On
 * failure there are none. Null options: the defaults. */
LP_API lp_status lp_history_read(lp_context *context, const char *path,
                                 const lp_read_options *options, lp_history ***histories,
                                 size_t *count, lp_error *error);

/* The same from memory. */
LP_API lp_status lp_history_parse(lp_context *context, const char *name, const void *bytes,
                                  size_t length, const lp_read_options *options,
                                  lp_history ***histories, size_t *count, lp_error *error);

/* Writes the history in the named format (null: the one it was read in, else "json"). LP_INPUT,
 * with nothing written, if the format cannot say what the history holds; so too if its times run
 * backwards, LP_ORDER_UNSAID, and the format has no place for such times, or if a process that is
 * no client invokes something in it, and would be a client, or missing, in the format. */
LP_API lp_status lp_history_write(const lp_history *history, const char *format, FILE *out,
                                  lp_error *error);

/* Its name: the path, with #NAME behind it where a file holds several histories. */
LP_API const char *lp_history_name(const lp_history *history);

/* The format it was read in, null if it was recorded. */
LP_API const char *lp_history_format(const lp_history *history);

/* xxh3 of the input's bytes, after unpacking; 0 if it was recorded. */
LP_API uint64_t lp_history_hash(const lp_history *history);

/* An operation, as recorded. Texts and values live as long as history and context. */
typedef struct lp_operation {
    lp_value process;
    const char *function;
    const char *object; /* null: none named */
    lp_value key;       /* nil unless has_key */
    lp_value argument;
    lp_value result;
    lp_outcome outcome;
    bool has_key;
    bool result_recorded;      /* the completion carried a value */
    uint32_t invoke, response; /* positions in the order of events; response may be LP_NEVER */
    int64_t invoke_time, response_time;  /* or LP_TIME_NONE */
    uint32_t invoke_line, response_line; /* 1-based; 0: none */
} lp_operation;

/* The number of invocations by clients; operations are named by index, 0 .. count-1, in file
 * order, those that failed included. */
LP_API size_t lp_history_length(const lp_history *history);
LP_API lp_operation lp_history_operation(const lp_history *history, size_t index);

/* Events that are no operation of a client (Jepsen's nemesis). */
typedef struct lp_annotation {
    lp_value process;
    const char *function;
    lp_value value;
    uint32_t position; /* of the event that follows it */
    int64_t time;      /* or LP_TIME_NONE */
    uint32_t line;
} lp_annotation;

LP_API size_t lp_history_annotations(const lp_history *history);
LP_API lp_annotation lp_history_annotation(const lp_history *history, size_t index);

/* How many lines of a log held no event, and were passed over. */
LP_API size_t lp_history_passed_over(const lp_history *history);

/* The formats, in the order of the manual: name and one-line description; false past the end. */
LP_API bool lp_format_at(size_t index, const char **name, const char **description, bool *writable);

#ifdef __cplusplus
}
#endif

#endif
