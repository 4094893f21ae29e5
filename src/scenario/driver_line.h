/* The command line of a compiler driver (gcc, clang) read: which of its words are sources, objects,
 * libraries and flags, and what it is to do. */
#ifndef SCENARIO_DRIVER_LINE_H
#define SCENARIO_DRIVER_LINE_H

#include "scenario/compiler.h"

enum driver_step {
    DRIVER_PASS,    /* preprocess, make assembly, tell of itself: nothing for us */
    DRIVER_COMPILE, /* -c */
    DRIVER_LINK,    /* a program */
};

enum driver_role {
    ROLE_FLAG,    /* for the compiler, perhaps for the linker too; or its argument */
    ROLE_LINKING, /* the same, for the linker alone */
    ROLE_STEP,    /* -c; -o and its argument; -x and its argument */
    ROLE_SOURCE,  /* of C or C++ */
    ROLE_OTHER,   /* another source, such as assembly: compiled as it is */
    ROLE_FILE,    /* anything else: an object, an archive, a shared library, a script */
    ROLE_LIBRARY, /* -lNAME */
};

struct driver_word {
    const char *text; /* borrowed */
    enum driver_role role;
    const char *language; /* of a source: what -x said; null: it is told by the suffix */
};

struct driver_line {
    VECTOR(struct driver_word) words;
    enum driver_step step;
    const char *output;         /* of -o; null: none is named */
    const char *linker_only;    /* "-shared", "-static": a flag of that kind; null */
    size_t sources;             /* of any kind */
    bool writes_dependencies;   /* -MD, -MMD */
    bool names_dependency_file; /* -MF */
    bool names_target;          /* -MT, -MQ */
};

/* Reads the words. STATUS_USAGE: a flag with which nothing can be tested; STATUS_LIMIT: memory. To
 * be released in every case. */
enum status driver_line_read(const char *const *words, size_t count, struct budget *budget,
                             struct driver_line *line, struct error *error) MUST_CHECK;
void driver_line_release(struct driver_line *line);

#endif
