/* Locks, conditions, semaphores, barriers and joins sleep in the system call futex, and what the
 * kernel tells of a thread that sleeps is the call with its arguments, the time limit among them.
 *
 * The threads are looked at one after the other, so that one might wake another behind our back and
 * go to sleep itself. So all are looked at twice: who has slept the same sleep both times was
 * asleep at the end of the first look, when all of them were. */
#include "stress/blocked.h"

#include <dirent.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MOST_THREADS = 256
};

struct sleep {
    long thread;
    unsigned long long before; /* how often it had gone to sleep */
};

static size_t read_file(long thread, const char *name, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/%s", thread, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    size_t length = fread(text, 1, size - 1, file);
    fclose(file);
    text[length] = 0;
    return length;
}

static bool is_wait(unsigned long long operation)
{
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
        return true;
    default:
        return false;
    }
}

/* "202 0x7f.. 0x80 0x2 0x0 ..." of a thread that sleeps in the system call 202. */
static bool waits_for_wake(long thread)
{
    char text[512];
    long call = -1;
    unsigned long long address, operation, expected, timeout;
    return read_file(thread, "syscall", text, sizeof text) > 0 &&
           sscanf(text, "%ld %llx %llx %llx %llx", &call, &address, &operation, &expected,
                  &timeout) == 5 &&
           call == SYS_futex && is_wait(operation & 0xffffffff) && timeout == 0;
}

/* Whether a thread sleeps, and how often it has begun to. */
static bool sleeps(long thread, unsigned long long *count)
{
    static const char state[] = "\nState:\tS", begun[] = "\nvoluntary_ctxt_switches:";
    char text[4096];
    if (read_file(thread, "status", text, sizeof text) == 0 || !strstr(text, state))
        return false;
    const char *found = strstr(text, begun);
    return found && sscanf(found + sizeof begun - 1, "%llu", count) == 1;
}

/* Those of all threads but this one; false if one of them does not sleep so. */
static bool look(struct sleep *found, size_t *count)
{
    DIR *tasks = opendir("/proc/self/task");
    bool all = tasks != NULL;
    *count = 0;
    for (const struct dirent *entry; all && (entry = readdir(tasks));) {
        struct sleep now = {.thread = strtol(entry->d_name, NULL, 10)};
        if (now.thread <= 0 || now.thread == gettid())
            continue;
        all =
            *count < MOST_THREADS && sleeps(now.thread, &now.before) && waits_for_wake(now.thread);
        if (all)
            found[(*count)++] = now;
    }
    if (tasks)
        closedir(tasks);
    return all;
}

bool blocked_for_ever(void)
{
    struct sleep first[MOST_THREADS], second[MOST_THREADS];
    size_t count, again;
    if (!look(first, &count) || !look(second, &again) || count != again || count == 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (first[i].thread != second[i].thread || first[i].before != second[i].before)
            return false;
    return true;
}

unsigned blocked_threads(void)
{
    struct stat tasks; /* a folder has a link for each of its folders, and two more */
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 2 ? (unsigned)tasks.st_nlink - 2
                                                                      : 0;
}
