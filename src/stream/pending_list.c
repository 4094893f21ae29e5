#include "stream/pending_list.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"

#define NEVER      UINT64_MAX
#define ENTRY_MOST ((size_t)3 * PACKED_MOST) /* bytes of an operation */

void pending_list_init(struct pending_list *list, struct budget *budget)
{
    vector_init(&list->blocks, budget);
    list->count = 0;
    list->since = NEVER;
    list->ends = false;
}

static void release_bytes(const struct pending_list *list, struct pending_block *block)
{
    memory_release(list->blocks.budget, block->bytes, block->capacity);
    block->bytes = NULL;
    block->length = block->capacity = 0;
}

void pending_list_release(struct pending_list *list)
{
    for (size_t i = 0; i < list->blocks.length; i++)
        release_bytes(list, &list->blocks.items[i]);
    vector_release(&list->blocks);
    list->count = 0;
    list->since = NEVER;
    list->ends = false;
}

/* ---- a block ---- */

/* What is behind it. */
static uint8_t *put(uint8_t *at, const struct pending_operation *operation,
                    const struct pending_operation *before)
{
    at = packed_put_whole(at, (operation->invoked - before->invoked) << 1 | operation->pending);
    at = packed_put_whole(at, (uint64_t)operation->serial - (uint64_t)before->serial);
    return packed_put(at, operation->detail, before->detail);
}

/* The bytes of a block; how many they are. */
static uint32_t encode(const struct pending_operation *items, uint32_t count, uint8_t *bytes)
{
    static const struct pending_operation none;
    uint8_t *at = bytes;
    for (uint32_t i = 0; i < count; i++)
        at = put(at, &items[i], i ? &items[i - 1] : &none);
    return (uint32_t)(at - bytes);
}

static void decode(const struct pending_block *block, struct pending_operation *items)
{
    struct pending_operation now = {0};
    const uint8_t *at = block->bytes;
    for (uint32_t i = 0; i < block->count; i++) {
        const uint64_t invoked = packed_take_whole(&at);
        now.invoked += invoked >> 1;
        now.pending = invoked & 1;
        now.serial += packed_take_whole(&at);
        now.detail = packed_take(&at, now.detail);
        items[i] = now;
    }
    assert(at == block->bytes + block->length);
}

static bool reserve(const struct pending_list *list, struct pending_block *block, uint32_t length,
                    uint32_t wanted)
{
    if (length <= block->capacity)
        return true;
    uint8_t *moved = memory_resize(list->blocks.budget, block->bytes, block->capacity, wanted);
    if (!moved)
        return false;
    block->bytes = moved;
    block->capacity = wanted;
    return true;
}

/* What is said of a block besides its bytes. */
static void describe(struct pending_block *block, const struct pending_operation *items,
                     uint32_t count)
{
    block->count = count;
    block->live = 0;
    block->first = items[0].invoked;
    block->last = items[count - 1].invoked;
    block->last_serial = items[count - 1].serial;
    for (uint32_t i = 0; i < count; i++)
        block->live += !items[i].pending;
}

/* Makes a block of these; with room for no more, which fewer operations than before have. False
 * when refused: it is as it was. */
static bool fill(const struct pending_list *list, struct pending_block *block,
                 const struct pending_operation *items, uint32_t count)
{
    uint8_t bytes[PENDING_BLOCK * ENTRY_MOST];
    const uint32_t length = encode(items, count, bytes);
    if (!reserve(list, block, length, length))
        return false;
    memcpy(block->bytes, bytes, length);
    block->length = length;
    describe(block, items, count);
    return true;
}

/* ---- finding ---- */

static void open_block(struct pending_walk *walk, size_t number)
{
    const struct pending_block *block = &walk->list->blocks.items[number];
    walk->block = number;
    walk->count = block->count;
    decode(block, walk->items);
}

/* Nothing stands there. */
static void leave_list(const struct pending_list *list, struct pending_walk *walk)
{
    walk->list = list;
    walk->block = list->blocks.length;
    walk->item = walk->count = 0;
}

/* The first block whose last one was invoked behind that time. */
static size_t block_behind(const struct pending_list *list, uint64_t time)
{
    size_t low = 0, high = list->blocks.length;
    BISECT(low, high, middle, list->blocks.items[middle].last <= time);
    return low;
}

void pending_list_first(const struct pending_list *list, struct pending_walk *walk)
{
    leave_list(list, walk);
    if (list->count)
        open_block(walk, 0);
}

void pending_list_last(const struct pending_list *list, struct pending_walk *walk)
{
    leave_list(list, walk);
    if (!list->count)
        return;
    open_block(walk, list->blocks.length - 1);
    walk->item = walk->count - 1;
}

