/* Exit statuses, of which the worst counts, and standard output that cannot be written. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/attributes.h"
#include "cli/command.h"

int exit_worst(int a, int b)
{
    static const int order[] = {EXIT_FAULT, EXIT_INPUT, EXIT_VIOLATION, EXIT_UNDECIDED, EXIT_HOLDS};
    for (size_t i = 0; i < ARRAY_LENGTH(order); i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return EXIT_FAULT;
}

int exit_unwritten(int error)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    bool unread = error == EPIPE || (!error && poll(&output, 1, 0) > 0 && output.revents & POLLERR);
    if (!unread)
        fprintf(stderr, "linchpin: cannot write to standard output%s%s\n", error ? ": " : "",
                error ? strerror(error) : "");
    clearerr(stdout); /* it is said once */
    return EXIT_INPUT;
}

int exit_flush(void)
{
    bool flushed = fflush(stdout) == 0;
    int reason = flushed ? 0 : errno;
    return flushed && !ferror(stdout) ? EXIT_HOLDS : exit_unwritten(reason);
}
