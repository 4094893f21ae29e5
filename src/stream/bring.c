#include "stream/bring.h"

#include "history/builder.h"
#include "stream/objects.h"

struct shelved bring_shelved(const struct stream *stream, size_t place)
{
    const struct operation *operation = &stream->history->operations.items[place];
    struct shelved shelved = {.operation = *operation,
                              .tracked = stream->tracked.items[place],
                              .process = stream->history->processes.items[operation->process]};
    if (!spec_tells_callers(objects_spec(stream, shelved.tracked.object)))
        shelved.operation.process = 0; /* it may lose its number */
    return shelved;
}

bool bring(struct stream *stream, struct shelved *shelved, uint32_t *place)
{
    struct history *history = stream->history;
    const size_t length = stream->tracked.length;
    const uint32_t number = builder_process_number(stream->builder, shelved->process);
    if (number == LABEL_NONE || !shelved_unfold(shelved, history->pool) ||
        !vector_reserve(&history->operations, length + 1) ||
        !vector_reserve(&stream->tracked, length + 1))
        return false;
    shelved->operation.process = shelved->tracked.call.process = number;
    shelved->operation.record = (uint32_t)length;
    history->operations.items[history->operations.length++] = shelved->operation;
    stream->tracked.items[stream->tracked.length++] = shelved->tracked;
    stream->builder->running.items[number] = *place = (uint32_t)length;
    stream->brought = true;
    return true;
}

void bring_drop(struct stream *stream)
{
    struct history *history = stream->history;
    const size_t place = --stream->tracked.length;
    stream->builder->running.items[history->operations.items[place].process] = NOT_RUNNING;
    history->operations.length = place;
    stream->brought = false;
}

bool bring_back(struct stream *stream)
{
    const struct shelved shelved = bring_shelved(stream, stream->tracked.length - 1);
    if (!shelf_renew(&stream->shelf, &shelved))
        return false;
    bring_drop(stream);
    return true;
}
