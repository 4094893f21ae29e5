#include "scenario/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/faults.h"

extern char **environ;

void words_init(struct words *words, struct budget *budget)
{
    vector_init(&words->items, budget);
}

void words_release(struct words *words)
{
    vector_release(&words->items);
}

bool words_add(struct words *words, ...)
{
    va_list list;
    const char *word;
    bool added = true;
    va_start(list, words);
    while (added && (word = va_arg(list, const char *)))
        added = vector_push(&words->items, word);
    va_end(list);
    return added;
}

/* Two pipes, read until both are closed. */
struct pipes {
    int out[2], err[2];
};

static bool pipes_open(struct pipes *pipes)
{
    if (pipe2(pipes->out, O_CLOEXEC) != 0)
        return false;
    if (pipe2(pipes->err, O_CLOEXEC) == 0)
        return true;
    close(pipes->out[0]);
    close(pipes->out[1]);
    return false;
}

static void take(struct pollfd *end, struct text *text)
{
    char bytes[4096];
    ssize_t count;
    if (!end->revents)
        return;
    count = faults_read(end->fd, bytes, sizeof bytes);
    if (count > 0 && text)
        text_append_bytes(text, bytes, (size_t)count);
    if (count == 0 || (count < 0 && errno != EINTR)) {
        close(end->fd);
        end->fd = -1;
    }
}

static void drain(const struct pipes *pipes, struct text *output, struct text *complaints)
{
    struct pollfd ends[2] = {{.fd = pipes->out[0], .events = POLLIN},
                             {.fd = pipes->err[0], .events = POLLIN}};
    close(pipes->out[1]);
    close(pipes->err[1]);
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        if (poll(ends, 2, -1) < 0 && errno != EINTR)
            break;
        take(&ends[0], output);
        take(&ends[1], complaints);
    }
}

static int spawn(struct words *words, const struct pipes *pipes, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipes->out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes->err[1], STDERR_FILENO);
    int result = posix_spawnp(child, words->items.items[0], &actions, NULL,
                              (char *const *)words->items.items, environ);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

/* Ends the words with a null, which does not count. */
static bool words_end(struct words *words)
{
    if (!vector_push(&words->items, NULL))
        return false;
    words->items.length--;
    return true;
}

/* Its wait status; STATUS_USAGE if it could not be begun. */
static enum status wait_for(const struct words *words, pid_t child, int failure, int *status,
                            struct error *error)
{
    if (failure)
        return error_set(error, STATUS_USAGE, NULL, 0, "cannot run %s: %s", words->items.items[0],
                         strerror(failure));
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        continue;
    return STATUS_OK;
}

enum status command_run(struct words *words, struct text *output, struct text *complaints,
                        bool *succeeded, struct error *error)
{
    struct pipes pipes;
    pid_t child;
    int status = 0;
    TRY_MEMORY(words_end(words));
    if (!pipes_open(&pipes))
        return error_set(error, STATUS_INTERNAL, NULL, 0, "no pipe: %s", strerror(errno));
    int failure = spawn(words, &pipes, &child);
    drain(&pipes, output, complaints);
    TRY(wait_for(words, child, failure, &status, error));
    *succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return STATUS_OK;
}

enum status command_pass(struct words *words, int *exit_status, struct error *error)
{
    pid_t child;
    int status = 0;
    TRY_MEMORY(words_end(words));
    int failure = posix_spawnp(&child, words->items.items[0], NULL, NULL,
                               (char *const *)words->items.items, environ);
    TRY(wait_for(words, child, failure, &status, error));
    *exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return STATUS_OK;
}

enum status command_need(struct words *words, struct text *output, struct error *error)
{
    struct text complaints = TEXT_EMPTY;
    bool succeeded = false;
    enum status status = command_run(words, output, &complaints, &succeeded, error);
    if (status == STATUS_OK && !succeeded)
        status = error_set(error, STATUS_INPUT, NULL, 0, "%s failed:\n%s", words->items.items[0],
                           text_string(&complaints));
    text_release(&complaints);
    return status;
}
