/* Structures that gcc passes by value, and those that it stores as a call returns them: their
 * accesses are part of the call, and it instruments none of them (clang does). They are found in
 * what gcc tells of the pass that instruments. */
#ifndef SCENARIO_UNSEEN_CALLS_H
#define SCENARIO_UNSEEN_CALLS_H

#include "scenario/command.h"

struct unseen_calls_flags {
    struct text optimised, plain;
};

/* Has gcc tell it, beside the assembly that it makes; the flags must outlive the words. False when
 * refused. */
bool unseen_calls_ask(const char *assembly, struct unseen_calls_flags *flags,
                      struct words *words) MUST_CHECK;
void unseen_calls_release(struct unseen_calls_flags *flags);

/* Looks through what was told, `path` being that of the assembly: STATUS_INPUT, with the line, for
 * such a structure that is no variable of the function itself. (Headers of the system are left out:
 * their small functions, unless they are optimised, have many that no two threads share.) */
enum status unseen_calls_check(const char *source, const char *path, const char *assembly,
                               struct error *error) MUST_CHECK;

#endif
