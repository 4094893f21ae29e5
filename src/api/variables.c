#include "api/variables.h"

#include <string.h>

/* Where the value that begins at `text` ends: at a comma outside brackets. */
static size_t value_length(const char *text)
{
    unsigned depth = 0;
    size_t at = 0;
    for (; text[at] && !(depth == 0 && text[at] == ','); at++) {
        depth += strchr("[{(<", text[at]) != NULL;
        depth -= depth && strchr("]})>", text[at]) != NULL;
    }
    return at;
}

enum status variables_split(struct arena *arena, const char *shown, const lp_variable **variables,
                            size_t *count)
{
    size_t room = 1;
    *count = 0;
    for (const char *at = shown ? shown : ""; *at; at++)
        room += *at == ',';
    lp_variable *list = arena_allocate(arena, room * sizeof *list);
    TRY_MEMORY(list);
    *variables = list;
    while (shown && *shown) {
        const char *between = strstr(shown, " = ");
        if (!between)
            return STATUS_INTERNAL;
        size_t length = value_length(between + 3);
        list[*count] =
            (lp_variable){.name = arena_copy_text(arena, shown, (size_t)(between - shown)),
                          .value = arena_copy_text(arena, between + 3, length)};
        TRY_MEMORY(list[*count].name && list[*count].value);
        ++*count;
        shown = between + 3 + length;
        shown += strspn(shown, ", ");
    }
    return STATUS_OK;
}

bool variables_equal(const lp_variable *left, size_t left_count, const lp_variable *right,
                     size_t right_count)
{
    bool equal = left_count == right_count;
    for (size_t i = 0; i < left_count && equal; i++)
        equal =
            strcmp(left[i].name, right[i].name) == 0 && strcmp(left[i].value, right[i].value) == 0;
    return equal;
}
