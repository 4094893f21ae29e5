/* Deciding a history while it is recorded: the verdict as soon as it is certain, in the memory of
 * what is still open. */
#ifndef LINCHPIN_MONITOR_H
#define LINCHPIN_MONITOR_H

#include <linchpin/check.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lp_monitor lp_monitor;

typedef struct lp_monitor_options {
    size_t size;        /* sizeof(lp_monitor_options) */
    const char *format; /* of what is fed: json or edn; null: recognised */
    bool independent;   /* values are [key value]: each key is an object of its own */
    lp_results results; /* how the gets of a map answer; LP_RESULTS_INFERRED: plain, but an answer
                           that may be [key value] is LP_INPUT */
    lp_order order;     /* LP_ORDER_FILE: that of the events, whatever their times say; unsaid:
                           times that run backwards are LP_INPUT; LP_ORDER_TIME is LP_USAGE */
    size_t keep;        /* operations that are kept to tell a violation; 0: 1,000 */
    size_t batch;       /* events that are decided together; 0: 1,024 */
    const char *const *logs; /* of what is fed to each by lp_monitor_feed_log: their names */
    size_t log_count;        /* 0: what is fed is one log, in its own order */
    int64_t window; /* by how much events of the logs may stand out of order; in their unit */
    int64_t late;   /* of what is fed: operations that run for longer are taken as pending, and
                       what they answer is not judged; in the logs' unit; 0: none are */
    bool forget;    /* values that the creating thread makes from here on last until the monitor is
                       told the next event, and longer only in operations that it keeps; that thread
                       does nothing else in the context meanwhile */
    size_t keep_bytes; /* not 0: in place of `keep`, so many bytes of completed operations at most,
                          with their values, and a third of that at least; but more where the
                          objects hold more, and up to a batch more */
    bool checkpoints;  /* lp_monitor_save will be called; LP_USAGE for specifications of your own */
    size_t jobs; /* threads that read and decide at a time while a call is under way, each other
                 lines of what is fed, or other objects or keys; the answer is the same; 0: 1 */
    bool monitors_only; /* for histories that can be read again: what the near-linear monitors do
                           not find linearizable is given up at once, without search and without a
                           story; an object that is given up makes the verdict unknown. A time that
                           is no integer is LP_INPUT unless the order is said. LP_USAGE with
                           `checkpoints` */
    bool inferred; /* lp_spec_infer has found the specification in the beginning of what is fed:
                      whatever another may be inferred from, with all of it, is LP_INPUT */
} lp_monitor_options;

/* How far a monitor is. */
typedef struct lp_monitor_state {
    lp_verdict verdict; /* of what was decided: LP_LINEARIZABLE so far, or LP_VIOLATION for good; */
    lp_limit limit;     /* LP_UNKNOWN: why the first object was given up, or is not decided yet;
                           LP_LIMIT_TIME: a search took as many steps as it may; LP_LIMIT_NONE: what
                           is kept of it does not say how it goes on */
    uint64_t operations; /* invocations by clients */
    uint64_t running;
    uint64_t pending;  /* operations that may or may not have happened */
    uint64_t skipped;  /* events of no client */
    uint64_t objects;  /* objects and keys, each decided on its own */
    uint64_t retained; /* operations that are kept */
    uint32_t lines;    /* whole lines that were fed and taken, or refused */
    size_t waiting;    /* bytes of a line that is not whole yet, or of lines behind a refused one */
    uint32_t line;     /* LP_VIOLATION: of the first event with which the history is one */
    bool exact;        /* and it is not one without that event; else it may be an earlier one of its
                          batch, or of an object that was given up */
    size_t memory;     /* bytes */
    uint64_t held;     /* events that wait for their place in the order of the times */
    uint64_t late;     /* operations that were taken as pending because they ran for too long */
    uint64_t late_answers;    /* of these, not judged */
    uint64_t given_up;        /* objects of which nothing more is known */
    uint32_t given_up_line;   /* of the event with which the first was; 0: none was */
    size_t log, given_up_log; /* of the lines above, where there are several logs */
    bool over;   /* what comes makes no difference any more: LP_VIOLATION, or the only object was
                    given up */
    bool failed; /* the monitor is of no more use behind an error */
} lp_monitor_state;

/* A monitor of histories of these objects; `name` stands in messages and is copied, bindings are as
 * for lp_check but must be given, and their specifications must outlive it. LP_USAGE for a
 * specification whose operations take effect together. Null options: the defaults. A monitor
 * belongs to one thread at a time.
 *
 *     lp_binding binding = {NULL, queue};
 *     lp_monitor_create(context, "store", &binding, 1, NULL, &monitor, &error);
 *     lp_monitor_invoke(monitor, one, "enqueue", seven, &error);
 *     lp_monitor_complete(monitor, one, LP_OUTCOME_OK, nil, &error);
 *     lp_monitor_decide(monitor, &error);
 *     if (lp_monitor_look(monitor)->verdict == LP_VIOLATION) ...
 */
LP_API lp_status lp_monitor_create(lp_context *context, const char *name,
                                   const lp_binding *bindings, size_t binding_count,
                                   const lp_monitor_options *options, lp_monitor **monitor,
                                   lp_error *error);
LP_API void lp_monitor_destroy(lp_monitor *monitor);

