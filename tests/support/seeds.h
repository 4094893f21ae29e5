/* Which seeds a random test takes. */
#ifndef TESTS_SUPPORT_SEEDS_H
#define TESTS_SUPPORT_SEEDS_H

#include <stdbool.h>
#include <stdint.h>

struct seeds {
    uint64_t first;
    unsigned count;
};

/* `test_NAME [FIRST [COUNT]]`: what is given replaces what is usual. A word that is no number ends
 * the program. */
void seeds_from_arguments(struct seeds *seeds, int count, char **arguments);

/* Whether something was met that comes once in `one_in` tries, or more often; or so few were made
 * that it need not have been: of enough it is missed once in e^16, nine million. */
static inline bool seeds_met(uint64_t met, uint64_t tries, uint64_t one_in)
{
    return met > 0 || tries < 16 * one_in;
}

#endif
