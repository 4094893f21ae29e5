#include "spec/queue.h"

#include "spec/sequence.h"

#define INSERTED "true if there was room"

static const struct spec_operation operations[] = {
    [QUEUE_ENQUEUE] = {.name = "enqueue", .aliases = {"enq"}, .argument = "v", .result = ""},
    [QUEUE_DEQUEUE] = {.name = "dequeue",
                       .aliases = {"deq"},
                       .argument = "",
                       .result = "v, nil when empty"},
};

static const struct spec_operation bounded_operations[] = {
    [QUEUE_ENQUEUE] = {.name = "enqueue", .aliases = {"enq"}, .argument = "v", .result = INSERTED},
    [QUEUE_DEQUEUE] = {.name = "dequeue",
                       .aliases = {"deq"},
                       .argument = "",
                       .result = "v, nil when empty"},
};

static const enum sequence_operation ends[] = {
    [QUEUE_ENQUEUE] = SEQUENCE_INSERT_BACK,
    [QUEUE_DEQUEUE] = SEQUENCE_REMOVE_FRONT,
};

static enum status create(struct spec *spec, struct error *error)
{
    return sequence_create(spec, ends, error);
}

const struct spec_class queue_class = {
    .name = "queue",
    .summary = "first in, first out",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .create = create,
    SEQUENCE_MEMBERS,
};

const struct spec_class bounded_queue_class = {
    .name = "queue",
    .parameters = "n",
    .summary = "first in, first out, with room for n values",
    .operations = bounded_operations,
    .operation_count = ARRAY_LENGTH(bounded_operations),
    .create = create,
    SEQUENCE_MEMBERS,
};
