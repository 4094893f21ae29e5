/* Of what type memory of a test program is, and which member of it is where. */
#ifndef SCENARIO_DEBUG_TYPES_H
#define SCENARIO_DEBUG_TYPES_H

#include "scenario/debug_info.h"
#include "scenario/places.h"

/* Bytes within memory of some type. */
struct debug_part {
    const struct debug_entry *type; /* null: not known */
    uint64_t offset;                /* from the start of the type */
};

/* The type of the variable that is at an address, and where in it that is. */
struct debug_part debug_find_variable(const struct debug_info *info, const void *address);

/* The type of a block that was asked for, `at` that return address, at that place: that of
 * `struct node *n = malloc(...)`, when exactly one kind of pointer to something that fits is
 * declared on its line; or that of the class that a function `make<Class>` makes. Null: not known.
 */
const struct debug_entry *debug_find_made(const struct debug_info *info, const struct place *place,
                                          const void *at, uint64_t size);

/* In bytes, 0: not known; and whether it ends with an array that has no length, so that memory of
 * it may be larger. */
uint64_t debug_type_size(const struct debug_info *info, const struct debug_entry *type);
bool debug_type_is_open(const struct debug_info *info, const struct debug_entry *type);

/* Whether a block of that many bytes may be one of the type, or several. */
bool debug_type_fits(const struct debug_info *info, const struct debug_entry *type, uint64_t size);

/* What the pointer that is these bytes points to; null: it is no pointer, or to anything. */
const struct debug_entry *debug_find_target(const struct debug_info *info, struct debug_part part);

/* Whether both are the same type: each source has its own entries. */
bool debug_type_equals(const struct debug_entry *one, const struct debug_entry *other);

/* Appends the way to bytes of that many: ".top", "[3].number". What is left is the offset from
 * what the way leads to: members whose names are reserved (those of std::atomic, of a mutex) are
 * none that the code names. `size` 0: the way to what begins there, which may be all of it. */
uint64_t debug_append_part(const struct debug_info *info, struct debug_part part, uint64_t size,
                           struct text *text);

#endif
