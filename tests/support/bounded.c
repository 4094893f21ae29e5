#include "support/bounded.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int run_bounded(const char *bound, int (*run)(const char *name))
{
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv("LINCHPIN_BOUND", bound, 1);
        exit(run(bound));
    }
    return child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
}
