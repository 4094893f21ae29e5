/* From sources to a test program: compiled with -fsanitize=thread, looked through for what the
 * runtime does not see, bound to the runtime in place of libraries, and linked with it. Or, for
 * real threads, only compiled and linked with what calls the operations (stress/). */
#ifndef SCENARIO_BUILD_H
#define SCENARIO_BUILD_H

#include "scenario/command.h"

enum build_kind {
    BUILD_EXPLORED, /* bound to the runtime, by which every execution is gone through */
    BUILD_STRESSED, /* with real threads, which give way at atomic accesses */
    BUILD_PLAIN,    /* with real threads, as the compiler makes it */
};

struct build_settings {
    enum build_kind kind;
    const char *const *sources; /* .c, or .cc, .cpp, .cxx, .C, .c++ */
    size_t source_count;
    const char *const *flags; /* for compilers, and linker; -O2 unless one says how far */
    size_t flag_count;
    const char *runtime; /* the folder of runtime.o, stress.o and include/ */
    const char *folder;  /* exists, and is empty: for objects and the program */
    struct budget *budget;
};

/* Appends the path of the program, and the compilers and flags in words: "gcc -O2". STATUS_USAGE
 * for a source or a flag that is not taken, or a compiler that is not there; STATUS_INPUT for what
 * compilers complain of, and what cannot be tested. */
enum status build_program(const struct build_settings *settings, struct text *program,
                          struct text *compilers, struct error *error) MUST_CHECK;

#endif
