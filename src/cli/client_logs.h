/* Notices files that look like the logs of the clients of one run, given as histories of their own.
 * What one client reads another has written, so that each log alone is a violation. */
#ifndef CLI_CLIENT_LOGS_H
#define CLI_CLIENT_LOGS_H

#include <linchpin/history.h>
#include <stdbool.h>
#include <stddef.h>

#define CLIENT_LOG_PROCESSES 8

/* What is known of a file. */
struct client_log {
    bool known; /* it is a history of a few processes, with times */
    bool violated;
    int64_t first, last;                   /* of its times */
    char *processes[CLIENT_LOG_PROCESSES]; /* as EDN; null-terminated if there are fewer */
};

/* Looks at a file's only history. Replaces what was known of the file. */
void client_log_note(struct client_log *log, const lp_history *history, bool violated);

/* Whether some is a violation, all are known, no two have a process in common, and all of them were
 * being written at some one time. */
bool client_logs_are_of_one_run(const struct client_log *logs, size_t count);

void client_logs_release(struct client_log *logs, size_t count);

#endif
