#include "code/objects.h"

#include <string.h>

#include "base/shared_words.h"

struct object_pool {
    struct budget *budget;
    struct shared_words items; /* number 0: the empty sequence */
};

struct object_pool *object_pool_create(struct budget *budget)
{
    struct object_pool *pool = memory_zeroed(budget, sizeof *pool);
    if (!pool)
        return NULL;
    pool->budget = budget;
    shared_words_init(&pool->items, budget);
    if (shared_words_intern(&pool->items, NULL, 0) != 0) {
        object_pool_destroy(pool);
        return NULL;
    }
    return pool;
}

void object_pool_destroy(struct object_pool *pool)
{
    if (!pool)
        return;
    shared_words_release(&pool->items);
    memory_release(pool->budget, pool, sizeof *pool);
}

const uint32_t *object_items(const struct object_pool *pool, object_id id, size_t *length)
{
    return shared_words_get(&pool->items, id, length);
}

object_id object_intern(struct object_pool *pool, const uint32_t *items, size_t length)
{
    return shared_words_intern(&pool->items, items, length);
}

/* ---- collections ---- */

enum action {
    ACTION_APPEND,
    ACTION_INSERT, /* in order, once */
    ACTION_REMOVE, /* the first of that value; answers whether there was one */
    ACTION_REMOVE_AT,
    ACTION_TAKE_FIRST,
    ACTION_TAKE_LAST,
    ACTION_FIRST,
    ACTION_LAST,
    ACTION_GET,
    ACTION_SET,
    ACTION_CONTAINS,
    ACTION_COUNT,
    ACTION_IS_EMPTY,
    ACTION_CLEAR,
};

static const struct method {
    uint8_t collection, arguments, action;
    const char *name;
} methods[] = {
    {COLLECTION_LIST, 1, ACTION_APPEND, "Add"},
    {COLLECTION_LIST, 1, ACTION_REMOVE, "Remove"},
    {COLLECTION_LIST, 1, ACTION_REMOVE_AT, "RemoveAt"},
    {COLLECTION_LIST, 1, ACTION_GET, "Get"},
    {COLLECTION_LIST, 2, ACTION_SET, "Set"},
    {COLLECTION_LIST, 1, ACTION_CONTAINS, "Contains"},
    {COLLECTION_LIST, 0, ACTION_COUNT, "Count"},
    {COLLECTION_LIST, 0, ACTION_IS_EMPTY, "IsEmpty"},
    {COLLECTION_LIST, 0, ACTION_CLEAR, "Clear"},
    {COLLECTION_SET, 1, ACTION_INSERT, "Add"},
    {COLLECTION_SET, 1, ACTION_REMOVE, "Remove"},
    {COLLECTION_SET, 1, ACTION_CONTAINS, "Contains"},
    {COLLECTION_SET, 0, ACTION_COUNT, "Count"},
    {COLLECTION_SET, 0, ACTION_COUNT, "Size"},
    {COLLECTION_SET, 0, ACTION_IS_EMPTY, "IsEmpty"},
    {COLLECTION_SET, 0, ACTION_CLEAR, "Clear"},
    {COLLECTION_QUEUE, 1, ACTION_APPEND, "Enqueue"},
    {COLLECTION_QUEUE, 0, ACTION_TAKE_FIRST, "Dequeue"},
    {COLLECTION_QUEUE, 0, ACTION_FIRST, "First"},
    {COLLECTION_QUEUE, 0, ACTION_FIRST, "Peek"},
    {COLLECTION_QUEUE, 1, ACTION_CONTAINS, "Contains"},
    {COLLECTION_QUEUE, 0, ACTION_COUNT, "Count"},
    {COLLECTION_QUEUE, 0, ACTION_IS_EMPTY, "IsEmpty"},
    {COLLECTION_QUEUE, 0, ACTION_CLEAR, "Clear"},
    {COLLECTION_STACK, 1, ACTION_APPEND, "Push"},
    {COLLECTION_STACK, 0, ACTION_TAKE_LAST, "Pop"},
    {COLLECTION_STACK, 0, ACTION_LAST, "Peek"},
    {COLLECTION_STACK, 0, ACTION_LAST, "Top"},
    {COLLECTION_STACK, 1, ACTION_CONTAINS, "Contains"},
    {COLLECTION_STACK, 0, ACTION_COUNT, "Count"},
    {COLLECTION_STACK, 0, ACTION_IS_EMPTY, "IsEmpty"},
    {COLLECTION_STACK, 0, ACTION_CLEAR, "Clear"},
};

enum collection collection_find(const char *name)
{
    static const char *const names[] = {"", "List", "Set", "Queue", "Stack"};
    for (size_t i = 1; i < ARRAY_LENGTH(names); i++)
        if (strcmp(names[i], name) == 0)
            return (enum collection)i;
    return COLLECTION_NONE;
}

