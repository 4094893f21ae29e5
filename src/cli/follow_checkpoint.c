/* Writing takes a twentieth of the time at most. What was read since the last time is read again by
 * the next run; so when it was written makes no difference to the answer. */
#include "cli/follow_checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "base/utf8.h"

#define SHARE      20
#define FIRST      0.05 /* seconds until it is written first */
#define TAIL_MOST  64   /* bytes that lp_monitor_taken gives */
#define SHOWN_MOST 24   /* of these are shown where others stand */

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

void follow_note_written(struct follow_written *written, const char *option, lp_status status,
                         const lp_error *error)
{
    const bool failed = status != LP_OK;
    if (failed && written->status == LP_OK)
        fprintf(stderr, "linchpin check: --%s: %s; it is tried again\n", option, error->message);
    written->status = status;
    if (failed)
        written->error = *error;
}

void follow_checkpoint_keep(struct follow_checkpoint *checkpoint, lp_monitor *monitor, bool at_once)
{
    lp_error error;
    double began = session_clock();
    if (!checkpoint->path || (!at_once && began < checkpoint->due))
        return;
    follow_note_written(&checkpoint->written, "checkpoint",
                        lp_monitor_save(monitor, checkpoint->path, &error), &error);
    double now = session_clock();
    checkpoint->due = now + SHARE * (now - began);
}

/* Bytes of a log. */
struct seen {
    const char *bytes;
    size_t length;
};

/* Some of them, from one on. */
static void show(struct seen seen, size_t from, struct text *text)
{
    const size_t left = seen.length - from;
    text_append(text, "'");
    utf8_append_shown(text, seen.bytes + from, left < SHOWN_MOST ? left : SHOWN_MOST, false);
    text_append(text, left > SHOWN_MOST ? "...'" : "'");
}

static lp_status complain(lp_error *error, const char *name, const char *message)
{
    *error = (lp_error){0};
    snprintf(error->file, sizeof error->file, "%s", name);
    snprintf(error->message, sizeof error->message, "%s", message);
    return LP_INPUT;
}

/* What stands in front of the offset is not what was read there: from where that begins. */
static lp_status complain_of_log(const struct follow_checkpoint *checkpoint, const char *name,
                                 uint64_t offset, struct seen expected, struct seen found,
                                 lp_error *error)
{
    struct text text = TEXT_EMPTY;
    size_t same = 0;
    while (same < found.length && found.bytes[same] == expected.bytes[same])
        same++;
    text_format(&text, "is not the log that %s is of: expected ", checkpoint->path);
    show(expected, same, &text);
    text_format(&text, " at byte %" PRIu64 ", as was read then, found ",
                offset - expected.length + same);
    if (same < found.length)
        show(found, same, &text);
    else
        text_append(&text, "the end (it was truncated, or another has taken its place)");
    const lp_status status = complain(error, name, text_string(&text));
    text_release(&text);
    return status;
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
    return complain_of_log(checkpoint, name, *offset, (struct seen){tail, length},
                           (struct seen){found, (size_t)got}, error);
}
