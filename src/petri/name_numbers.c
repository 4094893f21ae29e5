#include "petri/name_numbers.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

void name_numbers_init(struct name_numbers *names, struct budget *budget)
{
    vector_init(&names->items, budget);
    table_init(&names->table, budget);
}

void name_numbers_release(struct name_numbers *names)
{
    vector_release(&names->items);
    table_release(&names->table);
}

uint32_t name_numbers_find(const struct name_numbers *names, const char *text, size_t length)
{
    struct table_search search = table_search(&names->table, hash_bytes(text, length, 0));
    while (table_next(&search)) {
        const struct name *found = &names->items.items[search.number];
        if (found->length == length && memcmp(found->text, text, length) == 0)
            return search.number;
    }
    return NAME_NONE;
}

bool name_numbers_add(struct name_numbers *names, const char *text, size_t length)
{
    struct name name = {text, length};
    assert(name_numbers_find(names, text, length) == NAME_NONE);
    return vector_push(&names->items, name) &&
           table_add(&names->table, hash_bytes(text, length, 0), (uint32_t)names->items.length - 1);
}
