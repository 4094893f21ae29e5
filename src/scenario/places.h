/* Where in the sources an instruction of a test program is, and which variable is at an address:
 * asked of addr2line and nm. */
#ifndef SCENARIO_PLACES_H
#define SCENARIO_PLACES_H

#include "scenario/command.h"

struct place {
    char *file; /* owned; null: not known */
    unsigned line;
};

/* The places of return addresses, null ones included; of code inlined from headers below /usr,
 * where it is inlined to. `places` has room for `count`; to be released with places_release. */
enum status places_find(const char *program, const void *const *addresses, size_t count,
                        struct budget *budget, struct place *places,
                        struct error *error) MUST_CHECK;
void places_release(struct place *places, size_t count);

/* The symbols of a program's variables, as nm lists them. */
enum status places_read_symbols(const char *program, struct budget *budget, struct text *symbols,
                                struct error *error) MUST_CHECK;

/* Appends what is at an address: "top", "ring+8"; false when no symbol is there. */
bool places_name(const struct text *symbols, const void *address, struct text *name);

#endif
