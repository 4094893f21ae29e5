/* Keeping what is followed in a file, so that it is not read again after whatever ends the program.
 */
#ifndef CLI_FOLLOW_CHECKPOINT_H
#define CLI_FOLLOW_CHECKPOINT_H

#include "cli/run.h"

/* What came of writing a file last. A test that runs for days does not end because a disk is full:
 * that is said once, and tried again, and is an error of a run that ends so; but for want of
 * memory, which is only said. */
struct follow_written {
    lp_status status; /* LP_OK: it is written, or none was to be */
    lp_error error;   /* if not */
};

/* `option`: of the command line, "metrics". */
void follow_note_written(struct follow_written *written, const char *option, lp_status status,
                         const lp_error *error);

struct follow_checkpoint {
    const char *path; /* null: none is kept */
    double due;       /* by session_clock() */
    struct follow_written written;
};

/* Goes on from the file, if there is one; *resumed. As lp_monitor_restore. */
lp_status follow_checkpoint_open(struct follow_checkpoint *checkpoint, const char *path,
                                 lp_monitor *monitor, bool *resumed, lp_error *error);

/* Writes the file if it is due, or `at_once`. */
void follow_checkpoint_keep(struct follow_checkpoint *checkpoint, lp_monitor *monitor,
                            bool at_once);

/* Compares what a log has in front of the place where reading goes on, *offset, with what was read
 * then, and moves there. LP_INPUT. */
lp_status follow_checkpoint_seek(const struct follow_checkpoint *checkpoint, lp_monitor *monitor,
                                 size_t log, const char *name, int file, uint64_t *offset,
                                 lp_error *error);

#endif
