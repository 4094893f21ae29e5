/* Collections are short: every method goes through the items from the first on. */
#include "code/collections.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

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
    /* Of two collections: makes one, */
    ACTION_CONCATENATE,
    ACTION_UNITE,
    ACTION_SUBTRACT,
    ACTION_INTERSECT,
    /* or compares. */
    ACTION_IS_DISJOINT,
    ACTION_OVERLAPS,
    /* Of keys with values. */
    ACTION_ENTER, /* a key that is there keeps its value */
    ACTION_HAS_KEY,
    ACTION_VALUE_OF,
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
    {COLLECTION_LIST, 2, ACTION_CONCATENATE, "Concat"},
    {COLLECTION_SET, 1, ACTION_INSERT, "Add"},
    {COLLECTION_SET, 1, ACTION_REMOVE, "Remove"},
    {COLLECTION_SET, 1, ACTION_CONTAINS, "Contains"},
    {COLLECTION_SET, 0, ACTION_COUNT, "Count"},
    {COLLECTION_SET, 0, ACTION_COUNT, "Size"},
    {COLLECTION_SET, 0, ACTION_IS_EMPTY, "IsEmpty"},
    {COLLECTION_SET, 0, ACTION_CLEAR, "Clear"},
    {COLLECTION_SET, 2, ACTION_UNITE, "Union"},
    {COLLECTION_SET, 2, ACTION_SUBTRACT, "Substract"}, /* PAT's spelling */
    {COLLECTION_SET, 2, ACTION_SUBTRACT, "Subtract"},
    {COLLECTION_SET, 2, ACTION_INTERSECT, "Intersect"},
    {COLLECTION_SET, 1, ACTION_IS_DISJOINT, "IsDisjoint"},
    {COLLECTION_SET, 1, ACTION_OVERLAPS, "IsOverlapping"},
    {COLLECTION_QUEUE, 1, ACTION_APPEND, "Enqueue"},
    {COLLECTION_QUEUE, 0, ACTION_TAKE_FIRST, "Dequeue"},
    {COLLECTION_QUEUE, 0, ACTION_FIRST, "First"},
    {COLLECTION_QUEUE, 0, ACTION_FIRST, "Peek"},
    {COLLECTION_QUEUE, 0, ACTION_LAST, "Last"},
    {COLLECTION_QUEUE, 1, ACTION_CONTAINS, "Contains"},
    {COLLECTION_QUEUE, 0, ACTION_COUNT, "Count"},
    {COLLECTION_QUEUE, 0, ACTION_IS_EMPTY, "IsEmpty"},
    {COLLECTION_QUEUE, 0, ACTION_CLEAR, "Clear"},
    {COLLECTION_QUEUE, 2, ACTION_CONCATENATE, "Concat"},
    {COLLECTION_STACK, 1, ACTION_APPEND, "Push"},
    {COLLECTION_STACK, 0, ACTION_TAKE_LAST, "Pop"},
    {COLLECTION_STACK, 0, ACTION_LAST, "Peek"},
    {COLLECTION_STACK, 0, ACTION_LAST, "Top"},
    {COLLECTION_STACK, 1, ACTION_CONTAINS, "Contains"},
    {COLLECTION_STACK, 0, ACTION_COUNT, "Count"},
    {COLLECTION_STACK, 0, ACTION_IS_EMPTY, "IsEmpty"},
    {COLLECTION_STACK, 0, ACTION_CLEAR, "Clear"},
    {COLLECTION_STACK, 2, ACTION_CONCATENATE, "Concat"},
    {COLLECTION_HASH_TABLE, 2, ACTION_ENTER, "Add"},
    {COLLECTION_HASH_TABLE, 1, ACTION_HAS_KEY, "ContainsKey"},
    {COLLECTION_HASH_TABLE, 1, ACTION_VALUE_OF, "GetValue"},
};

static const struct {
    const char *name;
    uint8_t collection;
} types[] = {
    {"List", COLLECTION_LIST},   {"SerializableList", COLLECTION_LIST},
    {"Set", COLLECTION_SET},     {"Queue", COLLECTION_QUEUE},
    {"Stack", COLLECTION_STACK}, {"HashTable", COLLECTION_HASH_TABLE},
};

enum collection collection_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (strcmp(types[i].name, name) == 0)
            return (enum collection)types[i].collection;
    return COLLECTION_NONE;
}

bool collection_has_field(enum collection collection, const char *name)
{
    return collection == COLLECTION_LIST &&
           (strcmp(name, "Field") == 0 || strcmp(name, "Property") == 0);
}

