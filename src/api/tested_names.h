/* Memory of a test program as its code calls it: "head", "queue+16", "object+8", "block 1 of
 * locks.c:12+8", "stack of thread 2-40". */
#ifndef API_TESTED_NAMES_H
#define API_TESTED_NAMES_H

#include "api/tested_places.h"

struct names {
    struct text symbols;
    const struct exchange_result *result;
    const struct place *blocks; /* where each was asked for */
};

/* Appends the name of an address; false when it has none. */
bool names_append(const struct names *names, const void *address, struct text *text);

/* Appends a value of that many bytes: an address by its name, else in decimal, small negative ones
 * as such. */
void names_append_value(const struct names *names, uint64_t stored, unsigned size,
                        struct text *text);

#endif
