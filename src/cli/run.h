/* The run of a command that gives answers: check, verify, cover, rules.
 *
 * What the command line names is cut into pieces of work. Several are decided at once, each with a
 * context and its share of the memory; what a share is too small for is decided again at the end,
 * alone and with all of it, so that an answer does not depend on what else was asked. Answers are
 * written in the order of the pieces, --junit, --html, --sarif, --trace and --proof at the end. Of
 * all exit statuses the worst counts.
 *
 * With --mpi pieces are handed out to all ranks (spread.h), or decided by all of them together;
 * rank 0 writes the answers. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "base/progress.h"
#include "cli/input.h"
#include "cli/ordered.h"
#include "cli/results.h"
#include "cli/session.h"
#include "cli/spread.h"
#include "html/html.h"
#include "report/result.h"

struct work;

/* What is particular to a command. */
struct run_kind {
    const char *command;
    size_t size; /* of work->own */

    /* Decides a piece; sets work->short_of_memory where more could help. LP_LIMIT: there is no
     * answer. Of other failures the error says what is wrong. Thread-safe for different pieces. */
    lp_status (*decide)(struct work *work, lp_error *error);
    /* Gives each answer to work_show, or what is wrong to work_fail. */
    void (*show)(struct work *work, lp_status status, const lp_error *error);
    /* Writes the trace of a violation; null: there are no traces. */
    void (*trace)(const struct work *work, const struct result *result, FILE *out);
    /* With --proof: appends the claim of a result and its evidence; null, or "no certificate: WHY",
     * when that was appended. */
    const char *(*prove)(const struct work *work, const struct result *result, struct text *proof);
    /* What is to be drawn of a result; to be released; false: nothing. Null: there never is. */
    bool (*draw)(const struct work *work, struct html_history *history);
    /* With --verbose: appends "done, ", before the memory that it took; null, or false: nothing. */
    bool (*narrate)(const struct work *work, struct text *line);
    void (*release)(struct work *work);

    bool times_parts; /* --timeout is for each of the parts of a piece */
    bool by_all;      /* with --mpi ranks decide each piece together, one after the other */

    const char *untraced; /* "violation" */

    /* One and several: "12 assertions: 10 hold, 2 violated, 1 unknown". Null: no such line. */
    const char *pieces[2], *good[2], *bad[2];
    bool counts_none; /* in a line about errors, too */
};

struct run {
    const struct run_kind *kind;
    const struct options *options;
    const void *request; /* the command's own */
    struct session session;
    struct progress progress;
    struct report_style style;
    struct ordered ordered;
    struct results results;
    struct spread spread;
    const char *const *names; /* of the pieces */
    size_t count;
    bool streams;     /* a piece may be a pipe, which can be read only once */
    unsigned jobs;    /* threads */
    unsigned workers; /* pieces at once; 0: as many as threads */
    size_t without;   /* runs that left no history: the summary counts them */
};

/* A piece of work while it is being decided. */
struct work {
    struct run *run;
    size_t index;
    const char *name; /* as the user named it */
    struct outcome *outcome;
    lp_context *context; /* null: there is no memory for one */
    unsigned share;      /* it has one of so many parts of the memory; 1: it is decided alone */
    unsigned jobs;       /* threads for it */
    double began;        /* clock, seconds */
    bool short_of_memory;
    FILE *out;            /* while it is shown */
    struct text messages; /* for standard error, then */
    void *own;            /* the command's; zeros at first */
};

/* Begins: signals, memory, progress, style, log. False, after a message, if the log's file cannot
 * be written; there is nothing to close then. */
bool run_open(struct run *run, const struct run_kind *kind, const struct options *options,
              const void *request) MUST_CHECK;
/* The worst of `status` and, after a message, EXIT_INPUT if not all of the log could be written. */
int run_close(struct run *run, int status) MUST_CHECK;

/* Decides the pieces and writes all output; the exit status. */
int run_all(struct run *run, const char *const *names, size_t count, struct result_files *files);

/* Takes a context that is new in place of the piece's, of which nothing may be left. */
void work_renew_context(struct work *work);

/* Whether nothing more should be begun: time is up, the user has interrupted, or there is no
 * context. */
bool work_is_over(const struct work *work);

/* Sets the limit that an answer names, or null: the one that came before there was an answer.
 * Begins the reason with "the time limit of 1 s was reached", unless it is none: the library was
 * given what is left of time and memory, the user knows the limits of the command line. */
void work_limit(const struct work *work, const lp_limit *found, struct result *result);

/* Writes a result in whatever form was asked for, and releases it. */
void work_show(struct work *work, struct result *result);

/* Says what is wrong with the piece; or only counts it, said in work->messages already. */
void work_fail(struct work *work, lp_status status, const lp_error *error);
void work_count_errors(struct work *work, lp_status status, const lp_error *errors, size_t count,
                       const char *input);

/* Of run_kind: appends "done, 0.013 s, ". */
bool work_narrate_done(const struct work *work, struct text *line);

/* "[3/12] queue.csp:31: 1,200,000 states (800,000/s), 340 MB, 12 s": begins the line, unless it is
 * too early; appends a rate, if it is known; and ends and draws it. */
bool work_progress_begin(const struct work *work, struct text *line);
void work_progress_rate(uint64_t explored, double seconds, struct text *line);
void work_progress_end(const struct work *work, size_t memory, double seconds, struct text *line);

#endif
