#include "cli/session.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/ranks.h"
#include "cli/results.h"

#define BILLION  UINT64_C(1000000000)
#define REQUEST  BILLION       /* nanoseconds within which signals are one request */
#define PATIENCE (3 * BILLION) /* of processor time */

double session_clock(void)
{
    return (double)clock_nanoseconds() * 1e-9;
}

/* Bytes of memory that this process occupies now: the program, its libraries, its stack. */
static size_t resident(void)
{
    unsigned long total = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%lu %lu", &total, &pages) != 2)
        pages = 0;
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Nine tenths of what the machine, or the control group this process is in, has: better an honest
 * `unknown` than to be killed. Ranks on one machine share it. */
static size_t default_limit(const struct options *options)
{
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), group;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "r");
    if (file) {
        if (fscanf(file, "%lf", &group) == 1 && group > 0 && group < bytes)
            bytes = group;
        fclose(file);
    }
    return (size_t)(bytes * 0.9 / ranks_here(options->ranks));
}

void session_interrupt(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    atomic_store(&session->interrupted, true);
    for (struct session_context *at = session->active; at; at = at->next)
        lp_context_interrupt(at->context);
    pthread_mutex_unlock(&session->lock);
}

/* The signals that come here. */
static sigset_t own_signals(bool answers)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    if (answers)
        sigaddset(&set, SIGUSR1);
    return set;
}

/* ---- before there is a session ---- */

static volatile sig_atomic_t kept, kept_question; /* a signal's number; 0: none came */
static struct timespec kept_since;

static void keep_signal(int signal_number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (signal_number == SIGUSR1)
        kept_question = SIGUSR1;
    else if (!kept) {
        kept_since = now;
        kept = signal_number;
    } else if (now.tv_sec - kept_since.tv_sec > 1) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
}

void session_keep_signals(bool answers)
{
    const sigset_t set = own_signals(answers);
    const struct sigaction action = {
        .sa_handler = keep_signal, .sa_mask = set, .sa_flags = SA_RESTART};
    for (int i = 1; i < NSIG; i++)
        if (sigismember(&set, i) == 1)
            sigaction(i, &action, NULL);
}

/* They are blocked now, and nothing more is kept. */
static void take_kept_signals(const struct session *session)
{
    if (kept_question)
        pthread_kill(session->signals, kept_question);
    if (kept)
        pthread_kill(session->signals, kept);
}

/* ---- in a session ---- */

void session_set_patient(struct session *session, lp_context *context)
{
    pthread_mutex_lock(&session->lock);
    session->patient = context;
    pthread_mutex_unlock(&session->lock);
}

/* Whether there is a patient context, which is interrupted. */
static bool interrupt_patient(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    lp_context *context = session->patient;
    if (context)
        lp_context_interrupt(context);
    pthread_mutex_unlock(&session->lock);
    return context;
}

/* Nanoseconds of a clock; not those of base/limits.h, which tests let jump. */
static uint64_t nanoseconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * BILLION + (uint64_t)now.tv_nsec;
}

/* Waits for a signal of the set; 0: so long that PATIENCE has been taken since `began`. */
static int wait_patiently(const sigset_t *set, uint64_t began)
{
    const struct timespec moment = {.tv_nsec = BILLION / 20};
    int received;
    do
        received = sigtimedwait(set, NULL, &moment);
    while (received < 0 && nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID) - began < PATIENCE);
    return received < 0 ? 0 : received;
}

/* Behind the first signal. */
static void wait_for_more(struct session *session, const sigset_t *set)
{
    const uint64_t began = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t asked = nanoseconds_of(CLOCK_MONOTONIC);
    bool patient = true;
    for (;;) {
        int received = 0;
        if (patient)
            received = wait_patiently(set, began);
        else if (sigwait(set, &received))
            return;
        if (atomic_load(&session->finished))
            return;
        const uint64_t now = nanoseconds_of(CLOCK_MONOTONIC);
        if (received == SIGUSR1)
            atomic_store(&session->asked, true);
        if (received == SIGUSR1 || (received && now - asked < REQUEST))
            continue;
        if (patient && interrupt_patient(session)) {
            patient = false;
            asked = now;
        } else if (received) {
            output_abandon_all();
            signal(received, SIG_DFL);
            pthread_sigmask(SIG_UNBLOCK, set, NULL);
            raise(received);
        } else {
            patient = false;
        }
    }
}

static void *wait_for_signals(void *argument)
{
    struct session *session = argument;
    sigset_t set = own_signals(session->answers);
    int received;
    while (sigwait(&set, &received) == 0 && !atomic_load(&session->finished)) {
        if (received == SIGUSR1) {
            atomic_store(&session->asked, true);
            continue;
        }
        session_interrupt(session);
        wait_for_more(session, &set);
        break;
    }
    return NULL;
}

static void complain_of_log(const struct session *session, int reason)
{
    fprintf(stderr, "linchpin %s: cannot write '%s': %s\n", session->command, session->log_path,
            strerror(reason));
}

/* A log grows while work goes on, so it is no file that appears whole. */
static bool open_log(struct session *session, const char *command, const struct options *options)
{
    const char *path = options->log;
    const bool named = path && strcmp(path, "-") != 0;
    session->every = options->verbose > 1;
    session->engine_alone = !path && options->verbose == 1;
    if (!named && (path || options->verbose))
        session->log = stderr;
    if (!named)
        return true;
    if (!outputs_differ(options, command))
        return false;
    struct text own = TEXT_EMPTY;
    text_append(&own, path);
    if (ranks_is_helper(options->ranks)) /* each has its own */
        text_format(&own, ".%u", options->ranks->transport->rank);
    session->log_path = text_take(&own);
    session->log = fopen(session->log_path, "we");
    if (session->log) {
        setvbuf(session->log, NULL, _IOLBF, BUFSIZ);
        return true;
    }
    complain_of_log(session, errno);
    free(session->log_path);
    return false;
}

