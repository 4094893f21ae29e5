#include "code/large_array.h"

#include <assert.h>
#include <string.h>

/* How far an index is shifted at the root. */
static unsigned root_shift(uint32_t length)
{
    unsigned shift = 0;
    while ((uint64_t)LARGE_FAN << shift < length)
        shift += LARGE_BITS;
    return shift;
}

static uint32_t place_in(uint32_t index, unsigned shift)
{
    return index >> shift & (LARGE_FAN - 1);
}

/* Of an object other than 0. */
static const uint32_t *object_node(const struct object_pool *objects, uint32_t node)
{
    size_t length;
    const uint32_t *words = object_items(objects, node, &length);
    assert(length == LARGE_FAN);
    return words;
}

static uint32_t *draft_node(const struct large_draft *draft, uint32_t node)
{
    return draft->words.items + (size_t)(node & ~LARGE_DRAFT) * LARGE_FAN;
}

void large_draft_init(struct large_draft *draft, struct object_pool *objects)
{
    draft->objects = objects;
    vectors_init(objects ? object_pool_budget(objects) : NULL, &draft->words, &draft->changes);
}

void large_draft_release(struct large_draft *draft)
{
    vectors_release(&draft->words, &draft->changes);
}

uint32_t large_load(const struct large_draft *draft, uint32_t root, uint32_t length, uint32_t index)
{
    assert(index < length);
    for (unsigned shift = root_shift(length); root; shift -= LARGE_BITS) {
        const uint32_t *words =
            root & LARGE_DRAFT ? draft_node(draft, root) : object_node(draft->objects, root);
        root = words[place_in(index, shift)];
        if (shift == 0)
            break;
    }
    return root;
}

/* The draft's copy of a node: a draft itself, or a new one. UINT32_MAX when refused. */
static uint32_t copy_of(struct large_draft *draft, uint32_t node)
{
    if (node & LARGE_DRAFT)
        return node;
    const size_t start = draft->words.length;
    if (!vector_reserve(&draft->words, start + LARGE_FAN))
        return UINT32_MAX;
    if (node)
        memcpy(draft->words.items + start, object_node(draft->objects, node),
               LARGE_FAN * sizeof(uint32_t));
    else
        memset(draft->words.items + start, 0, LARGE_FAN * sizeof(uint32_t));
    draft->words.length += LARGE_FAN;
    return (uint32_t)(start / LARGE_FAN) | LARGE_DRAFT;
}

static bool note_change(struct large_draft *draft, const uint32_t *slots, uint32_t slot,
                        uint32_t length)
{
    const struct large_change change = {slot, length, slots[slot]};
    return slots[slot] & LARGE_DRAFT || vector_push(&draft->changes, change);
}

bool large_replace(struct large_draft *draft, uint32_t *slots, uint32_t slot, uint32_t length,
                   object_id root)
{
    assert(!(root & LARGE_DRAFT));
    if (!note_change(draft, slots, slot, length))
        return false;
    slots[slot] = root;
    return true;
}

bool large_store(struct large_draft *draft, uint32_t *slots, uint32_t slot, uint32_t length,
                 uint32_t index, uint32_t word)
{
    assert(index < length);
    if (!note_change(draft, slots, slot, length))
        return false;
    uint32_t node = copy_of(draft, slots[slot]);
    if (node == UINT32_MAX)
        return false;
    slots[slot] = node;
    for (unsigned shift = root_shift(length); shift; shift -= LARGE_BITS) {
        uint32_t child = copy_of(draft, draft_node(draft, node)[place_in(index, shift)]);
        if (child == UINT32_MAX)
            return false;
        draft_node(draft, node)[place_in(index, shift)] = child; /* nodes may have moved */
        node = child;
    }
    draft_node(draft, node)[place_in(index, 0)] = word;
    return true;
}

/* The object of a node, those of a draft's children first. */
static object_id settle(const struct large_draft *draft, uint32_t node, unsigned shift)
{
    if (!(node & LARGE_DRAFT))
        return node;
    uint32_t *words = draft_node(draft, node), any = 0;
    for (uint32_t i = 0; i < LARGE_FAN; i++) {
        if (shift)
            words[i] = settle(draft, words[i], shift - LARGE_BITS);
        if (shift && words[i] == OBJECT_REFUSED)
            return OBJECT_REFUSED;
        any |= words[i];
    }
    return any ? object_intern(draft->objects, words, LARGE_FAN) : 0;
}

bool large_settle(struct large_draft *draft, uint32_t *slots, uint32_t slot, uint32_t length)
{
    if (!(slots[slot] & LARGE_DRAFT))
        return true;
    object_id made = settle(draft, slots[slot], root_shift(length));
    if (made == OBJECT_REFUSED)
        return false;
    slots[slot] = made;
    return true;
}

static void draft_end(struct large_draft *draft)
{
    draft->words.length = 0;
    draft->changes.length = 0;
}

bool large_finish(struct large_draft *draft, uint32_t *slots)
{
    for (size_t i = 0; i < draft->changes.length; i++) {
        const struct large_change *change = &draft->changes.items[i];
        if (!large_settle(draft, slots, change->slot, change->length))
            return false;
    }
    draft_end(draft);
    return true;
}

void large_undo(struct large_draft *draft, uint32_t *slots)
{
    for (size_t i = draft->changes.length; i-- > 0;)
        slots[draft->changes.items[i].slot] = draft->changes.items[i].before;
    draft_end(draft);
}

/* ---- reading ---- */

struct comparison {
    const struct object_pool *objects;
    uint32_t length;
    void (*visit)(void *context, uint32_t index, uint32_t word);
    void *context;
};

static void compare(const struct comparison *comparison, uint32_t before, uint32_t node,
                    unsigned shift, uint32_t first)
{
    if (before == node)
        return;
    const uint32_t *old = before ? object_node(comparison->objects, before) : NULL;
    const uint32_t *new = node ? object_node(comparison->objects, node) : NULL;
    for (uint32_t i = 0; i < LARGE_FAN; i++) {
        const uint32_t index = first + (i << shift), was = old ? old[i] : 0, is = new ? new[i] : 0;
        if (index >= comparison->length)
            return;
        if (shift)
            compare(comparison, was, is, shift - LARGE_BITS, index);
        else if (was != is)
            comparison->visit(comparison->context, index, is);
    }
}

void large_compare(const struct object_pool *objects, uint32_t before, uint32_t root,
                   uint32_t length, void (*visit)(void *context, uint32_t index, uint32_t word),
                   void *context)
{
    assert(!(before & LARGE_DRAFT) && !(root & LARGE_DRAFT));
    const struct comparison comparison = {objects, length, visit, context};
    compare(&comparison, before, root, root_shift(length), 0);
}

static void put(void *context, uint32_t index, uint32_t word)
{
    uint32_t *items = context;
    items[index] = word;
}

void large_read(const struct object_pool *objects, uint32_t root, uint32_t length, uint32_t *items)
{
    memset(items, 0, length * sizeof *items);
    large_compare(objects, 0, root, length, put, items);
}
