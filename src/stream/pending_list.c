#include "stream/pending_list.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"

void pending_list_init(struct pending_list *list, struct budget *budget)
{
    vector_init(&list->blocks, budget);
    list->count = 0;
}

static void release_block(struct pending_list *list, size_t block)
{
    memory_release(list->blocks.budget, list->blocks.items[block], sizeof(struct pending_block));
}

void pending_list_release(struct pending_list *list)
{
    for (size_t i = 0; i < list->blocks.length; i++)
        release_block(list, i);
    vector_release(&list->blocks);
    list->count = 0;
}

/* ---- finding ---- */

struct pending_place pending_list_behind(const struct pending_list *list, uint64_t time)
{
    size_t low = 0, high = list->blocks.length;
    BISECT(low, high, middle,
           list->blocks.items[middle]->items[list->blocks.items[middle]->count - 1].invoked <=
               time);
    struct pending_place place = {low, 0};
    if (low == list->blocks.length)
        return place;
    const struct pending_block *block = list->blocks.items[low];
    uint32_t most = block->count;
    BISECT(place.item, most, middle, block->items[middle].invoked <= time);
    return place;
}

struct pending_place pending_list_before(const struct pending_list *list, uint64_t time)
{
    const struct pending_place none = {SIZE_MAX, 0};
    struct pending_place place = time ? pending_list_behind(list, time - 1) : none;
    if (place.block == SIZE_MAX || (place.item == 0 && place.block == 0))
        return none;
    if (place.item > 0)
        place.item--;
    else
        place.item = list->blocks.items[--place.block]->count - 1;
    return place;
}

struct pending_place pending_list_next(const struct pending_list *list, struct pending_place place)
{
    assert(place.block < list->blocks.length);
    if (++place.item == list->blocks.items[place.block]->count)
        place = (struct pending_place){place.block + 1, 0};
    return place;
}

size_t pending_list_by(const struct pending_list *list, uint64_t time, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < list->blocks.length && count < most; i++) {
        const struct pending_block *block = list->blocks.items[i];
        uint32_t low = 0, high = block->count;
        BISECT(low, high, middle, block->items[middle].invoked <= time);
        count += low;
        if (low < block->count)
            break;
    }
    return count < most ? count : most;
}

/* ---- adding ---- */

/* Puts an empty block in front of the one with that number. */
static bool add_block(struct pending_list *list, size_t number)
{
    struct pending_block *block = NULL;
    if (vector_reserve(&list->blocks, list->blocks.length + 1))
        block = memory_zeroed(list->blocks.budget, sizeof *block);
    if (!block)
        return false;
    struct pending_block **at = &list->blocks.items[number];
    memmove(at + 1, at, (list->blocks.length++ - number) * sizeof *at);
    *at = block;
    return true;
}

/* Moves the second half of a full block to a new one. */
static bool split(struct pending_list *list, size_t number)
{
    if (!add_block(list, number + 1))
        return false;
    struct pending_block *full = list->blocks.items[number];
    struct pending_block *other = list->blocks.items[number + 1];
    other->count = full->count / 2;
    full->count -= other->count;
    memcpy(other->items, full->items + full->count, other->count * sizeof *other->items);
    return true;
}

bool pending_list_add(struct pending_list *list, uint64_t invoked, uint64_t serial)
{
    struct pending_place place = pending_list_behind(list, invoked);
    const size_t length = list->blocks.length;
    const bool last = place.block == length;
    if (last && (length == 0 || list->blocks.items[length - 1]->count == PENDING_BLOCK)) {
        if (!add_block(list, length))
            return false;
    } else if (last) {
        place = (struct pending_place){length - 1, list->blocks.items[length - 1]->count};
    } else if (list->blocks.items[place.block]->count == PENDING_BLOCK) {
        if (!split(list, place.block))
            return false;
        place = pending_list_behind(list, invoked);
    }
    struct pending_block *block = list->blocks.items[place.block];
    struct pending_operation *at = &block->items[place.item];
    assert(block->count < PENDING_BLOCK);
    memmove(at + 1, at, (block->count++ - place.item) * sizeof *at);
    *at = (struct pending_operation){invoked, serial};
    list->count++;
    return true;
}

/* ---- taking out ---- */

static void remove_block(struct pending_list *list, size_t number)
{
    release_block(list, number);
    struct pending_block **at = &list->blocks.items[number];
    memmove(at, at + 1, (--list->blocks.length - number) * sizeof *at);
}

/* Makes of two neighbours one, if both are half as much at most. */
static void merge(struct pending_list *list, size_t number)
{
    if (number + 1 >= list->blocks.length)
        return;
    struct pending_block *block = list->blocks.items[number];
    const struct pending_block *next = list->blocks.items[number + 1];
    if (block->count + next->count > PENDING_BLOCK / 2)
        return;
    memcpy(block->items + block->count, next->items, next->count * sizeof *next->items);
    block->count += next->count;
    remove_block(list, number + 1);
}

void pending_list_remove(struct pending_list *list, struct pending_place place)
{
    struct pending_block *block = list->blocks.items[place.block];
    struct pending_operation *at = &block->items[place.item];
    memmove(at, at + 1, (--block->count - place.item) * sizeof *at);
    list->count--;
    if (block->count == 0) {
        remove_block(list, place.block);
    } else {
        merge(list, place.block);
        if (place.block > 0)
            merge(list, place.block - 1);
    }
}

/* ---- all ---- */

bool pending_list_each(const struct pending_list *list, const struct online_visitor *visitor)
{
    for (size_t i = 0; i < list->blocks.length; i++)
        for (uint32_t j = 0; j < list->blocks.items[i]->count; j++)
            if (!visitor->visit(visitor->context, list->blocks.items[i]->items[j].serial))
                return false;
    return true;
}

void pending_list_archive(struct archive *archive, struct pending_list *list)
{
    const size_t count = archive_length(archive, list->count);
    struct pending_place place = pending_list_first(list);
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        struct pending_operation operation = {0};
        if (!archive_reads(archive)) {
            operation = *pending_list_at(list, place);
            place = pending_list_next(list, place);
        }
        ARCHIVE(archive, operation.invoked);
        ARCHIVE(archive, operation.serial);
        if (!archive_reads(archive))
            continue;
        if (archive->status != STATUS_OK)
            return;
        if (operation.invoked <= before)
            archive_damaged(archive, "pending operations are not in their order");
        else if (!pending_list_add(list, operation.invoked, operation.serial))
            archive_fail(archive, STATUS_LIMIT);
        before = operation.invoked;
    }
}
