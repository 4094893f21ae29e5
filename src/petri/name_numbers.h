/* Numbers names in the order in which they come, and finds them again. */
#ifndef PETRI_NAME_NUMBERS_H
#define PETRI_NAME_NUMBERS_H

#include "base/table.h"
#include "base/vector.h"

#define NAME_NONE UINT32_MAX

struct name {
    const char *text; /* not owned */
    size_t length;
};

struct name_numbers {
    VECTOR(struct name) items;
    struct table table;
};

void name_numbers_init(struct name_numbers *names, struct budget *budget);
void name_numbers_release(struct name_numbers *names);

/* The number of a name; NAME_NONE: it is not there. */
uint32_t name_numbers_find(const struct name_numbers *names, const char *text, size_t length);

/* Adds a name that is not there, of a text that outlives the names; its number is then
 * names->items.length - 1. False when memory is refused. */
bool name_numbers_add(struct name_numbers *names, const char *text, size_t length) MUST_CHECK;

#endif
