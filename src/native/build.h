/* A library of functions that were written as C while the program runs, compiled by the system's
 * compiler and loaded. What was compiled once is found again by what it was made of: its source,
 * the compiler, how the two were made to fit. */
#ifndef NATIVE_BUILD_H
#define NATIVE_BUILD_H

#include <stdbool.h>

#include "base/text.h"

struct native_build;

enum native_progress {
    NATIVE_MISSING, /* never compiled here, as far as the cache knows */
    NATIVE_BUSY,    /* the compiler is at work */
    NATIVE_READY,
    NATIVE_FAILED, /* there is no compiler, or it has failed */
};

/* Looks for a library of `source` in the cache. Never null; for one thread at a time. */
struct native_build *native_build_find(const char *source);

/* Has the library compiled, in the background, where it is missing. */
void native_build_begin(struct native_build *build);

/* How far it is; with `wait`, not NATIVE_BUSY. */
enum native_progress native_build_look(struct native_build *build, bool wait);

/* What a NATIVE_READY library exports by a name; null: nothing. */
const void *native_build_symbol(const struct native_build *build, const char *name);

/* What became of it, for people: "found in /home/ada/.cache/linchpin", "no compiler (cc)". */
const char *native_build_story(const struct native_build *build);

/* Ends the compiler if it is at work, and unloads the library. */
void native_build_release(struct native_build *build);

#endif
