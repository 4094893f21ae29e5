/* A regular file goes on growing: at its end what there is is decided, and it is looked at again
 * soon. A pipe, or standard input, ends when nobody writes to it any more. The first SIGINT or
 * SIGTERM ends the reading, but for a block of each log, and not the deciding: the answer is about
 * what was seen.
 *
 * Of several logs, before each piece that is read all that had no more are looked at again: so none
 * is far ahead of one that has more to be read. And behind each piece: what a log had when it was
 * looked at says nothing of what was written since, and the piece may be younger.
 *
 * What is held when it is to end is decided if a look at all logs, one after the other, finds no
 * more: then whatever had been logged before that look has been read, and so has all that led to
 * it, where processes log an invocation before they call. Else an event may lack another that it
 * depends on, of a log that was read less far. */
#include "cli/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/faults.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/follow_checkpoint.h"
#include "cli/follow_shown.h"

#define BLOCK             ((size_t)256 << 10)
#define IDLE_MILLISECONDS 10
#define METRICS_EACH      1.0 /* seconds */
#define SHOWN_EACH        0.2
#define WINDOW_USUAL      1.0
#define AWAITED_AFTER     3.0
#define NANOSECONDS       1e9

struct followed_log {
    const char *path;
    int file;
    bool regular, ended;
    struct stat opened;
    uint64_t offset;
    uint64_t last; /* as far as it is read at most once it is to end */
};

struct following {
    struct work *work;
    lp_monitor *monitor;
    struct followed_log *logs;
    size_t count;
    bool merged;
    char *block;
    double shown, measured;
    struct follow_written metrics;
    double held;  /* since when events wait for a log's first one; 0: they do not */
    bool awaited; /* that was said */
    struct follow_checkpoint checkpoint;
    uint64_t resumed; /* operations that an earlier run had seen */
    bool unread;      /* some log can be read no further: `error` says why */
    struct follow_answer *answer;
    lp_error *error;
};

/* ---- options ---- */

static bool refuse(const char *message, const char *what)
{
    fprintf(stderr, "linchpin check: --follow %s%s\n", message, what);
    return false;
}

