/* What one run of the program may use, and how it is stopped: memory, time, signals; and where it
 * tells what is being done: the log.
 *
 * SIGINT and SIGTERM go to a thread of their own that interrupts every context in use, so that
 * nothing is done inside a signal handler. Whoever asks a second time, a second later or more, ends
 * the program at once; sooner, as where the signal goes to a process and to its group, it is the
 * same request. A patient context is asked first to come to an end: it is interrupted by the second
 * request, or when it has taken PATIENCE of processor time, and a third one ends the program. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <linchpin/linchpin.h>

#include "base/progress.h"
#include "cli/options.h"

struct session_context {
    struct session *session;
    lp_context *context;
    const char *input; /* what it works on, for the log */
    struct session_context *next;
};

struct session {
    pthread_t signals;
    pthread_mutex_t lock;
    struct session_context *active;
    lp_context *patient; /* not among them; null: none */
    atomic_bool interrupted, finished;
    atomic_bool asked;    /* SIGUSR1 came: the state is to be said */
    bool answers;         /* and it does come here */
    double started;       /* clock, seconds */
    double total_timeout; /* seconds; 0: none */
    double timeout;
    size_t memory; /* bytes for contexts: the limit less what the program itself takes */
    size_t limit;  /* bytes, as the user gave it or by default */
    FILE *log;     /* what engines do; null: nobody wants to know */
    const char *command;
    char *log_path;            /* owned; null: the log is no file */
    atomic_int log_failure;    /* errno of the first line that could not be written; 0: all were */
    bool every;                /* it wants each step */
    bool engine_alone;         /* of the log only what takes a model's steps: -v */
    struct progress *progress; /* drawn beside it, not owned; null: none */
};

/* From here on SIGINT and SIGTERM are kept for the session that a command will begin; with
 * `answers` SIGUSR1, too. Who asks a second time ends the program, as in a session. */
void session_keep_signals(bool answers);

/* Begins: opens the log, blocks the signals (before any other thread starts) and looks at the
 * memory there is. False, after a message, if the log cannot be written; there is nothing to
 * release then. */
bool session_init(struct session *session, const char *command,
                  const struct options *options) MUST_CHECK;
/* Ends it, and closes the log; the worst of `status` and, after a message, EXIT_INPUT if not all of
 * the log could be written. */
int session_release(struct session *session, int status) MUST_CHECK;

/* A context with 1/`share` of the memory, interrupted with the session, that tells its log what is
 * done with `input` (not owned; null: it tells nothing). Null: no memory at all. */
lp_context *session_open(struct session *session, unsigned share, const char *input);
void session_close(struct session *session, lp_context *context);

/* From here on a context of the caller's is the patient one; null: none is. */
void session_set_patient(struct session *session, lp_context *context);

/* Runs a command that is one piece of work, on `input`, with a context for all the memory; its exit
 * status. EXIT_UNDECIDED, after a message, if there is no memory. */
int session_run(const struct options *options, const char *command, const char *input,
                int (*work)(struct session *session, lp_context *context, void *user), void *user);

/* With --verbose: tells on standard error how much memory one piece of work on `input` took. */
void session_narrate_end(const struct session *session, const struct options *options,
                         const lp_context *context, const char *input);

/* Stops everything, as a signal would. */
void session_interrupt(struct session *session);

/* Seconds of the monotonic clock. */
double session_clock(void);

/* The seconds left to something that began at `began`, by either limit; infinite if there is none.
 * Never negative. `*total` (may be null): it is the total limit that comes first. */
double session_remaining(const struct session *session, double began, bool *total);

/* Seconds for the options of the library: 0 means none there, so no time left is very little. */
double session_timeout(const struct session *session, double began);

#endif
