#include "cli/client_logs.h"

#include <stdlib.h>
#include <string.h>

#define LOOKED_AT   64   /* operations, from the first */
#define CLIENT_LOGS 1000 /* more clients are not looked for: each is compared with each */

static bool has_process(const struct client_log *log, const char *process)
{
    for (size_t i = 0; i < CLIENT_LOG_PROCESSES && log->processes[i]; i++)
        if (strcmp(log->processes[i], process) == 0)
            return true;
    return false;
}

/* False: there are too many, or memory is short. */
static bool add_process(struct client_log *log, lp_value value)
{
    char *process = lp_value_to_edn(value);
    size_t count = 0;
    if (process && has_process(log, process)) {
        free(process);
        return true;
    }
    while (count < CLIENT_LOG_PROCESSES && log->processes[count])
        count++;
    if (count == CLIENT_LOG_PROCESSES) {
        free(process);
        return false;
    }
    log->processes[count] = process;
    return process;
}

void client_log_note(struct client_log *log, const lp_history *history, bool violated)
{
    const size_t length = lp_history_length(history);
    client_logs_release(log, 1);
    *log = (struct client_log){.violated = violated};
    if (length == 0)
        return;
    log->first = lp_history_operation(history, 0).invoke_time;
    log->last = lp_history_operation(history, length - 1).invoke_time;
    log->known = log->first != LP_TIME_NONE && log->last != LP_TIME_NONE;
    for (size_t i = 0; i < length && i < LOOKED_AT && log->known; i++)
        log->known = add_process(log, lp_history_operation(history, i).process);
}

static bool have_one_in_common(const struct client_log *a, const struct client_log *b)
{
    for (size_t i = 0; i < CLIENT_LOG_PROCESSES && a->processes[i]; i++)
        if (has_process(b, a->processes[i]))
            return true;
    return false;
}

bool client_logs_are_of_one_run(const struct client_log *logs, size_t count)
{
    int64_t first = INT64_MIN, last = INT64_MAX;
    bool violated = false;
    for (size_t i = 0; i < count; i++) {
        if (!logs[i].known)
            return false;
        first = logs[i].first > first ? logs[i].first : first;
        last = logs[i].last < last ? logs[i].last : last;
        violated |= logs[i].violated;
    }
    if (count < 2 || count > CLIENT_LOGS || !violated || first > last)
        return false;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (have_one_in_common(&logs[i], &logs[j]))
                return false;
    return true;
}

void client_logs_release(struct client_log *logs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < CLIENT_LOG_PROCESSES; j++)
            free(logs[i].processes[j]);
}
