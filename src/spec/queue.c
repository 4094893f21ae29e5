#include "spec/queue.h"

#include "spec/sequence.h"

static const struct spec_operation operations[] = {
    [QUEUE_ENQUEUE] = {.name = "enqueue", .aliases = {"enq"}, .argument = "v", .result = ""},
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
