/* The symbols that objects of the code under test leave undefined: what the runtime defines for
 * compilers (__tsan_...), what it puts in place of functions of libraries, what is known to be
 * harmless; and all else, which is refused. */
#ifndef SCENARIO_SYMBOLS_H
#define SCENARIO_SYMBOLS_H

#include "scenario/command.h"

/* What a main of the code under test is called, which nobody calls: test files need none. */
#define SYMBOLS_MAIN "linchpin_bound_main"

struct symbols {
    struct text names; /* of the runtime's symbols, a line each; so are the rest */
    struct text defined, strong, undefined; /* by the objects; `strong`: defined, and not weak */
    struct budget *budget;
};

/* Reads what the runtime, an object file, defines, and what `count` objects, at least one, define
 * and leave undefined. */
enum status symbols_read(const char *runtime, const char *const *objects, size_t count,
                         struct budget *budget, struct symbols *symbols,
                         struct error *error) MUST_CHECK;
void symbols_release(struct symbols *symbols);

/* Appends the file of objcopy --redefine-syms: a line for each name that stands for another. Of
 * symbols that were not read (zeros) it is that of main alone. */
void symbols_write_map(const struct symbols *symbols, struct text *map);

/* Looks at the undefined symbols of the objects that were read, together: STATUS_INPUT, with the
 * name of the first that is none of these, and what is known of it. The message has the place of a
 * call, where it is known. */
enum status symbols_check(const struct symbols *symbols, const char *const *objects, size_t count,
                          struct error *error) MUST_CHECK;

#endif
