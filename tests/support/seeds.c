#include "support/seeds.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t number_from(const char *word)
{
    char *end;
    uint64_t found = strtoull(word, &end, 10);
    if (end == word || *end) {
        fprintf(stderr, "expected a number, found `%s`: [FIRST_SEED [COUNT]]\n", word);
        exit(2);
    }
    return found;
}

void seeds_from_arguments(struct seeds *seeds, int count, char **arguments)
{
    if (count > 1)
        seeds->first = number_from(arguments[1]);
    if (count > 2)
        seeds->count = (unsigned)number_from(arguments[2]);
}