void pending_list_behind(const struct pending_list *list, uint64_t time, struct pending_walk *walk)
{
    const size_t number = block_behind(list, time);
    leave_list(list, walk);
    if (number == list->blocks.length)
        return;
    open_block(walk, number);
    uint32_t high = walk->count;
    BISECT(walk->item, high, middle, walk->items[middle].invoked <= time);
}

void pending_list_before(const struct pending_list *list, uint64_t time, struct pending_walk *walk)
{
    if (!time) {
        leave_list(list, walk);
        return;
    }
    pending_list_behind(list, time - 1, walk);
    if (pending_walk_at(walk))
        pending_walk_back(walk);
    else
        pending_list_last(list, walk);
}

bool pending_list_find(const struct pending_list *list, uint64_t serial, struct pending_walk *walk)
{
    size_t low = 0, high = list->blocks.length;
    BISECT(low, high, middle, list->blocks.items[middle].last_serial < serial);
    leave_list(list, walk);
    if (low == list->blocks.length)
        return false;
    open_block(walk, low);
    uint32_t most = walk->count;
    BISECT(walk->item, most, middle, walk->items[middle].serial < serial);
    return walk->items[walk->item].serial == serial;
}

void pending_walk_next(struct pending_walk *walk)
{
    if (++walk->item < walk->count)
        return;
    const size_t next = walk->block + 1;
    leave_list(walk->list, walk);
    if (next < walk->list->blocks.length)
        open_block(walk, next);
}

void pending_walk_back(struct pending_walk *walk)
{
    if (walk->item > 0) {
        walk->item--;
        return;
    }
    const size_t block = walk->block;
    leave_list(walk->list, walk);
    if (block == 0)
        return;
    open_block(walk, block - 1);
    walk->item = walk->count - 1;
}

size_t pending_list_by(const struct pending_list *list, uint64_t time, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < list->blocks.length && count < most; i++) {
        const struct pending_block *block = &list->blocks.items[i];
        if (block->last > time) {
            struct pending_walk walk;
            pending_list_behind(list, time, &walk);
            count += walk.item;
            break;
        }
        count += block->count;
    }
    return count < most ? count : most;
}

/* ---- adding ---- */

/* A new block at that place. False when refused. */
static bool insert_block(struct pending_list *list, size_t place,
                         const struct pending_operation *items, uint32_t count)
{
    struct pending_block block = {0};
    if (!vector_reserve(&list->blocks, list->blocks.length + 1) ||
        !fill(list, &block, items, count))
        return false;
    struct pending_block *at = &list->blocks.items[place];
    memmove(at + 1, at, (list->blocks.length++ - place) * sizeof *at);
    *at = block;
    return true;
}

static void remove_block(struct pending_list *list, size_t number)
{
    struct pending_block *at = &list->blocks.items[number];
    release_bytes(list, at);
    memmove(at, at + 1, (--list->blocks.length - number) * sizeof *at);
}

/* Behind all others. False when refused. */
static bool append(struct pending_list *list, const struct pending_operation *operation)
{
    const size_t blocks = list->blocks.length;
    uint8_t bytes[ENTRY_MOST];
    if (blocks == 0 || list->blocks.items[blocks - 1].count == PENDING_BLOCK)
        return insert_block(list, blocks, operation, 1);
    if (!list->ends) {
        struct pending_walk walk;
        pending_list_last(list, &walk);
        list->last = walk.items[walk.item];
    }
    struct pending_block *block = &list->blocks.items[blocks - 1];
    const uint32_t length = (uint32_t)(put(bytes, operation, &list->last) - bytes);
    const uint32_t all = block->length + length;
    /* It is full with this one; or there may be as many more as there are. */
    const uint32_t wanted = block->count + 1 == PENDING_BLOCK ? all : 2 * all;
    assert(list->last.serial < operation->serial);
    if (!reserve(list, block, all, wanted))
        return false;
    memcpy(block->bytes + block->length, bytes, length);
    block->length = all;
    block->count++;
    block->live += !operation->pending;
    block->last = operation->invoked;
    block->last_serial = operation->serial;
    return true;
}

/* Among others. False when refused. */
static bool insert(struct pending_list *list, const struct pending_operation *operation)
{
    struct pending_operation items[PENDING_BLOCK + 1];
    struct pending_walk walk;
    pending_list_behind(list, operation->invoked, &walk);
    const uint32_t count = walk.count + 1, first = count > PENDING_BLOCK ? count / 2 : count;
    memcpy(items, walk.items, walk.item * sizeof *items);
    items[walk.item] = *operation;
    memcpy(items + walk.item + 1, walk.items + walk.item, (walk.count - walk.item) * sizeof *items);
    if (first < count && !insert_block(list, walk.block + 1, items + first, count - first))
        return false;
    if (fill(list, &list->blocks.items[walk.block], items, first))
        return true;
    if (first < count)
        remove_block(list, walk.block + 1);
    return false;
}

