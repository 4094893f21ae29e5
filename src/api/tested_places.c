#include "api/tested_places.h"

#include <string.h>

enum status tested_find_places(const struct testing *testing, const void *const *addresses,
                               size_t count, bool exact, struct place *places, struct error *error)
{
    const lp_program *program = testing->program;
    return places_find(text_string(&program->path), addresses, count, exact,
                       &program->context->budget, places, error);
}

const char *tested_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void tested_append_place(const struct place *place, struct text *text)
{
    if (place->file)
        text_format(text, " at %s:%u", tested_base_name(place->file), place->line);
}
