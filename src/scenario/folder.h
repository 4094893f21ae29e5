/* A folder for what is made on the way, which goes with its user. */
#ifndef SCENARIO_FOLDER_H
#define SCENARIO_FOLDER_H

#include "base/status.h"
#include "base/text.h"

/* Makes a new one, in TMPDIR or /tmp; appends its path. STATUS_USAGE when that cannot be. */
enum status folder_make(struct text *path, struct error *error) MUST_CHECK;

/* Removes a folder that folder_make made and the files in it; what cannot be removed stays. An
 * empty path is none. */
void folder_remove(const char *path);

/* Appends what is in a file of ours; writes one. STATUS_INTERNAL when that cannot be. */
enum status file_read(const char *path, struct text *text, struct error *error) MUST_CHECK;
enum status file_write(const char *path, const struct text *text, struct error *error) MUST_CHECK;

#endif
