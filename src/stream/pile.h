/* Serial numbers of pending operations that can all do the same: it matters how many there are, and
 * when all are gone through which. There may be millions; one takes one to three bytes, as the
 * difference from the one that was added before it. */
#ifndef STREAM_PILE_H
#define STREAM_PILE_H

#include <assert.h>

#include "stream/online.h"

struct pile {
    struct packed packed;
    uint64_t last; /* that was added, of those that are left; 0: there is none */
    size_t count;
};

static inline void pile_init(struct pile *pile, struct budget *budget)
{
    vector_init(&pile->packed, budget);
    pile->last = pile->count = 0;
}

static inline void pile_release(struct pile *pile)
{
    vector_release(&pile->packed);
    pile->last = pile->count = 0;
}

/* False when refused. */
static inline MUST_CHECK bool pile_add(struct pile *pile, uint64_t serial)
{
    if (!packed_push(&pile->packed, serial, pile->last))
        return false;
    pile->last = serial;
    pile->count++;
    return true;
}

/* Takes out the one that was added last. */
static inline void pile_take(struct pile *pile)
{
    const uint8_t *items = pile->packed.items, *at;
    size_t start = pile->packed.length - 1;
    assert(pile->count);
    while (start && items[start - 1] > 0x7f) /* what is in front of a number ends with less */
        start--;
    at = items + start;
    pile->last -= packed_unfold(packed_take_whole(&at));
    pile->packed.length = start;
    pile->count--;
}

/* As online_class.each. */
static inline bool pile_each(const struct pile *pile, const struct online_visitor *visitor)
{
    struct packed_place place = {.stride = 1};
    uint64_t serial;
    while (packed_next(&pile->packed, &place, &serial))
        if (!visitor->visit(visitor->context, serial))
            return false;
    return true;
}

static inline void pile_archive(struct archive *archive, struct pile *pile)
{
    struct packed_place place = {.stride = 1};
    const size_t count = archive_length(archive, pile->count);
    for (size_t i = 0; i < count && archive->status == STATUS_OK; i++) {
        uint64_t serial = 0;
        if (!archive_reads(archive))
            (void)!packed_next(&pile->packed, &place, &serial);
        ARCHIVE(archive, serial);
        if (archive_reads(archive) && archive->status == STATUS_OK && !pile_add(pile, serial))
            archive_fail(archive, STATUS_LIMIT);
    }
}

#endif