bool session_init(struct session *session, const char *command, const struct options *options)
{
    *session =
        (struct session){.started = session_clock(),
                         .command = command,
                         .timeout = options->timeout,
                         .total_timeout = options->total_timeout,
                         .answers = options->follow,
                         .limit = options->memory ? options->memory : default_limit(options)};
    if (!open_log(session, command, options))
        return false;
    size_t used = resident();
    session->memory = session->limit > used ? session->limit - used : 1;
    pthread_mutex_init(&session->lock, NULL);
    sigset_t set = own_signals(session->answers);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&session->signals, NULL, wait_for_signals, session)) {
        fputs("linchpin: the system gives no thread\n", stderr);
        exit(70);
    }
    take_kept_signals(session);
    return true;
}

/* fclose alone forgets an error of an earlier line. */
static int close_log(struct session *session)
{
    int reason = atomic_load(&session->log_failure);
    if (fclose(session->log) && !reason)
        reason = errno;
    if (reason)
        complain_of_log(session, reason);
    free(session->log_path);
    return reason ? EXIT_INPUT : EXIT_HOLDS;
}

int session_release(struct session *session, int status)
{
    atomic_store(&session->finished, true);
    pthread_kill(session->signals, SIGTERM); /* blocked: it only wakes sigwait */
    pthread_join(session->signals, NULL);
    pthread_mutex_destroy(&session->lock);
    return session->log_path ? exit_worst(status, close_log(session)) : status;
}

/* "    0.013 s  queue.csp:31: reachability: depth 12, 10,240 states, frontier 812" */
static void write_log(void *user, const char *line)
{
    const struct session_context *entry = user;
    struct session *session = entry->session;
    struct text text = TEXT_EMPTY;
    if (atomic_load(&session->log_failure))
        return;
    if (session->engine_alone && strncmp(line, "engine: ", strlen("engine: ")) != 0)
        return;
    text_format(&text, "%9.3f s  ", session_clock() - session->started);
    utf8_append_shown(&text, entry->input, strlen(entry->input), true);
    text_append(&text, ": ");
    utf8_append_shown(&text, line, strlen(line), true);
    text_append_char(&text, '\n');
    if (session->log == stderr && session->progress)
        progress_clear(session->progress);
    if (fputs(text_string(&text), session->log) == EOF && session->log_path)
        atomic_compare_exchange_strong(&session->log_failure, &(int){0}, errno);
    text_release(&text);
}

lp_context *session_open(struct session *session, unsigned share, const char *input)
{
    size_t memory = session->memory / share;
    struct session_context *entry = memory_small(sizeof *entry);
    *entry = (struct session_context){
        .session = session, .context = lp_context_create(memory ? memory : 1), .input = input};
    if (!entry->context) {
        free(entry);
        return NULL;
    }
    lp_context *context = entry->context;
    if (session->log && input)
        lp_context_log(context, session->every ? LP_LOG_STEPS : LP_LOG_MOMENTS, write_log, entry);
    pthread_mutex_lock(&session->lock);
    entry->next = session->active;
    session->active = entry;
    if (atomic_load(&session->interrupted))
        lp_context_interrupt(context);
    pthread_mutex_unlock(&session->lock);
    return context;
}

void session_close(struct session *session, lp_context *context)
{
    pthread_mutex_lock(&session->lock);
    struct session_context **at = &session->active;
    while (*at && (*at)->context != context)
        at = &(*at)->next;
    struct session_context *entry = *at;
    if (entry)
        *at = entry->next;
    pthread_mutex_unlock(&session->lock);
    lp_context_destroy(context);
    free(entry);
}

double session_remaining(const struct session *session, double began, bool *total)
{
    double now = session_clock();
    double own = session->timeout ? session->timeout - (now - began) : INFINITY;
    double all =
        session->total_timeout ? session->total_timeout - (now - session->started) : INFINITY;
    if (total)
        *total = all < own;
    double least = all < own ? all : own;
    return least < 0 ? 0 : least;
}

double session_timeout(const struct session *session, double began)
{
    double left = session_remaining(session, began, NULL);
    return isinf(left) ? 0 : left < 1e-6 ? 1e-6 : left;
}

void session_narrate_end(const struct session *session, const struct options *options,
                         const lp_context *context, const char *input)
{
    struct text line = TEXT_EMPTY;
    utf8_append_shown(&line, input, strlen(input), true);
    text_format(&line, ": done, %.3f s, ", session_clock() - session->started);
    text_append_size(&line, lp_context_memory_peak(context));
    if (options->verbose)
        fprintf(stderr, "%s at most\n", text_string(&line));
    text_release(&line);
}

int session_run(const struct options *options, const char *command, const char *input,
                int (*work)(struct session *session, lp_context *context, void *user), void *user)
{
    struct session session;
    int result = EXIT_UNDECIDED;
    if (!session_init(&session, command, options))
        return EXIT_INPUT;
    lp_context *context = session_open(&session, 1, input);
    if (context) {
        result = work(&session, context, user);
        session_close(&session, context);
    } else
        fprintf(stderr, "linchpin %s: the memory limit was reached\n", command);
    return session_release(&session, result);
}
