/* Where compiled libraries are kept: a folder of the user's own, $XDG_CACHE_HOME/linchpin or
 * ~/.cache/linchpin, with mode 0700. Where that is not to be had, or somebody else's or open to
 * others, a folder for this run alone. */
#ifndef NATIVE_CACHE_H
#define NATIVE_CACHE_H

#include <stdbool.h>

#include "base/text.h"

#define NATIVE_CACHE_MOST 256 /* libraries; a quarter of them goes when there are more */

struct native_cache {
    struct text folder; /* its path; empty: there is none */
    bool is_private;    /* of this run: what is in it is deleted once it is loaded */
};

/* Finds the user's folder, which is made if need be; false when it cannot be used. */
bool native_cache_open(struct native_cache *cache) MUST_CHECK;

/* Makes a folder for this run alone; false when that cannot be done. */
bool native_cache_open_private(struct native_cache *cache) MUST_CHECK;

/* Deletes the folder of a run; of the other nothing. */
void native_cache_close(struct native_cache *cache);

/* Writes a file of the folder, which must be new. False when it cannot be written; it is not there
 * then. */
bool native_cache_write(const char *path, const struct text *bytes) MUST_CHECK;

/* Ends a library that a compiler has written at `path` with its checksum, and gives it the name
 * `kept`, which another run may have done at the same time. False when that cannot be done. */
bool native_cache_keep(const char *path, const char *kept) MUST_CHECK;

/* Whether a file is a library that native_cache_keep has written, whole, and is this user's own. It
 * then counts as used now. */
bool native_cache_is_whole(const char *path);

/* Deletes the libraries that were not used for the longest time where there are more than
 * NATIVE_CACHE_MOST, and what runs that were killed have left behind. */
void native_cache_trim(const struct native_cache *cache);

#endif
