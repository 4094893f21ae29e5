/* What a file is that a linker takes, or that a linker has made, and whether `linchpin cc` made it.
 *
 * Objects that it makes have sections of text, a line each, which every linker puts together:
 *
 *     linchpin_flags    how the object was compiled: "gcc -O2 -DN=4"
 *     linchpin_unseen   what of it cannot be tested: "/home/ada/ring.c:12: inline assembly ..."
 *
 * and a program in which there are tests has, from the runtime that is linked to it,
 *
 *     linchpin_runtime  which runtime that is */
#ifndef SCENARIO_INSPECTION_H
#define SCENARIO_INSPECTION_H

#include "base/status.h"
#include "base/text.h"

#define SECTION_FLAGS   "linchpin_flags"
#define SECTION_UNSEEN  "linchpin_unseen"
#define SECTION_RUNTIME "linchpin_runtime"

enum inspected_kind {
    INSPECTED_OTHER,
    INSPECTED_OBJECT,
    INSPECTED_ARCHIVE,
    INSPECTED_LINKED, /* a program or a shared library */
};

struct inspection {
    enum inspected_kind kind;
    size_t objects; /* of an archive; else 1, or 0 of what is none */
    size_t made;    /* of them: by linchpin */
    bool has_tests; /* LP_TEST */
    bool has_main;  /* of an object */
    struct text flags, unseen, runtime;
};

/* Reads a file; what cannot be read, or is damaged, is INSPECTED_OTHER. */
void inspection_read(const char *path, struct inspection *inspection);
void inspection_release(struct inspection *inspection);

#endif