int method_find(enum collection collection, const char *name, size_t arguments)
{
    for (size_t i = 0; i < ARRAY_LENGTH(methods); i++)
        if (methods[i].collection == collection && methods[i].arguments == arguments &&
            strcmp(methods[i].name, name) == 0)
            return (int)i;
    return -1;
}

bool method_takes_collections(int method)
{
    return methods[method].action >= ACTION_CONCATENATE &&
           methods[method].action <= ACTION_OVERLAPS;
}

bool method_answers_collection(int method)
{
    return methods[method].action >= ACTION_CONCATENATE &&
           methods[method].action <= ACTION_INTERSECT;
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
    uint32_t *items = memory_allocate(object_pool_budget(edit->pool), length * sizeof *items);
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
    memory_release(object_pool_budget(edit->pool), items, length * sizeof *items);
    return id;
}

static object_id edit_set(const struct edit *edit, size_t at, uint32_t value)
{
    size_t size = edit->length * sizeof *edit->items;
    uint32_t *items = memory_allocate(object_pool_budget(edit->pool), size);
    if (!items)
        return OBJECT_REFUSED;
    memcpy(items, edit->items, size);
    items[at] = value;
    object_id id = object_intern(edit->pool, items, edit->length);
    memory_release(object_pool_budget(edit->pool), items, size);
    return id;
}

/* ---- two collections ---- */

static bool has(const uint32_t *items, size_t length, uint32_t item)
{
    for (size_t i = 0; i < length; i++)
        if (items[i] == item)
            return true;
    return false;
}

/* The items of `left` that are in `right`, or those that are not. */
static size_t select_items(const struct edit *left, const struct edit *right, bool common,
                           uint32_t *made)
{
    size_t count = 0;
    for (size_t i = 0; i < left->length; i++)
        if (has(right->items, right->length, left->items[i]) == common)
            made[count++] = left->items[i];
    return count;
}

/* Merges two ascending sequences without duplicates into one. */
static size_t unite(const struct edit *left, const struct edit *right, uint32_t *made)
{
    size_t count = 0, i = 0, j = 0;
    while (i < left->length || j < right->length) {
        bool first = j == right->length ||
                     (i < left->length && (int32_t)left->items[i] <= (int32_t)right->items[j]);
        uint32_t item = first ? left->items[i++] : right->items[j++];
        if (count == 0 || made[count - 1] != item)
            made[count++] = item;
    }
    return count;
}

static size_t concatenate(const struct edit *left, const struct edit *right, uint32_t *made)
{
    if (left->length)
        memcpy(made, left->items, left->length * sizeof *made);
    if (right->length)
        memcpy(made + left->length, right->items, right->length * sizeof *made);
    return left->length + right->length;
}

static object_id combine(struct object_pool *pool, enum action action, const object_id *objects)
{
    struct edit left = {.pool = pool}, right = {.pool = pool};
    left.items = object_items(pool, objects[0], &left.length);
    right.items = object_items(pool, objects[1], &right.length);
    size_t room = left.length + right.length;
    if (room == 0)
        return 0;
    uint32_t *made = memory_allocate(object_pool_budget(pool), room * sizeof *made);
    if (!made)
        return OBJECT_REFUSED;
    size_t length = action == ACTION_UNITE ? unite(&left, &right, made)
                    : action == ACTION_CONCATENATE
                        ? concatenate(&left, &right, made)
                        : select_items(&left, &right, action == ACTION_INTERSECT, made);
    assert(length <= room);
    object_id id = object_intern(pool, made, length);
    memory_release(object_pool_budget(pool), made, room * sizeof *made);
    return id;
}

static bool overlap(const struct object_pool *pool, object_id one, object_id other)
{
    size_t length, others;
    const uint32_t *items = object_items(pool, one, &length);
    const uint32_t *other_items = object_items(pool, other, &others);
    for (size_t i = 0; i < length; i++)
        if (has(other_items, others, items[i]))
            return true;
    return false;
}

/* ---- keys and values ---- */

/* Where the key stands, or where it would. */
static size_t key_at(const struct edit *edit, uint32_t key, bool *found)
{
    size_t at = 0;
    while (at + 1 < edit->length && (int32_t)edit->items[at] < (int32_t)key)
        at += 2;
    *found = at + 1 < edit->length && edit->items[at] == key;
    return at;
}

