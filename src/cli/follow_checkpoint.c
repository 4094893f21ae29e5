/* Writing takes a twentieth of the time at most. What was read since the last time is read again by
 * the next run; so when it was written makes no difference to the answer. */
#include "cli/follow_checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"

#define SHARE     20
#define FIRST     0.05 /* seconds until it is written first */
#define TAIL_MOST 64   /* bytes that lp_monitor_taken gives */

lp_status follow_checkpoint_open(struct follow_checkpoint *checkpoint, const char *path,
                                 lp_monitor *monitor, bool *resumed, lp_error *error)
{
    *checkpoint = (struct follow_checkpoint){.path = path, .due = session_clock() + FIRST};
    *resumed = false;
    if (!path)
        return LP_OK;
    output_remove_left_over(path);
    return lp_monitor_restore(monitor, path, resumed, error);
}

void follow_checkpoint_keep(struct follow_checkpoint *checkpoint, lp_monitor *monitor, bool at_once)
{
    lp_error error;
    double began = session_clock();
    if (!checkpoint->path || (!at_once && began < checkpoint->due))
        return;
    bool written = lp_monitor_save(monitor, checkpoint->path, &error) == LP_OK;
    if (!written && !checkpoint->complained)
        fprintf(stderr, "linchpin check: --checkpoint: %s; it is tried again\n", error.message);
    checkpoint->complained = !written;
    double now = session_clock();
    checkpoint->due = now + SHARE * (now - began);
}

static lp_status complain(lp_error *error, const char *name, const char *message)
{
    *error = (lp_error){0};
    snprintf(error->file, sizeof error->file, "%s", name);
    snprintf(error->message, sizeof error->message, "%s", message);
    return LP_INPUT;
}

lp_status follow_checkpoint_seek(const struct follow_checkpoint *checkpoint, lp_monitor *monitor,
                                 size_t log, const char *name, int file, uint64_t *offset,
                                 lp_error *error)
{
    const char *tail;
    size_t length;
    char found[TAIL_MOST], message[sizeof error->message];
    *offset = lp_monitor_taken(monitor, log, &tail, &length);
    ssize_t got = pread(file, found, length, (off_t)(*offset - length));
    if (got < 0 || lseek(file, (off_t)*offset, SEEK_SET) < 0) {
        snprintf(message, sizeof message, "cannot be read: %s", strerror(errno));
        return complain(error, name, message);
    }
    if ((size_t)got == length && memcmp(found, tail, length) == 0)
        return LP_OK;
    snprintf(message, sizeof message,
             "is not the log that %s is of: expected the %zu bytes in front of byte %" PRIu64
             " as they were read then, found %s",
             checkpoint->path, length, *offset,
             (size_t)got < length ? "fewer (it was truncated, or another has taken its place)"
                                  : "others");
    return complain(error, name, message);
}
