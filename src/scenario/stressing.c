#include "scenario/stressing.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/faults.h"

enum {
    LOOK_MILLISECONDS = 20,
    BLOCK = 1 << 16,
    ARGUMENTS = 9,
};

/* ---- the process ---- */

/* In the child: nothing but what may be called between fork and exec. What the code under test
 * prints goes to our standard error. */
static void become(char **arguments, int answers)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    dup2(answers, STRESS_ANSWERS);
    execv(arguments[0], arguments);
    _exit(127);
}

static enum status start(char **arguments, struct stressing *stressing, struct error *error)
{
    int ends[2];
    *stressing = (struct stressing){.read = TEXT_EMPTY, .frames = TEXT_EMPTY};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(error, STATUS_INTERNAL, NULL, 0, "no pipe: %s", strerror(errno));
    stressing->child = fork();
    if (stressing->child == 0) {
        /* A descriptor that has the number already would be closed by exec. */
        int other = fcntl(ends[1], F_DUPFD, STRESS_ANSWERS + 1);
        become(arguments, other);
    }
    close(ends[1]);
    stressing->answers = ends[0];
    if (stressing->child > 0)
        return STATUS_OK;
    close(ends[0]);
    stressing->child = 0;
    return error_set(error, STATUS_INTERNAL, NULL, 0, "no process: %s", strerror(errno));
}

static int wait_for_end(struct stressing *stressing)
{
    int status = 0;
    while (waitpid(stressing->child, &status, 0) < 0 && errno == EINTR)
        continue;
    stressing->child = 0;
    close(stressing->answers);
    return status;
}

void stressing_end(struct stressing *stressing)
{
    if (stressing->child) {
        kill(stressing->child, SIGKILL);
        (void)wait_for_end(stressing);
    }
    text_release(&stressing->read);
    text_release(&stressing->frames);
}

enum status stressing_begin(const struct stressing_settings *settings, struct stressing *stressing,
                            struct error *error)
{
    const uint64_t numbers[ARGUMENTS] = {
        settings->test,        settings->threads, settings->operations,      settings->seed,
        settings->first_round, settings->rounds,  settings->give_way_one_in, settings->widening,
        settings->patience};
    char words[ARGUMENTS][24];
    char *arguments[ARGUMENTS + 3] = {(char *)(uintptr_t)settings->program};
    for (unsigned i = 0; i < ARGUMENTS; i++) {
        snprintf(words[i], sizeof words[i], "%" PRIu64, numbers[i]);
        arguments[i + 1] = words[i];
    }
    arguments[ARGUMENTS + 1] = (char *)(uintptr_t)(settings->orders ? settings->orders : "");
    return start(arguments, stressing, error);
}

/* ---- what it writes ---- */

enum more {
    MORE_CAME,
    MORE_NONE, /* the program has closed its end */
    MORE_LIMIT
};

static enum more read_more(struct stressing *stressing, const struct limits *limits)
{
    char block[BLOCK];
    struct pollfd end = {.fd = stressing->answers, .events = POLLIN};
    for (;;) {
        if (limits && limits_reached(limits) != LIMIT_NONE)
            return MORE_LIMIT;
        if (poll(&end, 1, LOOK_MILLISECONDS) <= 0)
            continue;
        ssize_t count = faults_read(stressing->answers, block, sizeof block);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return MORE_NONE;
        text_append_bytes(&stressing->read, block, (size_t)count);
        return MORE_CAME;
    }
}

/* Forgets what has been taken. */
static void drop_used(struct stressing *stressing)
{
    struct text rest = TEXT_EMPTY;
    if (stressing->used < stressing->read.length / 2)
        return;
    text_append_bytes(&rest, text_string(&stressing->read) + stressing->used,
                      stressing->read.length - stressing->used);
    text_release(&stressing->read);
    stressing->read = rest;
    stressing->used = 0;
}

/* "round 12 4711\n" and so many bytes; false: not all of it is there yet. */
static bool take_round(struct stressing *stressing, enum stressing_event *event,
                       struct stressing_round *round)
{
    char word[8];
    size_t length;
    const char *head = text_string(&stressing->read) + stressing->used;
    size_t there = stressing->read.length - stressing->used;
    const char *end = memchr(head, '\n', there);
    if (!end ||
        sscanf(head, "%7s %" SCNu64 " %zu", word, &round->number, &length) != 3 || /* ours */
        there - (size_t)(end + 1 - head) < length)
        return false;
    *event = strcmp(word, "hang") == 0      ? STRESSING_HANG
             : strcmp(word, "blocked") == 0 ? STRESSING_BLOCKED
             : strcmp(word, "crash") == 0   ? STRESSING_CRASHED
                                            : STRESSING_ROUND;
    round->history = end + 1;
    round->length = length;
    stressing->used += (size_t)(end + 1 - head) + length;
    return true;
}

enum stressing_event stressing_next(struct stressing *stressing, const struct limits *limits,
                                    struct stressing_round *round)
{
    enum stressing_event event;
    drop_used(stressing);
    round->frames = "";
    for (;;) {
        if (take_round(stressing, &event, round)) {
            if (event != STRESSING_CRASHED)
                return event;
            text_clear(&stressing->frames); /* its end is still to come */
            text_append_bytes(&stressing->frames, round->history, round->length);
            continue;
        }
        enum more more = read_more(stressing, limits);
        if (more == MORE_LIMIT)
            return STRESSING_LIMIT;
        if (more == MORE_NONE) {
            round->status = wait_for_end(stressing);
            round->frames = text_string(&stressing->frames);
            return round->status == 0 ? STRESSING_END : STRESSING_CRASHED;
        }
    }
}