bool pending_list_add(struct pending_list *list, const struct pending_operation *operation)
{
    const size_t blocks = list->blocks.length;
    const bool last = !blocks || list->blocks.items[blocks - 1].last < operation->invoked;
    if (!(last ? append(list, operation) : insert(list, operation)))
        return false;
    if (last) {
        list->last = *operation;
        list->ends = true;
    }
    list->count++;
    if (!operation->pending && operation->invoked < list->since)
        list->since = operation->invoked;
    return true;
}

/* ---- taking out ---- */

static void find_since(struct pending_list *list)
{
    struct pending_walk walk = {.list = list};
    list->since = NEVER;
    for (size_t i = 0; i < list->blocks.length && list->since == NEVER; i++) {
        if (!list->blocks.items[i].live)
            continue;
        open_block(&walk, i);
        for (walk.item = 0; walk.items[walk.item].pending;)
            walk.item++;
        list->since = walk.items[walk.item].invoked;
    }
}

/* Puts a block's operations in front of those of the next, if they are few, and there is room. */
static void merge(struct pending_list *list, size_t number)
{
    struct pending_operation items[PENDING_BLOCK];
    if (number + 1 >= list->blocks.length)
        return;
    struct pending_block *block = &list->blocks.items[number], *next = block + 1;
    const uint32_t count = block->count + next->count;
    if (count > PENDING_BLOCK / 2)
        return;
    decode(block, items);
    decode(next, items + block->count);
    if (fill(list, block, items, count))
        remove_block(list, number + 1);
}

void pending_list_remove(struct pending_list *list, struct pending_walk *walk)
{
    const struct pending_operation gone = walk->items[walk->item];
    const size_t number = walk->block;
    list->count--;
    list->ends = false;
    if (walk->count == 1) {
        remove_block(list, number);
    } else {
        struct pending_operation *at = &walk->items[walk->item];
        memmove(at, at + 1, (--walk->count - walk->item) * sizeof *at);
        const bool filled = fill(list, &list->blocks.items[number], walk->items, walk->count);
        assert(filled); /* the sum of two differences takes no more bytes than both */
        (void)filled;
        merge(list, number);
        if (number > 0)
            merge(list, number - 1);
    }
    if (gone.invoked == list->since)
        find_since(list);
}

void pending_list_stays(struct pending_list *list, struct pending_walk *walk)
{
    struct pending_operation *operation = &walk->items[walk->item];
    operation->pending = true;
    list->ends = false;
    const bool filled = fill(list, &list->blocks.items[walk->block], walk->items, walk->count);
    assert(filled); /* in as many bytes */
    (void)filled;
    if (operation->invoked == list->since)
        find_since(list);
}

/* ---- all ---- */

bool pending_list_each(const struct pending_list *list, const struct online_visitor *visitor)
{
    for (size_t i = 0; i < list->blocks.length; i++) {
        const struct pending_block *block = &list->blocks.items[i];
        const uint8_t *at = block->bytes;
        uint64_t serial = 0;
        for (uint32_t left = block->last_serial < visitor->least ? 0 : block->count; left; left--) {
            (void)packed_take_whole(&at);
            serial += packed_take_whole(&at);
            (void)packed_take_whole(&at);
            if (!visitor->visit(visitor->context, serial))
                return false;
        }
    }
    return true;
}

static void archive_operation(struct archive *archive, struct pending_operation *operation,
                              bool values)
{
    ARCHIVE(archive, operation->invoked);
    operation->serial = archive_number(archive, operation->serial);
    operation->pending = archive_number(archive, operation->pending);
    if (values)
        archive_value(archive, &operation->detail);
    else
        ARCHIVE(archive, operation->detail);
}

void pending_list_archive(struct archive *archive, struct pending_list *list, bool values)
{
    const size_t count = archive_length(archive, list->count);
    const struct pending_operation *found;
    struct pending_operation before = {0};
    struct pending_walk walk;
    if (!count)
        return;
    pending_list_first(list, &walk);
    for (size_t i = 0; i < count && archive->status == STATUS_OK; i++) {
        struct pending_operation operation = {0};
        if ((found = pending_walk_at(&walk))) {
            operation = *found;
            pending_walk_next(&walk);
        }
        archive_operation(archive, &operation, values);
        if (!archive_reads(archive) || archive->status != STATUS_OK)
            continue;
        if (operation.invoked <= before.invoked || operation.invoked > NEVER / 2 ||
            (i && operation.serial <= before.serial))
            archive_damaged(archive, "pending operations are not in their order");
        else if (!pending_list_add(list, &operation))
            archive_fail(archive, STATUS_LIMIT);
        before = operation;
    }
}
