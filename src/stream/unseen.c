#include "stream/unseen.h"

#include <assert.h>
#include <string.h>

#include "base/faults.h"
#include "base/hash.h"
#include "base/packed.h"

#define NONE         UINT32_MAX
#define ADDED_MOST   (4 * PACKED_MOST) /* bytes, of one value */
#define JOINED_PARTS 4                 /* a block of which such a part is left is joined */

#define ANY            UINT64_MAX
#define NUMBER_BITS    20 /* of an entry of the table; the others are of a hash */
#define NUMBER_MASK    (((uint32_t)1 << NUMBER_BITS) - 1)
#define GONE           UINT32_MAX
#define BLOCKS_MOST    (NUMBER_MASK - 1) /* of 64 values each */
#define FIRST_CAPACITY ((size_t)SIZE_OR_SMALL(16, 5))
#define USED_TENTHS    8 /* of the entries, at most, are in use */
#define GROWS_PARTS    4 /* by such a part more than are in use */

void unseen_init(struct unseen *unseen, struct budget *budget)
{
    *unseen = (struct unseen){.open = NONE, .free = NONE};
    vector_init(&unseen->blocks, budget);
}

static void release_bytes(const struct unseen *unseen, struct unseen_block *block)
{
    memory_release(unseen->blocks.budget, block->bytes, block->capacity);
    block->bytes = NULL;
    block->length = block->capacity = 0;
}

void unseen_release(struct unseen *unseen)
{
    for (size_t i = 0; i < unseen->blocks.length; i++)
        release_bytes(unseen, &unseen->blocks.items[i]);
    memory_release(unseen->blocks.budget, unseen->table.entries,
                   unseen->table.capacity * sizeof *unseen->table.entries);
    vector_release(&unseen->blocks);
    unseen_init(unseen, unseen->blocks.budget);
}

/* ---- one block ---- */

static void read_block(const struct unseen_block *block, struct added items[static UNSEEN_BLOCK])
{
    const uint8_t *at = block->bytes;
    struct added now = {0};
    for (uint32_t i = 0; i < block->count; i++) {
        now.value = packed_take(&at, now.value);
        now.other = packed_take(&at, now.other);
        now.invoked = packed_take(&at, now.invoked);
        now.serial = packed_take(&at, now.serial);
        items[i] = now;
    }
    assert(at == block->bytes + block->length);
}

static uint8_t *put_added(uint8_t *at, const struct added *item, const struct added *before)
{
    at = packed_put(at, item->value, before->value);
    at = packed_put(at, item->other, before->other);
    at = packed_put(at, item->invoked, before->invoked);
    return packed_put(at, item->serial, before->serial);
}

/* Room for so many bytes more. False when refused. */
static bool reserve(const struct unseen *unseen, struct unseen_block *block, size_t more)
{
    size_t wanted = block->length + more;
    if (wanted <= block->capacity)
        return true;
    if (wanted < 2 * (size_t)block->capacity)
        wanted = 2 * (size_t)block->capacity;
    uint8_t *moved = memory_resize(unseen->blocks.budget, block->bytes, block->capacity, wanted);
    if (!moved)
        return false;
    block->bytes = moved;
    block->capacity = (uint32_t)wanted;
    return true;
}

/* Behind what is in the open block, where there is room for it. */
static void append(struct unseen *unseen, const struct added *item)
{
    struct unseen_block *block = &unseen->blocks.items[unseen->open];
    const uint8_t *end = put_added(block->bytes + block->length, item, &unseen->last);
    block->length = (uint32_t)(end - block->bytes);
    block->count++;
    unseen->last = *item;
}

/* Without the item of that number. A difference from what stands in front takes no more bytes than
 * the two that it stands for, so there is room. */
static void remove_from(struct unseen *unseen, struct unseen_block *block,
                        const struct added *items, uint32_t gone)
{
    uint8_t bytes[UNSEEN_BLOCK * ADDED_MOST], *at = bytes;
    const struct added nothing = {0}, *before = &nothing;
    for (uint32_t i = 0; i < block->count; i++) {
        if (i == gone)
            continue;
        at = put_added(at, &items[i], before);
        before = &items[i];
    }
    assert(at - bytes <= block->length);
    block->length = (uint32_t)(at - bytes);
    memcpy(block->bytes, bytes, block->length);
    block->count--;
    if (unseen->open != NONE && block == &unseen->blocks.items[unseen->open])
        unseen->last = *before;
}

/* Gives back room that a block does not need that is full. */
static void trim(const struct unseen *unseen, struct unseen_block *block)
{
    struct packed bytes = {.items = block->bytes,
                           .length = block->length,
                           .capacity = block->capacity,
                           .budget = unseen->blocks.budget};
    packed_trim(&bytes);
    block->bytes = bytes.items;
    block->capacity = (uint32_t)bytes.capacity;
}

/* ---- the table ---- */

