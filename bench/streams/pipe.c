#include "streams/pipe.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"

#define ROOM ((size_t)64 << 10)

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

/* False: nobody reads any more. */
static bool write_lines(struct endless *endless, const struct used *used, uint64_t operations,
                        int file, char *text)
{
    size_t length = 0;
    uint64_t end = endless->operations + operations;
    while (endless->operations < end) {
        struct endless_event event = endless_next(endless);
        length += line_write(used, &event, 0, text + length);
        if (length + LINE_MOST <= ROOM)
            continue;
        if (!write_all(file, text, length))
            return false;
        length = 0;
    }
    return write_all(file, text, length);
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static pid_t start(char *const *words, int *file)
{
    int ends[2];
    if (pipe(ends))
        return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(words[0], words);
        _exit(127);
    }
    close(ends[0]);
    *file = ends[1];
    return child;
}

bool pipe_run(struct endless *endless, const struct used *used, uint64_t operations,
              char *const *words, struct pipe_use *use)
{
    int file, status;
    struct rusage usage;
    char *text = malloc(ROOM);
    signal(SIGPIPE, SIG_IGN);
    uint64_t began = clock_nanoseconds();
    pid_t child = text ? start(words, &file) : -1;
    if (child > 0) {
        (void)write_lines(endless, used, operations, file, text);
        close(file);
    }
    free(text);
    if (child <= 0 || wait4(child, &status, 0, &usage) != child)
        return false;
    *use = (struct pipe_use){.seconds = seconds_since(began),
                             .processor = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime),
                             .megabytes = (double)usage.ru_maxrss / 1024,
                             .status = WIFEXITED(status) ? WEXITSTATUS(status) : -1};
    return true;
}
