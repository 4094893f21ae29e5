/* A regular file goes on growing: at its end what there is is decided, and it is looked at again
 * soon. A pipe, or standard input, ends when nobody writes to it any more. The first SIGINT or
 * SIGTERM ends the reading, not the deciding: the answer is about what was seen. */
#include "cli/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "cli/command.h"

#define BLOCK             ((size_t)256 << 10)
#define IDLE_MILLISECONDS 10
#define SHOWN_EACH        0.2 /* seconds */

struct following {
    struct work *work;
    lp_monitor *monitor;
    const char *path;
    int file;
    bool regular, ended;
    struct stat opened;
    uint64_t offset;
    double shown;
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
    if (inputs->count != 1)
        return refuse("takes one log", "");
    if (!input_is_standard(options->operands[0]) && stat(options->operands[0], &status) == 0 &&
        S_ISDIR(status.st_mode))
        return refuse("takes a file, found a folder: ", options->operands[0]);
    return true;
}

/* ---- reading ---- */

static lp_status fail(struct following *following, const char *format, ...) PRINTF_LIKE(2, 3);

static lp_status fail(struct following *following, const char *format, ...)
{
    va_list arguments;
    lp_error *error = following->error;
    *error = (lp_error){0};
    snprintf(error->file, sizeof error->file, "%s", following->path);
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return LP_INPUT;
}

static lp_status open_file(struct following *following)
{
    following->file = 0;
    if (!input_is_standard(following->path))
        following->file = open(following->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (following->file < 0 || fstat(following->file, &following->opened))
        return fail(following, "cannot open: %s", strerror(errno));
    if (S_ISDIR(following->opened.st_mode))
        return fail(following, "expected a file, found a folder");
    following->regular = S_ISREG(following->opened.st_mode) && !input_is_standard(following->path);
    return LP_OK;
}

/* At the end of a file: whether it is still the one that grows. */
static lp_status look_at_file(struct following *following)
{
    struct stat now, named;
    if (fstat(following->file, &now))
        return fail(following, "cannot be read: %s", strerror(errno));
    if ((uint64_t)now.st_size < following->offset)
        return fail(following,
                    "was truncated: expected %" PRIu64 " bytes or more, found %" PRIu64
                    "; what was written behind is not known to go on from there",
                    following->offset, (uint64_t)now.st_size);
    bool same = stat(following->path, &named) == 0 && named.st_ino == now.st_ino &&
                named.st_dev == now.st_dev;
    if (!same && (uint64_t)now.st_size == following->offset)
        return fail(following, "was moved away or deleted (a log that is rotated cannot be "
                               "followed): nothing more is written to the file that was opened");
    return LP_OK;
}

static bool is_stopped(const struct following *following)
{
    return atomic_load(&following->work->run->session.interrupted);
}

/* Appends "12,345 operations (4,000/s), 3 running, 2 pending, 1,024 kept, 12 MB behind". */
static void show_progress(struct following *following)
{
    struct text line = TEXT_EMPTY;
    double now = session_clock();
    struct work *work = following->work;
    if (now - following->shown < SHOWN_EACH || !work_progress_begin(work, &line))
        return;
    following->shown = now;
    const lp_monitor_state *state = lp_monitor_look(following->monitor);
    text_append_count(&line, state->operations);
    text_append(&line, " operations");
    work_progress_rate(state->operations, now - work->began, &line);
    text_append(&line, ", ");
    text_append_count(&line, state->running);
    text_append(&line, " running, ");
    text_append_count(&line, state->pending);
    text_append(&line, " pending, ");
    text_append_count(&line, state->retained);
    text_append(&line, " kept");
    struct stat file;
    if (following->regular && fstat(following->file, &file) == 0 &&
        (uint64_t)file.st_size > following->offset) {
        text_append(&line, ", ");
        text_append_size(&line, (size_t)((uint64_t)file.st_size - following->offset));
        text_append(&line, " behind");
    }
    work_progress_end(work, state->memory, now - work->began, &line);
}

/* Nothing can be read now. */
static lp_status idle(struct following *following)
{
    lp_status status = lp_monitor_decide(following->monitor, following->error);
    if (status != LP_OK)
        return status;
    show_progress(following);
    if (following->regular) {
        status = look_at_file(following);
        poll(NULL, 0, IDLE_MILLISECONDS);
    } else {
        struct pollfd waiting = {.fd = following->file, .events = POLLIN};
        poll(&waiting, 1, 5 * IDLE_MILLISECONDS);
        if ((waiting.revents & (POLLHUP | POLLIN)) == POLLHUP && following->offset == 0)
            poll(NULL, 0, IDLE_MILLISECONDS); /* nobody has opened the pipe for writing yet */
    }
    return status;
}

/* Reads a piece, if there is one. */
static lp_status read_some(struct following *following, char *block)
{
    if (!following->regular) {
        struct pollfd ready = {.fd = following->file, .events = POLLIN};
        if (poll(&ready, 1, 0) == 0)
            return idle(following);
    }
    ssize_t got = read(following->file, block, BLOCK);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return idle(following);
    if (got < 0)
        return fail(following, "cannot be read: %s", strerror(errno));
    bool unopened =
        S_ISFIFO(following->opened.st_mode) && following->file != 0 && following->offset == 0;
    if (got == 0 && (following->regular || unopened))
        return idle(following);
    following->ended = got == 0;
    following->offset += (uint64_t)got;
    show_progress(following);
    return lp_monitor_feed(following->monitor, block, (size_t)got, following->error);
}

static lp_status read_all(struct following *following)
{
    char *block = memory_small(BLOCK);
    lp_status status = LP_OK;
    while (status == LP_OK && !following->ended && !is_stopped(following) &&
           lp_monitor_look(following->monitor)->verdict != LP_VIOLATION)
        status = read_some(following, block);
    free(block);
    if (status == LP_OK && following->ended)
        status = lp_monitor_end(following->monitor, following->error);
    if (status == LP_OK)
        status = lp_monitor_decide(following->monitor, following->error);
    return status;
}

lp_status follow_log(struct work *work, lp_context *context, const struct spec_choice *choice,
                     lp_history **history, lp_result **result, lp_monitor_state *state,
                     lp_error *error)
{
    const struct options *options = work->run->options;
    struct following following = {.work = work, .path = work->name, .file = -1, .error = error};
    struct bindings bindings = {0};
    const lp_monitor_options inner = {.size = sizeof inner,
                                      .format = options->format,
                                      .independent = options->independent,
                                      .results = results_named(options->results),
                                      .order = order_named(options->order),
                                      .keep = options->keep};
    lp_status status = bindings_create(context, choice, &bindings, error);
    if (status == LP_OK)
        status = open_file(&following);
    if (status == LP_OK)
        status = lp_monitor_create(context, work->name, bindings.items, bindings.count, &inner,
                                   &following.monitor, error);
    if (status == LP_OK)
        status = read_all(&following);
    if (status == LP_OK) {
        *state = *lp_monitor_look(following.monitor);
        status = lp_monitor_result(following.monitor, history, result, error);
    }
    lp_monitor_destroy(following.monitor);
    if (following.file > 0)
        close(following.file);
    bindings_release(&bindings);
    return status;
}