/* An event, as lp_history_invoke and lp_history_complete record it. Events are gathered, and
 * decided when a batch is full. An event that is refused (LP_INPUT, and the state does not say
 * `failed`) has not been: the next one follows those before it. After any other failure the monitor
 * is of no more use. What comes after a violation is ignored. */
LP_API lp_status lp_monitor_invoke(lp_monitor *monitor, lp_value process, const char *function,
                                   lp_value argument, lp_error *error);
LP_API lp_status lp_monitor_complete(lp_monitor *monitor, lp_value process, lp_outcome outcome,
                                     lp_value result, lp_error *error);

/* What one thread at a time records, while others do: an event goes into a queue of the thread's,
 * with a stamp for its place among those of all: taken before the call, and after the return.
 * lp_monitor_collect tells the monitor what the queues have, in that order; the thread that calls
 * it is the one that the monitor belongs to. A client is a process of the history; it may be made
 * by any thread, and lives as long as the monitor. Does not mix with the functions above, nor with
 * `forget` (LP_USAGE).
 *
 *     lp_client_invoke(client, "enqueue", seven, &error);
 *     enqueue(store, 7);
 *     lp_client_complete(client, LP_OUTCOME_OK, nil, &error);
 */
typedef struct lp_client lp_client;

LP_API lp_status lp_client_create(lp_monitor *monitor, lp_value process, lp_client **client,
                                  lp_error *error);
LP_API lp_status lp_client_invoke(lp_client *client, const char *function, lp_value argument,
                                  lp_error *error);
LP_API lp_status lp_client_complete(lp_client *client, lp_outcome outcome, lp_value result,
                                    lp_error *error);
LP_API lp_status lp_monitor_collect(lp_monitor *monitor, lp_error *error);

/* Bytes of a log, in any pieces: an event on each line. The line at the end waits for its rest.
 * Does not mix with invoke and complete. A line that is refused (LP_INPUT, and the state does not
 * say `failed`) has not been: those before it have, and what was fed behind it waits for the next
 * call of this function, which may bring no bytes, or of lp_monitor_end. After any other failure,
 * and where an event is refused with `late`, the monitor is of no more use. */
LP_API lp_status lp_monitor_feed(lp_monitor *monitor, const void *bytes, size_t length,
                                 lp_error *error);

/* Nothing more is fed: what waits is a line. A line is refused as above; called again, the function
 * goes on behind it. */
LP_API lp_status lp_monitor_end(lp_monitor *monitor, lp_error *error);

/* The same for one of options->logs. Their events, each with an integer as `time`, are taken in the
 * order of their times, once nothing earlier can come: once each log that has more to be read has
 * been read as far, less the window. LP_INPUT for an event that comes later than that. After any
 * failure the monitor is of no more use. */
LP_API lp_status lp_monitor_feed_log(lp_monitor *monitor, size_t log, const void *bytes,
                                     size_t length, lp_error *error);
LP_API lp_status lp_monitor_end_log(lp_monitor *monitor, size_t log, lp_error *error);

/* Whether a log has no more to be read for now; while it has, as at first, the others wait for
 * it, and until its first event (or its end) in any case. Feeding it says that it has. */
LP_API lp_status lp_monitor_set_dry(lp_monitor *monitor, size_t log, bool dry, lp_error *error);

/* Of the logs that are neither dry nor at their end the one to read next, so that little must be
 * held; the number of logs if there is none. */
LP_API size_t lp_monitor_next_log(lp_monitor *monitor);

/* Takes all events that are held: nothing earlier is to come. */
LP_API lp_status lp_monitor_settle(lp_monitor *monitor, lp_error *error);

/* Writes all that the monitor keeps to a file, which stands there whole or as it was before, on the
 * disk, whenever the program ends. Between two calls of the functions above, whatever the verdict;
 * not with clients (LP_USAGE, also where the file cannot be written). */
LP_API lp_status lp_monitor_save(lp_monitor *monitor, const char *path, lp_error *error);

/* Goes on from such a file: a monitor that was told nothing yet is as the one was that was saved.
 * `*restored` is false where there is no file. LP_INPUT, naming what differs, for a file of another
 * version of linchpin, of other specifications, options or logs, and for one that is damaged; the
 * monitor is of no more use then. */
LP_API lp_status lp_monitor_restore(lp_monitor *monitor, const char *path, bool *restored,
                                    lp_error *error);

/* How many bytes of a log (0: of the only one) have been taken as whole lines: what is fed to a
 * monitor that was restored begins there. `*tail` are the last of these bytes, *length of them, 64
 * at most; valid until the next call. A log that has others in front of that place is not the one
 * that was fed. */
LP_API uint64_t lp_monitor_taken(lp_monitor *monitor, size_t log, const char **tail,
                                 size_t *length);

/* Decides all events so far. LP_OK whatever the verdict. */
LP_API lp_status lp_monitor_decide(lp_monitor *monitor, lp_error *error);

/* How far it is; valid until the next call. */
LP_API const lp_monitor_state *lp_monitor_look(lp_monitor *monitor);

/* What lp_check would answer of the events so far, without a linearization; `seconds` are those
 * since the monitor was created. Of a violation the
 * history has what is kept of its object, up to the event with which it is one, and is what the
 * answer speaks of; else it is empty. Both are the caller's. */
LP_API lp_status lp_monitor_result(lp_monitor *monitor, lp_history **history, lp_result **result,
                                   lp_error *error);

#ifdef __cplusplus
}
#endif

#endif
