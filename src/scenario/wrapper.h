/* `linchpin cc` and `linchpin c++`: a compiler for builds that are there already.
 *
 * Objects are instrumented, call libraries by their own names, and say of themselves how they were
 * made and what of them cannot be tested (scenario/inspection.h); they go into archives as others
 * do. What is linked of objects with tests becomes a test program: objects, and what they need of
 * archives, are joined into one, which is looked through, bound to the runtime and linked with it.
 * A program without tests is linked as the compiler does it, with callbacks that make each access
 * as the processor makes it: it runs as if nothing had been done to it. */
#ifndef SCENARIO_WRAPPER_H
#define SCENARIO_WRAPPER_H

#include "scenario/compiler.h"

struct wrapper_settings {
    const char *compiler;         /* the command that is behind it: "gcc" */
    const char *const *arguments; /* of the compiler driver */
    size_t argument_count;
    const char *runtime; /* the folder of runtime.o, plain.o and include/ */
    struct budget *budget;
};

/* Does what the command line says. What the compiler complains of goes to standard error, and
 * *exit_status is its own. STATUS_USAGE, STATUS_INPUT: what is not taken, what cannot be tested. */
enum status wrapper_run(const struct wrapper_settings *settings, int *exit_status,
                        struct error *error) MUST_CHECK;

#endif
