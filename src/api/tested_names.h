/* Memory of a test program as its code calls it: "head", "queue.slots[2]", "object->top", "block 1
 * of locks.c:12->next", "stack of thread 2-40". Where the type is not known: "object+8". */
#ifndef API_TESTED_NAMES_H
#define API_TESTED_NAMES_H

#include "api/testing.h"
#include "scenario/debug_types.h"
#include "scenario/places.h"

struct memory_names {
    struct text symbols;
    const struct exchange_result *result;
    struct place blocks[EXCHANGE_BLOCKS]; /* where each was asked for */
    struct debug_info types;
    const struct debug_entry *block_types[EXCHANGE_BLOCKS]; /* null: not known */
};

/* Finds what there is; to be released whatever the status. */
enum status memory_names_open(const struct testing *testing, const struct exchange_result *result,
                              struct memory_names *names, struct error *error) MUST_CHECK;
void memory_names_release(struct memory_names *names);

/* Appends the name of so many bytes at an address; false when it has none. 0: of what begins there,
 * "&queue.slots[2]" if that is not all of it. */
bool memory_names_append(const struct memory_names *names, const void *address, unsigned size,
                         struct text *text);

/* Appends a value of that many bytes: an address by its name, else in decimal, small negative ones
 * as such; one of 16 bytes as two of 8. */
void memory_names_append_value(const struct memory_names *names, memory_value stored, unsigned size,
                               struct text *text);

/* As places_find, in the program of the test. */
enum status tested_find_places(const struct testing *testing, const void *const *addresses,
                               size_t count, struct place *places, struct error *error) MUST_CHECK;

/* "locks.c" of a path. */
const char *tested_base_name(const char *path);

/* Appends " at locks.c:12", nothing if it is not known. */
void tested_append_place(const struct place *place, struct text *text);

#endif