static size_t next_entry(const struct unseen_table *table, size_t at)
{
    return at + 1 < table->capacity ? at + 1 : 0;
}

static size_t first_entry(const struct unseen_table *table, uint64_t hash)
{
    return (size_t)(((hash >> 32) * table->capacity) >> 32);
}

static uint32_t entry_of(uint64_t hash, uint32_t block)
{
    return (uint32_t)hash << NUMBER_BITS | (block + 1);
}

/* In the room that there is. */
static void put_entry(struct unseen_table *table, value v, uint32_t block)
{
    const uint64_t hash = hash_word(v);
    size_t at = first_entry(table, hash);
    while (table->entries[at] && table->entries[at] != GONE)
        at = next_entry(table, at);
    table->used += table->entries[at] == 0;
    assert(table->used < table->capacity);
    table->entries[at] = entry_of(hash, block);
}

static void remove_entry(struct unseen_table *table, value v, uint32_t block)
{
    const uint64_t hash = hash_word(v);
    size_t at = first_entry(table, hash);
    while (table->entries[at] != entry_of(hash, block)) {
        assert(table->entries[at]);
        at = next_entry(table, at);
    }
    table->entries[at] = GONE;
}

/* Room for so many entries more: where it is not there the table is made anew, without what was
 * taken out. False when refused. */
static bool reserve_entries(struct unseen *unseen, size_t more)
{
    struct unseen_table *table = &unseen->table;
    struct added items[UNSEEN_BLOCK];
    if ((table->used + more) * 10 <= table->capacity * USED_TENTHS)
        return true;
    const size_t wanted = unseen->count + more;
    size_t capacity = wanted * 10 / USED_TENTHS + wanted / GROWS_PARTS + FIRST_CAPACITY;
    if (capacity > table->capacity) {
        uint32_t *moved = memory_resize(unseen->blocks.budget, table->entries,
                                        table->capacity * sizeof *moved, capacity * sizeof *moved);
        if (!moved)
            return false;
        table->entries = moved;
        table->capacity = capacity;
    }
    memset(table->entries, 0, table->capacity * sizeof *table->entries);
    table->used = 0;
    for (uint32_t i = 0; i < unseen->blocks.length; i++) {
        read_block(&unseen->blocks.items[i], items);
        for (uint32_t j = 0; j < unseen->blocks.items[i].count; j++)
            put_entry(table, items[j].value, i);
    }
    return true;
}

/* ---- blocks ---- */

/* Has the open block room for one value more. False when refused. */
static bool open_block(struct unseen *unseen)
{
    if (unseen->open != NONE && unseen->blocks.items[unseen->open].count < UNSEEN_BLOCK)
        return reserve(unseen, &unseen->blocks.items[unseen->open], ADDED_MOST);
    if (unseen->open != NONE)
        trim(unseen, &unseen->blocks.items[unseen->open]);
    struct unseen_block made = {.next = NONE};
    uint32_t number = unseen->free;
    if ((number == NONE && (unseen->blocks.length == BLOCKS_MOST ||
                            !vector_reserve(&unseen->blocks, unseen->blocks.length + 1))) ||
        !reserve(unseen, &made, ADDED_MOST))
        return false;
    if (number == NONE)
        number = (uint32_t)unseen->blocks.length++;
    else
        unseen->free = unseen->blocks.items[number].next;
    unseen->blocks.items[number] = made;
    unseen->open = number;
    unseen->last = (struct added){0};
    return true;
}

static void free_block(struct unseen *unseen, uint32_t number)
{
    struct unseen_block *block = &unseen->blocks.items[number];
    release_bytes(unseen, block);
    block->next = unseen->free;
    unseen->free = number;
    if (unseen->open == number)
        unseen->open = NONE;
}

/* Puts what is left of a block into the open one, if there is room. */
static void join(struct unseen *unseen, uint32_t number)
{
    struct added items[UNSEEN_BLOCK];
    struct unseen_block *block = &unseen->blocks.items[number];
    const uint32_t open = unseen->open;
    if (open == NONE || open == number || block->count > UNSEEN_BLOCK / JOINED_PARTS ||
        block->count + unseen->blocks.items[open].count > UNSEEN_BLOCK ||
        !reserve(unseen, &unseen->blocks.items[open], block->count * (size_t)ADDED_MOST) ||
        !reserve_entries(unseen, block->count))
        return;
    read_block(block, items);
    for (uint32_t i = 0; i < block->count; i++) {
        append(unseen, &items[i]);
        remove_entry(&unseen->table, items[i].value, number);
        put_entry(&unseen->table, items[i].value, open);
    }
    block->count = 0;
    free_block(unseen, number);
}

/* ---- values ---- */

/* The block of a value, with its items, and its place among these; false: it is not there, or not
 * of that addition (ANY). */
