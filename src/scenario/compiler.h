/* The compilers of C and C++, how they are told to instrument, and which flags are not taken. */
#ifndef SCENARIO_COMPILER_H
#define SCENARIO_COMPILER_H

#include "scenario/command.h"

enum language {
    LANGUAGE_C,
    LANGUAGE_CXX,
    LANGUAGE_NONE
};

struct compiler {
    char *command; /* may have several words: "ccache gcc"; owned; null: not looked for yet */
    char *words;   /* the same, cut into words; owned */
    bool is_clang;
};

/* By the suffix: .c; .cc, .cpp, .cxx, .C, .c++. */
enum language language_of(const char *source);

/* Looks whether a command is there, and which compiler it is. STATUS_USAGE, STATUS_INPUT: it cannot
 * be run, or not as a compiler. */
enum status compiler_find(const char *command, struct budget *budget, struct compiler *compiler,
                          struct error *error) MUST_CHECK;
void compiler_release(struct compiler *compiler);

/* Appends the words of the command. False when refused, as of the next ones. */
bool compiler_add(const struct compiler *compiler, struct words *words) MUST_CHECK;

/* Appends what makes the compiler call the runtime at each access. `header`: the runtime's
 * instrumented.h; null: atomic accesses are enough. */
bool compiler_add_instrumentation(const struct compiler *compiler, const char *header,
                                  struct words *words) MUST_CHECK;

/* Appends what links a program whose accesses are explored with the library of C++, if it has it.
 */
bool compiler_add_linking(const struct compiler *compiler, struct words *words) MUST_CHECK;

/* Whether one of the flags chooses how far to optimise. */
bool flags_optimise(const char *const *flags, size_t count);

/* STATUS_USAGE, with the reason, for a flag with which nothing could be tested. `linking`: it may
 * also be one for the linker that makes no program. */
enum status flag_check(const char *flag, struct error *error) MUST_CHECK;

#endif