int method_find(enum collection collection, const char *name, size_t arguments)
{
    for (size_t i = 0; i < ARRAY_LENGTH(methods); i++)
        if (methods[i].collection == collection && methods[i].arguments == arguments &&
            strcmp(methods[i].name, name) == 0)
            return (int)i;
    return -1;
}

#define SLOT_OF_FALSE      ((uint32_t)INT32_MIN)
#define SLOT_OF(condition) (SLOT_OF_FALSE + ((condition) ? 1 : 0))

struct edit {
    struct object_pool *pool;
    const uint32_t *items;
    size_t length;
};

/* The object with items[at] taken out (`gap` 1) or `inserted` put before it (`gap` 0). */
static object_id edit_at(const struct edit *edit, size_t at, size_t gap, uint32_t inserted)
{
    size_t length = gap ? edit->length - 1 : edit->length + 1;
    uint32_t *items = memory_allocate(edit->pool->budget, length * sizeof *items);
    if (!items)
        return OBJECT_REFUSED;
    if (at)
        memcpy(items, edit->items, at * sizeof *items);
    size_t rest = edit->length - at - gap;
    if (rest)
        memcpy(items + at + !gap, edit->items + at + gap, rest * sizeof *items);
    if (!gap)
        items[at] = inserted;
    object_id id = object_intern(edit->pool, items, length);
    memory_release(edit->pool->budget, items, length * sizeof *items);
    return id;
}

static object_id edit_set(const struct edit *edit, size_t at, uint32_t value)
{
    size_t size = edit->length * sizeof *edit->items;
    uint32_t *items = memory_allocate(edit->pool->budget, size);
    if (!items)
        return OBJECT_REFUSED;
    memcpy(items, edit->items, size);
    items[at] = value;
    object_id id = object_intern(edit->pool, items, edit->length);
    memory_release(edit->pool->budget, items, size);
    return id;
}

bool method_apply(struct object_pool *pool, int method, object_id object, const uint32_t *arguments,
                  object_id *after, uint32_t *answer, const char **message)
{
    struct edit edit = {.pool = pool};
    edit.items = object_items(pool, object, &edit.length);
    enum action action = (enum action)methods[method].action;
    size_t found = 0;
    *after = object;
    *answer = 0;
    while (found < edit.length && edit.items[found] != arguments[0])
        found++;
    bool needs_one = action == ACTION_TAKE_FIRST || action == ACTION_TAKE_LAST ||
                     action == ACTION_FIRST || action == ACTION_LAST;
    bool needs_index = action == ACTION_GET || action == ACTION_SET || action == ACTION_REMOVE_AT;
    if (needs_one && edit.length == 0)
        return *message = "expected an element, found an empty collection", false;
    if (needs_index && arguments[0] >= edit.length)
        return *message = "expected an index into the list, found one outside it", false;
    switch (action) {
    case ACTION_APPEND:
        *after = edit_at(&edit, edit.length, 0, arguments[0]);
        break;
    case ACTION_INSERT:
        for (found = 0; found < edit.length && (int32_t)edit.items[found] < (int32_t)arguments[0];)
            found++;
        if (found == edit.length || edit.items[found] != arguments[0])
            *after = edit_at(&edit, found, 0, arguments[0]);
        break;
    case ACTION_REMOVE:
        *answer = SLOT_OF(found < edit.length);
        if (found < edit.length)
            *after = edit_at(&edit, found, 1, 0);
        break;
    case ACTION_REMOVE_AT:
        *after = edit_at(&edit, arguments[0], 1, 0);
        break;
    case ACTION_TAKE_FIRST:
    case ACTION_TAKE_LAST:
        found = action == ACTION_TAKE_FIRST ? 0 : edit.length - 1;
        *answer = edit.items[found];
        *after = edit_at(&edit, found, 1, 0);
        break;
    case ACTION_FIRST:
        *answer = edit.items[0];
        break;
    case ACTION_LAST:
        *answer = edit.items[edit.length - 1];
        break;
    case ACTION_GET:
        *answer = edit.items[arguments[0]];
        break;
    case ACTION_SET:
        *after = edit_set(&edit, arguments[0], arguments[1]);
        break;
    case ACTION_CONTAINS:
        *answer = SLOT_OF(found < edit.length);
        break;
    case ACTION_COUNT:
        *answer = (uint32_t)edit.length;
        break;
    case ACTION_IS_EMPTY:
        *answer = SLOT_OF(edit.length == 0);
        break;
    case ACTION_CLEAR:
        *after = 0;
        break;
    }
    return true;
}
