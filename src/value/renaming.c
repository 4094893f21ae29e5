#include "value/renaming.h"

#include "base/memory.h"

static value rename_items(const struct renaming *renaming, struct value_pool *pool, value v)
{
    size_t length;
    struct budget *budget = value_pool_budget(pool);
    const value *items = value_get_items(v, &length);
    value *renamed = memory_allocate(budget, length * sizeof *renamed), result = VALUE_REFUSED;
    if (!renamed)
        return VALUE_REFUSED;
    bool room = true;
    for (size_t i = 0; i < length && room; i++) {
        renamed[i] = renaming_apply(renaming, pool, items[i]);
        room = renamed[i] != VALUE_REFUSED;
    }
    enum value_kind kind = value_kind_of(v);
    if (room)
        result = kind == KIND_LIST  ? value_list(pool, renamed, length)
                 : kind == KIND_SET ? value_set(pool, renamed, length)
                                    : value_map(pool, renamed, length);
    memory_release(budget, renamed, length * sizeof *renamed);
    return result;
}

value renaming_apply(const struct renaming *renaming, struct value_pool *pool, value v)
{
    switch (value_kind_of(v)) {
    case KIND_INTEGER: {
        int64_t integer;
        value_get_integer(v, &integer);
        bool named = integer >= 1 && integer <= (int64_t)renaming->count;
        return named ? value_small(renaming->to[integer - 1]) : v;
    }
    case KIND_LIST:
    case KIND_SET:
    case KIND_MAP:
        return rename_items(renaming, pool, v);
    default:
        return v;
    }
}
