#include "stream/kept.h"

static struct kept in_history(const struct stream *stream, size_t place)
{
    const struct operation *operation = &stream->history->operations.items[place];
    return (struct kept){.operation = operation,
                         .tracked = &stream->tracked.items[place],
                         .process = stream->history->processes.items[operation->process]};
}

static struct kept on_shelf(struct shelved *shelved)
{
    return (struct kept){.operation = &shelved->operation,
                         .tracked = &shelved->tracked,
                         .process = shelved->process,
                         .shelved = shelved};
}

bool kept_find(const struct stream *stream, uint64_t serial, struct shelved *room,
               struct kept *kept)
{
    const uint32_t place = stream_place(stream, serial);
    if (place == UINT32_MAX && !shelf_find(&stream->shelf, serial, room))
        return false;
    *kept = place == UINT32_MAX ? on_shelf(room) : in_history(stream, place);
    return true;
}

bool kept_unfold(const struct stream *stream, const struct kept *kept)
{
    return !kept->shelved || shelved_unfold(kept->shelved, stream->history->pool);
}

struct kept_walk kept_walk(const struct stream *stream)
{
    return (struct kept_walk){.stream = stream, .shelf = shelf_walk(&stream->shelf)};
}

bool kept_next(struct kept_walk *walk)
{
    const struct stream *stream = walk->stream;
    const size_t length = stream_sorted(stream);
    const bool more = walk->next < length;
    walk->waits = walk->waits || shelf_next(&walk->shelf);
    if (walk->waits &&
        (!more || walk->shelf.now.tracked.serial < stream->tracked.items[walk->next].serial)) {
        walk->waits = false;
        const uint64_t serial = walk->shelf.now.tracked.serial;
        const bool brought = stream->brought && stream->tracked.items[length].serial == serial;
        walk->now = brought ? in_history(stream, length) : on_shelf(&walk->shelf.now);
        return true;
    }
    if (more)
        walk->now = in_history(stream, walk->next++);
    return more;
}
