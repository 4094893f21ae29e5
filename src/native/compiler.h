/* The system's C compiler: `cc`, or what the environment's CC says, with options of its own. */
#ifndef NATIVE_COMPILER_H
#define NATIVE_COMPILER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/text.h"

struct native_compiler {
    struct text command;  /* the words of CC, each followed by a zero byte */
    struct text identity; /* of the program: where it is, its size and age, all its words */
};

/* Looks for the compiler along PATH; false: there is none, and compiler->command is its name. */
bool native_compiler_find(struct native_compiler *compiler) MUST_CHECK;
void native_compiler_release(struct native_compiler *compiler);

/* Begins to compile `source` to the shared library `library`, without a word. 0 when that cannot be
 * done; else the process, for native_compiler_wait or native_compiler_stop. */
pid_t native_compiler_begin(const struct native_compiler *compiler, const char *source,
                            const char *library);

enum native_compiling {
    NATIVE_COMPILING,
    NATIVE_COMPILED,
    NATIVE_NOT_COMPILED,
};

/* How far it is; with `wait`, not before it has come to its end. */
enum native_compiling native_compiler_wait(pid_t process, bool wait);

/* Ends it and all that it started. It may take its temporary files away, but not for ever: after a
 * second it is killed. */
void native_compiler_stop(pid_t process);

#endif