bool follow_makes_sense(const struct options *options, const struct inputs *inputs)
{
    const struct {
        bool given;
        const char *name;
    } others[] = {
        {options->timeout > 0, "--timeout (send SIGTERM when it is to end)"},
        {options->total_timeout > 0, "--total-timeout (send SIGTERM when it is to end)"},
        {options->all, "--all"},
        {options->witness, "--witness"},
        {options->trace, "--trace"},
        {options->proof, "--proof"},
        {options->mpi, "--mpi"},
        {options->require > 0, "--require"},
        {options->order && strcmp(options->order, "time") == 0, "--order=time"},
        {options->method && strcmp(options->method, "auto") != 0 &&
             strcmp(options->method, "search") != 0,
         "a --method other than search"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        if (others[i].given)
            return refuse("does not go with ", others[i].name);
    if (options->spec_count == 0)
        return refuse("needs --spec: which operations are still to come is not known", "");
    struct stat status;
    for (size_t i = 0; i < options->operand_count; i++)
        if (!input_is_standard(options->operands[i]) && stat(options->operands[i], &status) == 0 &&
            S_ISDIR(status.st_mode))
            return refuse("takes files, found a folder: ", options->operands[i]);
    for (size_t i = 0; i < inputs->count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(inputs->names[i], inputs->names[j]) == 0)
                return refuse("takes each log once, found twice: ", inputs->names[i]);
    return inputs->count > 0 || refuse("takes a log, found none", "");
}

/* ---- reading ---- */

static lp_status fail(struct following *following, const struct followed_log *log,
                      const char *format, ...) PRINTF_LIKE(3, 4);

static lp_status fail(struct following *following, const struct followed_log *log,
                      const char *format, ...)
{
    va_list arguments;
    lp_error *error = following->error;
    *error = (lp_error){0};
    snprintf(error->file, sizeof error->file, "%s", log->path);
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    following->unread = true;
    return LP_INPUT;
}

static lp_status open_file(struct following *following, struct followed_log *log)
{
    if (input_is_standard(log->path))
        log->file = 0;
    else
        log->file = open(log->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (log->file < 0 || fstat(log->file, &log->opened))
        return fail(following, log, "cannot open: %s", strerror(errno));
    if (S_ISDIR(log->opened.st_mode))
        return fail(following, log, "expected a file, found a folder");
    log->regular = S_ISREG(log->opened.st_mode) && !input_is_standard(log->path);
#ifdef F_SETPIPE_SZ
    if (S_ISFIFO(log->opened.st_mode)) /* so that a piece is worth several threads */
        (void)!fcntl(log->file, F_SETPIPE_SZ, 4 * (int)BLOCK);
#endif
    if (following->work->run->options->checkpoint && !log->regular)
        return fail(following, log,
                    "expected a file with --checkpoint, found a pipe: what was read of it since "
                    "the checkpoint could not be read again");
    return LP_OK;
}

/* At the end of a file: whether it is still the one that grows. */
static lp_status look_at_file(struct following *following, const struct followed_log *log)
{
    struct stat now, named;
    if (fstat(log->file, &now))
        return fail(following, log, "cannot be read: %s", strerror(errno));
    if ((uint64_t)now.st_size < log->offset)
        return fail(following, log,
                    "was truncated: expected %" PRIu64 " bytes or more, found %" PRIu64
                    "; what was written behind is not known to go on from there",
                    log->offset, (uint64_t)now.st_size);
    bool same =
        stat(log->path, &named) == 0 && named.st_ino == now.st_ino && named.st_dev == now.st_dev;
    if (!same && (uint64_t)now.st_size == log->offset)
        return fail(following, log,
                    "was moved away or deleted (a log that is rotated cannot be followed): nothing "
                    "more is written to the file that was opened");
    return LP_OK;
}

static bool is_stopped(const struct following *following)
{
    return atomic_load(&following->work->run->session.interrupted);
}

/* ---- saying how far it is ---- */

static struct follow_state state_of(const struct following *following, double now)
{
    struct follow_state state = {.state = lp_monitor_look(following->monitor),
                                 .resumed = following->resumed,
                                 .seconds = now - following->work->began};
    for (size_t i = 0; i < following->count; i++) {
        const struct followed_log *log = &following->logs[i];
        struct stat file;
        if (log->regular && fstat(log->file, &file) == 0 && (uint64_t)file.st_size > log->offset)
            state.behind += (uint64_t)file.st_size - log->offset;
    }
    return state;
}

static void draw_progress(struct following *following, double now)
{
    struct text line = TEXT_EMPTY;
    if (!work_progress_begin(following->work, &line))
        return;
    const struct follow_state state = state_of(following, now);
    follow_append(&state, &line);
    work_progress_end(following->work, state.state->memory, state.seconds, &line);
}

static void write_metrics(struct following *following, double now)
{
    lp_error error;
    const struct follow_state state = state_of(following, now);
    const char *path = following->work->run->options->metrics;
    if (path)
        follow_note_written(&following->metrics, "metrics",
                            follow_write_metrics(path, &state, &error), &error);
}

static void show_state(struct following *following)
{
    double now = session_clock();
    if (atomic_exchange(&following->work->run->session.asked, false)) {
        const struct follow_state state = state_of(following, now);
        follow_say(following->work, &state);
    }
    if (now - following->measured >= METRICS_EACH) {
        following->measured = now;
        write_metrics(following, now);
    }
    if (now - following->shown >= SHOWN_EACH) {
        following->shown = now;
        draw_progress(following, now);
    }
}

/* ---- pieces ---- */

enum piece {
    PIECE_READ,
    PIECE_NONE, /* there is none now */
    PIECE_END,
    PIECE_FAILED,
};

/* Reads a piece of a log into the block, if there is one. */
static enum piece read_piece(struct following *following, struct followed_log *log, size_t *length)
{
    struct pollfd ready = {.fd = log->file, .events = POLLIN};
    if (!log->regular && poll(&ready, 1, 0) == 0)
        return PIECE_NONE;
    ssize_t got;
    do
        got = faults_read(log->file, following->block, BLOCK);
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN)
        return PIECE_NONE;
    if (got < 0) {
        fail(following, log, "cannot be read: %s", strerror(errno));
        return PIECE_FAILED;
    }
    bool unopened = S_ISFIFO(log->opened.st_mode) && !(ready.revents & POLLHUP);
    if (got == 0 && (log->regular || unopened))
        return PIECE_NONE; /* a pipe hangs up when all who had opened it for writing have closed it
                            */
    if (got == 0)
        return PIECE_END;
    log->offset += (uint64_t)got;
    *length = (size_t)got;
    return PIECE_READ;
}

static void mark(struct following *following, const struct followed_log *log)
{
    const lp_monitor_state *state = lp_monitor_look(following->monitor);
    if (following->count == 1 && log->regular)
        follow_bytes_mark(&following->answer->bytes, (uint64_t)state->lines + 1,
                          log->offset - state->waiting);
}

static lp_status feed(struct following *following, size_t i, size_t length)
{
    lp_status status;
    if (following->merged)
        status =
            lp_monitor_feed_log(following->monitor, i, following->block, length, following->error);
    else
        status = lp_monitor_feed(following->monitor, following->block, length, following->error);
    if (status == LP_OK)
        mark(following, &following->logs[i]);
    return status;
}

static lp_status end(struct following *following, size_t i)
{
    following->logs[i].ended = true;
    if (following->merged)
        return lp_monitor_end_log(following->monitor, i, following->error);
    return lp_monitor_end(following->monitor, following->error);
}

/* The log to read next; how many there are if all were looked at. */
static size_t next_log(const struct following *following, bool looked)
{
    if (following->merged)
        return lp_monitor_next_log(following->monitor);
    return looked || following->logs[0].ended ? 1 : 0;
}

/* Whatever had no more may have some now. */
static lp_status look_again(const struct following *following)
{
    lp_status status = LP_OK;
    for (size_t i = 0; i < following->count && following->merged && status == LP_OK; i++)
        if (!following->logs[i].ended)
            status = lp_monitor_set_dry(following->monitor, i, false, following->error);
    return status;
}

/* Takes a piece of a log that has one; *idle: none has. */
static lp_status take_piece(struct following *following, bool *idle)
{
    lp_status status = look_again(following);
    bool looked = false;
    size_t i, length;
    *idle = false;
    while (status == LP_OK && (i = next_log(following, looked)) < following->count) {
        switch (read_piece(following, &following->logs[i], &length)) {
        case PIECE_READ:
            status = look_again(following);
            return status == LP_OK ? feed(following, i, length) : status;
        case PIECE_END:
            return end(following, i);
        case PIECE_FAILED:
            return LP_INPUT;
        case PIECE_NONE:
            looked = true;
            if (following->merged)
                status = lp_monitor_set_dry(following->monitor, i, true, following->error);
        }
    }
    *idle = true;
    return status;
}

/* Nothing that comes makes a difference. */
static bool is_over(const struct following *following)
{
    return lp_monitor_look(following->monitor)->over;
}

static bool is_violated(const struct following *following)
{
    return lp_monitor_look(following->monitor)->verdict == LP_VIOLATION;
}

/* Says once of a log of which nothing was read that the others wait for it. */
static void complain_of_wait(struct following *following)
{
    const uint64_t held = lp_monitor_look(following->monitor)->held;
    size_t first = 0;
    while (first < following->count &&
           (following->logs[first].ended || following->logs[first].offset > 0))
        first++;
    const double now = session_clock();
    if (held == 0 || first == following->count)
        following->held = 0;
    else if (following->held == 0)
        following->held = now;
    if (following->held == 0 || following->awaited || now - following->held < AWAITED_AFTER)
        return;
    following->awaited = true;
    fprintf(stderr,
            "linchpin check: nothing was read of %s yet, and %" PRIu64
            " events of the other logs wait for its first one; leave it out if it will have none\n",
            following->logs[first].path, held);
}

/* Nothing can be read now. */
static lp_status idle(struct following *following)
{
    lp_status status = lp_monitor_decide(following->monitor, following->error);
    if (status == LP_OK && is_over(following))
        return LP_OK;
    for (size_t i = 0; i < following->count && status == LP_OK; i++)
        if (following->logs[i].regular)
            status = look_at_file(following, &following->logs[i]);
    if (following->merged)
        complain_of_wait(following);
    struct pollfd waiting = {.fd = following->logs[0].file, .events = POLLIN};
    bool pipe = following->count == 1 && !following->logs[0].regular;
    poll(&waiting, pipe ? 1 : 0, IDLE_MILLISECONDS);
    return status;
}

static bool goes_on(const struct following *following)
{
    bool more = false;
    for (size_t i = 0; i < following->count; i++)
        more = more || !following->logs[i].ended;
    return more && !is_stopped(following) && !is_over(following);
}

/* Nothing is kept of what is violated, nor of a search that was broken off. */
static void keep_checkpoint(struct following *following, bool at_once)
{
    const lp_monitor_state *state = lp_monitor_look(following->monitor);
    bool broken_off = state->limit == LP_LIMIT_INTERRUPT;
    if (state->verdict != LP_VIOLATION && !broken_off)
        follow_checkpoint_keep(&following->checkpoint, following->monitor, at_once);
}

/* ---- the end ---- */

/* Takes a piece of a log, if there is one and it has not had its last. */
static lp_status take_last_piece(struct following *following, size_t i, bool *more)
{
    size_t length;
    const struct followed_log *log = &following->logs[i];
    if (log->ended || log->offset >= log->last)
        return LP_OK;
    switch (read_piece(following, &following->logs[i], &length)) {
    case PIECE_READ:
        *more = true;
        return feed(following, i, length);
    case PIECE_END:
        return end(following, i);
    case PIECE_FAILED:
        return LP_INPUT;
    case PIECE_NONE:
        break;
    }
    return LP_OK;
}

/* What was written before it was to end: a block of each log, at most. */
static lp_status read_rest(struct following *following)
{
    lp_status status = look_again(following);
    bool more = true;
    for (size_t i = 0; i < following->count; i++)
        following->logs[i].last = following->logs[i].offset + BLOCK;
    while (more && status == LP_OK) {
        more = false;
        for (size_t i = 0; i < following->count && status == LP_OK && !is_over(following); i++)
            status = take_last_piece(following, i, &more);
    }
    return status;
}

/* Whether all that was logged has been read, and nobody is within a line. */
static bool is_whole(const struct following *following)
{
    bool whole = lp_monitor_look(following->monitor)->waiting == 0;
    for (size_t i = 0; i < following->count; i++) {
        const struct followed_log *log = &following->logs[i];
        whole = whole && (log->ended || log->offset < log->last);
    }
    return whole;
}

/* Decides what is held, where that may be. */
static lp_status settle(struct following *following)
{
    const uint64_t held = lp_monitor_look(following->monitor)->held;
    bool ended = true;
    for (size_t i = 0; i < following->count; i++)
        ended = ended && following->logs[i].ended;
    if (held == 0 || is_over(following))
        return LP_OK;
    if (!is_whole(following)) {
        following->answer->left_out = held;
        return LP_OK;
    }
    lp_status status = lp_monitor_settle(following->monitor, following->error);
    if (status == LP_OK)
        status = lp_monitor_decide(following->monitor, following->error);
    if (status == LP_OK && !ended && is_violated(following))
        following->answer->settled = held;
    return status;
}

/* What was read before a log could be read no further comes first: if that is a violation, it is
 * told. */
static lp_status decide_read(struct following *following)
{
    lp_error ignored;
    if (lp_monitor_decide(following->monitor, &ignored) != LP_OK || !is_violated(following))
        return LP_INPUT;
    following->answer->unread = *following->error;
    return LP_OK;
}

static lp_status read_all(struct following *following)
{
    lp_status status = LP_OK;
    following->block = memory_small(BLOCK);
    while (status == LP_OK && goes_on(following)) {
        bool none;
        status = take_piece(following, &none);
        if (status == LP_OK && none)
            status = idle(following);
        show_state(following);
        if (status == LP_OK && goes_on(following))
            keep_checkpoint(following, false);
    }
    if (status == LP_OK)
        status = read_rest(following);
    if (following->unread)
        status = decide_read(following);
    free(following->block);
    if (status == LP_OK)
        keep_checkpoint(following, true);
    if (status == LP_OK)
        status = lp_monitor_decide(following->monitor, following->error);
    if (status == LP_OK && following->merged)
        status = settle(following);
    write_metrics(following, session_clock());
    return status;
}

/* ---- beginning and end ---- */

static lp_status open_monitor(struct following *following, lp_context *context,
                              const struct bindings *bindings, const char *const *names)
{
    const struct options *options = following->work->run->options;
    double window = options->window > 0 ? options->window : WINDOW_USUAL;
    const lp_monitor_options inner = {.size = sizeof inner,
                                      .format = options->format,
                                      .independent = options->independent,
                                      .results = results_named(options->results),
                                      .order = order_named(options->order),
                                      .keep = options->keep,
                                      .keep_bytes = options->keep_bytes,
                                      .logs = following->merged ? names : NULL,
                                      .log_count = following->merged ? following->count : 0,
                                      .window = llround(window * NANOSECONDS),
                                      .late = llround(options->late * NANOSECONDS),
                                      .checkpoints = options->checkpoint,
                                      .jobs = following->work->run->jobs};
    return lp_monitor_create(context, following->work->name, bindings->items, bindings->count,
                             &inner, &following->monitor, following->error);
}

/* Goes on from the checkpoint. */
static lp_status resume(struct following *following)
{
    const struct run *run = following->work->run;
    bool resumed;
    lp_status status = follow_checkpoint_open(&following->checkpoint, run->options->checkpoint,
                                              following->monitor, &resumed, following->error);
    for (size_t i = 0; i < following->count && status == LP_OK && resumed; i++) {
        struct followed_log *log = &following->logs[i];
        status = follow_checkpoint_seek(&following->checkpoint, following->monitor, i, log->path,
                                        log->file, &log->offset, following->error);
    }
    if (status != LP_OK || !resumed)
        return status;
    const lp_monitor_state *state = lp_monitor_look(following->monitor);
    mark(following, &following->logs[0]);
    following->resumed = state->operations;
    if (!run->options->quiet)
        fprintf(stderr,
                "linchpin check: %s: goes on behind line %" PRIu32 " (%" PRIu64 " operations)\n",
                run->options->checkpoint, state->lines, state->operations);
    return LP_OK;
}

static lp_status open_files(struct following *following, const char *const *names)
{
    lp_status status = LP_OK;
    following->logs = memory_small(following->count * sizeof *following->logs);
    for (size_t i = 0; i < following->count; i++)
        following->logs[i] = (struct followed_log){.path = names[i], .file = -1};
    for (size_t i = 0; i < following->count && status == LP_OK; i++)
        status = open_file(following, &following->logs[i]);
    following->answer->bytes.count = 0;
    following->answer->bytes.path =
        following->count == 1 && following->logs[0].regular ? names[0] : NULL;
    return status;
}

lp_status follow_logs(struct work *work, lp_context *context, const struct spec_choice *choice,
                      const struct inputs *inputs, struct follow_answer *answer, lp_error *error)
{
    const char *const *names = (const char *const *)inputs->names;
    struct following following = {.work = work,
                                  .count = inputs->count,
                                  .merged = inputs->count > 1 || work->run->options->window > 0,
                                  .answer = answer,
                                  .error = error};
    struct bindings bindings = {0};
    lp_status status = bindings_create(context, choice, &bindings, error);
    if (status == LP_OK)
        status = open_files(&following, names);
    if (status == LP_OK)
        status = open_monitor(&following, context, &bindings, names);
    if (status == LP_OK)
        status = resume(&following);
    if (status == LP_OK)
        status = read_all(&following);
    if (status == LP_OK) {
        answer->state = *lp_monitor_look(following.monitor);
        status = lp_monitor_result(following.monitor, &answer->history, &answer->result, error);
        answer->metrics = following.metrics;
        answer->checkpoint = following.checkpoint.written;
    }
    lp_monitor_destroy(following.monitor);
    for (size_t i = 0; i < following.count && following.logs; i++)
        if (following.logs[i].file > 0)
            close(following.logs[i].file);
    free(following.logs);
    bindings_release(&bindings);
    return status;
}
