#include "base/recall.h"

#define FIRST_CAPACITY ((size_t)SIZE_OR_SMALL(64, 1))

void recall_release(struct recall *recall)
{
    memory_release(recall->budget, recall->entries, recall->capacity * sizeof *recall->entries);
    recall_init(recall, recall->budget);
}

static bool grow(struct recall *recall)
{
    struct recall larger = {.budget = recall->budget,
                            .capacity = recall->capacity ? 4 * recall->capacity : FIRST_CAPACITY};
    const size_t size = larger.capacity * sizeof *larger.entries;
    larger.entries = memory_allocate(recall->budget, size);
    if (!larger.entries)
        return false;
    memset(larger.entries, 0xff, size); /* RECALL_NOTHING */
    for (size_t i = 0; i < recall->capacity; i++)
        if (recall->entries[i].by[0] != RECALL_NOTHING)
            *recall_place(&larger, recall->entries[i].by) = recall->entries[i];
    recall_release(recall);
    *recall = larger;
    return true;
}

bool recall_put(struct recall *recall, const uint32_t by[3], uint32_t what, uint32_t more)
{
    if (recall->put >= 2 * recall->capacity && recall->capacity < RECALL_MOST && !grow(recall))
        return false;
    recall->put++;
    assert(recall->capacity > 0 && recall->capacity <= RECALL_MOST);
    struct recall_entry *entry = recall_place(recall, by);
    memcpy(entry->by, by, sizeof entry->by);
    entry->what[0] = what;
    entry->what[1] = more;
    return true;
}
