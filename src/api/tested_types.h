/* Of what type the blocks of a test program's heap are. */
#ifndef API_TESTED_TYPES_H
#define API_TESTED_TYPES_H

#include "api/testing.h"
#include "scenario/debug_types.h"

/* A type for each block, null where it is not known: by where the block was asked for, which
 * `places` tells; else by what points to it. An address that an access of the graph reads or writes
 * where a pointer to some type stands is one of a block of that type; of two types it is neither.
 */
void tested_find_types(const struct debug_info *info, const struct exchange_result *result,
                       const struct place *places, const struct debug_entry **types);

#endif