static object_id enter(struct object_pool *pool, const struct edit *edit, size_t at,
                       const uint32_t *pair)
{
    size_t length = edit->length + 2;
    uint32_t *items = memory_allocate(object_pool_budget(pool), length * sizeof *items);
    if (!items)
        return OBJECT_REFUSED;
    for (size_t i = 0; i < length; i++)
        items[i] = i < at                  ? edit->items[i]
                   : i >= at && i < at + 2 ? pair[i - at]
                                           : edit->items[i - 2];
    object_id id = object_intern(pool, items, length);
    memory_release(object_pool_budget(pool), items, length * sizeof *items);
    return id;
}

/* ---- applying ---- */

/* Methods of one collection: what a List, Set, Queue or Stack does with an item or an index. */
static void apply_to_items(const struct edit *edit, enum action action, const uint32_t *arguments,
                           object_id *after, uint32_t *answer)
{
    size_t found = 0;
    while (found < edit->length && edit->items[found] != arguments[0])
        found++;
    switch (action) {
    case ACTION_APPEND:
        *after = edit_at(edit, edit->length, 0, arguments[0]);
        break;
    case ACTION_INSERT:
        for (found = 0;
             found < edit->length && (int32_t)edit->items[found] < (int32_t)arguments[0];)
            found++;
        if (found == edit->length || edit->items[found] != arguments[0])
            *after = edit_at(edit, found, 0, arguments[0]);
        break;
    case ACTION_REMOVE:
        *answer = SLOT_OF(found < edit->length);
        if (found < edit->length)
            *after = edit_at(edit, found, 1, 0);
        break;
    case ACTION_REMOVE_AT:
        *after = edit_at(edit, arguments[0], 1, 0);
        break;
    case ACTION_TAKE_FIRST:
    case ACTION_TAKE_LAST:
        found = action == ACTION_TAKE_FIRST ? 0 : edit->length - 1;
        *answer = edit->items[found];
        *after = edit_at(edit, found, 1, 0);
        break;
    case ACTION_FIRST:
        *answer = edit->items[0];
        break;
    case ACTION_LAST:
        *answer = edit->items[edit->length - 1];
        break;
    case ACTION_GET:
        *answer = edit->items[arguments[0]];
        break;
    case ACTION_SET:
        *after = edit_set(edit, arguments[0], arguments[1]);
        break;
    case ACTION_CONTAINS:
        *answer = SLOT_OF(found < edit->length);
        break;
    case ACTION_COUNT:
        *answer = (uint32_t)edit->length;
        break;
    case ACTION_IS_EMPTY:
        *answer = SLOT_OF(edit->length == 0);
        break;
    default:
        assert(action == ACTION_CLEAR);
        *after = 0;
        break;
    }
}

static bool apply_to_keys(const struct edit *edit, enum action action, const uint32_t *arguments,
                          object_id *after, uint32_t *answer, const char **message)
{
    bool found = false;
    size_t at = key_at(edit, arguments[0], &found);
    if (action == ACTION_HAS_KEY)
        *answer = SLOT_OF(found);
    else if (action == ACTION_ENTER && !found)
        *after = enter(edit->pool, edit, at, arguments);
    else if (action == ACTION_VALUE_OF && !found)
        return *message = "expected a key of the table, found one that it lacks", false;
    else if (action == ACTION_VALUE_OF)
        *answer = edit->items[at + 1];
    return true;
}

bool method_apply(struct object_pool *pool, int method, object_id object, const uint32_t *arguments,
                  object_id *after, uint32_t *answer, const char **message)
{
    struct edit edit = {.pool = pool};
    edit.items = object_items(pool, object, &edit.length);
    enum action action = (enum action)methods[method].action;
    *after = object;
    *answer = 0;
    bool needs_one = action == ACTION_TAKE_FIRST || action == ACTION_TAKE_LAST ||
                     action == ACTION_FIRST || action == ACTION_LAST;
    bool needs_index = action == ACTION_GET || action == ACTION_SET || action == ACTION_REMOVE_AT;
    if (needs_one && edit.length == 0)
        return *message = "expected an element, found an empty collection", false;
    if (needs_index && arguments[0] >= edit.length)
        return *message = "expected an index into the list, found one outside it", false;
    if (methods[method].collection == COLLECTION_HASH_TABLE)
        return apply_to_keys(&edit, action, arguments, after, answer, message);
    if (method_answers_collection(method))
        *answer = combine(pool, action, arguments);
    else if (method_takes_collections(method))
        *answer = SLOT_OF(overlap(pool, object, arguments[0]) == (action == ACTION_OVERLAPS));
    else
        apply_to_items(&edit, action, arguments, after, answer);
    return true;
}
