#include "stream/unseen.h"

#include "base/hash.h"

void unseen_init(struct unseen *unseen, struct budget *budget)
{
    running_init(&unseen->additions, budget);
    table_init(&unseen->by_value, budget);
}

void unseen_release(struct unseen *unseen)
{
    running_release(&unseen->additions);
    table_release(&unseen->by_value);
}

static uint32_t find(const struct unseen *unseen, value v)
{
    struct table_search search = table_search(&unseen->by_value, hash_word(v));
    while (table_next(&search))
        if (unseen->additions.items.items[search.number].detail == v)
            return search.number;
    return RUNNING_NONE;
}

bool unseen_add(struct unseen *unseen, value v, uint64_t invoked, uint64_t serial)
{
    const uint32_t number = running_insert(&unseen->additions, invoked, serial);
    if (number == RUNNING_NONE)
        return false;
    unseen->additions.items.items[number].detail = v;
    unseen->additions.items.items[number].pending = true;
    if (table_add(&unseen->by_value, hash_word(v), number))
        return true;
    running_remove(&unseen->additions, number);
    return false;
}

bool unseen_has(const struct unseen *unseen, value v)
{
    return find(unseen, v) != RUNNING_NONE;
}

bool unseen_take(struct unseen *unseen, value v, struct running_operation *addition)
{
    const uint32_t number = find(unseen, v);
    if (number == RUNNING_NONE)
        return false;
    *addition = unseen->additions.items.items[number];
    table_remove(&unseen->by_value, hash_word(v), number);
    running_remove(&unseen->additions, number);
    return true;
}

bool unseen_each(const struct unseen *unseen, const struct online_visitor *visitor)
{
    return running_each(&unseen->additions, visitor);
}

void unseen_archive(struct archive *archive, struct unseen *unseen)
{
    const struct running *additions = &unseen->additions;
    running_archive(archive, &unseen->additions, true);
    for (uint32_t i = additions->first;
         archive_reads(archive) && archive->status == STATUS_OK && i != RUNNING_NONE;
         i = additions->items.items[i].after)
        if (!table_add(&unseen->by_value, hash_word(additions->items.items[i].detail), i))
            archive_fail(archive, STATUS_LIMIT);
}