static bool find(const struct unseen *unseen, value v, uint64_t serial,
                 struct added items[static UNSEEN_BLOCK], uint32_t *number, uint32_t *place)
{
    const struct unseen_table *table = &unseen->table;
    const uint64_t hash = hash_word(v);
    const uint32_t wanted = entry_of(hash, 0) & ~NUMBER_MASK;
    if (!table->capacity)
        return false;
    for (size_t at = first_entry(table, hash); table->entries[at]; at = next_entry(table, at)) {
        if (table->entries[at] == GONE || (table->entries[at] & ~NUMBER_MASK) != wanted)
            continue;
        *number = (table->entries[at] & NUMBER_MASK) - 1;
        const struct unseen_block *block = &unseen->blocks.items[*number];
        read_block(block, items);
        for (*place = 0; *place < block->count; ++*place)
            if (items[*place].value == v && (serial == ANY || items[*place].serial == serial))
                return true;
    }
    return false;
}

bool unseen_add_pair(struct unseen *unseen, const struct added *added)
{
    if (!reserve_entries(unseen, 1) || !open_block(unseen))
        return false;
    append(unseen, added);
    put_entry(&unseen->table, added->value, unseen->open);
    unseen->count++;
    return true;
}

bool unseen_add(struct unseen *unseen, value v, uint64_t invoked, uint64_t serial)
{
    return unseen_add_pair(unseen,
                           &(struct added){.value = v, .invoked = invoked, .serial = serial});
}

bool unseen_has(const struct unseen *unseen, value v)
{
    struct added items[UNSEEN_BLOCK];
    uint32_t number, place;
    return find(unseen, v, ANY, items, &number, &place);
}

bool unseen_take_of(struct unseen *unseen, value v, uint64_t serial, struct added *added)
{
    struct added items[UNSEEN_BLOCK];
    uint32_t number, place;
    if (!find(unseen, v, serial, items, &number, &place))
        return false;
    *added = items[place];
    remove_entry(&unseen->table, v, number);
    remove_from(unseen, &unseen->blocks.items[number], items, place);
    unseen->count--;
    if (unseen->blocks.items[number].count == 0)
        free_block(unseen, number);
    else
        join(unseen, number);
    return true;
}

bool unseen_take_pair(struct unseen *unseen, value v, struct added *added)
{
    return unseen_take_of(unseen, v, ANY, added);
}

bool unseen_take(struct unseen *unseen, value v, struct running_operation *addition)
{
    struct added added;
    if (!unseen_take_pair(unseen, v, &added))
        return false;
    *addition = (struct running_operation){
        .invoked = added.invoked, .serial = added.serial, .pending = true, .detail = v};
    return true;
}

bool unseen_walk(const struct unseen *unseen,
                 bool (*visit)(void *context, const struct added *added), void *context)
{
    struct added items[UNSEEN_BLOCK];
    for (size_t i = 0; i < unseen->blocks.length; i++) {
        const struct unseen_block *block = &unseen->blocks.items[i];
        read_block(block, items);
        for (uint32_t j = 0; j < block->count; j++)
            if (!visit(context, &items[j]))
                return false;
    }
    return true;
}

struct listed {
    struct added *items;
    size_t count;
};

static bool list_one(void *context, const struct added *added)
{
    struct listed *listed = context;
    listed->items[listed->count++] = *added;
    return true;
}

size_t unseen_list(const struct unseen *unseen, struct added *items)
{
    struct listed listed = {items, 0};
    (void)unseen_walk(unseen, list_one, &listed);
    return listed.count;
}

static bool visit_one(void *context, const struct added *added)
{
    const struct online_visitor *visitor = context;
    return visitor->visit(visitor->context, added->serial);
}

bool unseen_each(const struct unseen *unseen, const struct online_visitor *visitor)
{
    struct online_visitor copy = *visitor;
    return unseen_walk(unseen, visit_one, &copy);
}

static void archive_added(struct archive *archive, struct added *item)
{
    archive_value(archive, &item->value);
    archive_value(archive, &item->other);
    ARCHIVE(archive, item->invoked);
    ARCHIVE(archive, item->serial);
}

static void read_unseen(struct archive *archive, struct unseen *unseen, size_t count)
{
    for (size_t i = 0; i < count && archive->status == STATUS_OK; i++) {
        struct added item = {0};
        archive_added(archive, &item);
        if (archive->status == STATUS_OK && !unseen_add_pair(unseen, &item))
            archive_fail(archive, STATUS_LIMIT);
    }
}

void unseen_archive(struct archive *archive, struct unseen *unseen)
{
    const size_t count = archive_length(archive, unseen->count);
    struct added items[UNSEEN_BLOCK];
    if (archive_reads(archive)) {
        read_unseen(archive, unseen, count);
        return;
    }
    for (size_t i = 0; i < unseen->blocks.length; i++) {
        struct unseen_block *block = &unseen->blocks.items[i];
        read_block(block, items);
        for (uint32_t j = 0; j < block->count; j++)
            archive_added(archive, &items[j]);
    }
}
