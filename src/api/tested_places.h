/* Where in the sources something is, in words. */
#ifndef API_TESTED_PLACES_H
#define API_TESTED_PLACES_H

#include "api/testing.h"
#include "scenario/places.h"

/* As places_find, in the program of the test. */
enum status tested_find_places(const struct testing *testing, const void *const *addresses,
                               size_t count, bool exact, struct place *places,
                               struct error *error) MUST_CHECK;

/* "locks.c" of a path. */
const char *tested_base_name(const char *path);

/* Appends " at locks.c:12", nothing if it is not known. */
void tested_append_place(const struct place *place, struct text *text);

#endif
