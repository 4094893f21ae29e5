/* Files that come with the program. */
#ifndef CLI_INSTALLED_H
#define CLI_INSTALLED_H

#include <stdbool.h>

#include "base/text.h"

/* Appends the folder with what is linked into test programs, `file` among it: LINCHPIN_RUNTIME, or
 * lib/linchpin beside the program or beside its folder. False, after a message of `command`, if it
 * is in none of them. */
bool installed_runtime(const char *command, const char *file, struct text *folder);

/* Likewise, but silent. */
bool installed_find(const char *file, struct text *folder);

#endif
