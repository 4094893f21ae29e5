/* Keeping what is followed in a file, so that it is not read again after whatever ends the program.
 */
#ifndef CLI_FOLLOW_CHECKPOINT_H
#define CLI_FOLLOW_CHECKPOINT_H

#include "cli/run.h"

struct follow_checkpoint {
    const char *path; /* null: none is kept */
    double due;       /* by session_clock() */
    bool complained;  /* that it cannot be written */
};

/* Goes on from the file, if there is one; *resumed. As lp_monitor_restore. */
lp_status follow_checkpoint_open(struct follow_checkpoint *checkpoint, const char *path,
                                 lp_monitor *monitor, bool *resumed, lp_error *error);

/* Writes the file if it is due, or `at_once`. Where it cannot be written that is said, once, and
 * tried again. */
void follow_checkpoint_keep(struct follow_checkpoint *checkpoint, lp_monitor *monitor,
                            bool at_once);

/* Compares what a log has in front of the place where reading goes on, *offset, with what was read
 * then, and moves there. LP_INPUT. */
lp_status follow_checkpoint_seek(const struct follow_checkpoint *checkpoint, lp_monitor *monitor,
                                 size_t log, const char *name, int file, uint64_t *offset,
                                 lp_error *error);

#endif
