/* Which seeds a random test takes. */
#ifndef TESTS_SUPPORT_SEEDS_H
#define TESTS_SUPPORT_SEEDS_H

#include <stdint.h>

struct seeds {
    uint64_t first;
    unsigned count;
};

/* `test_NAME [FIRST [COUNT]]`: what is given replaces what is usual. A word that is no number ends
 * the program. */
void seeds_from_arguments(struct seeds *seeds, int count, char **arguments);

#endif
