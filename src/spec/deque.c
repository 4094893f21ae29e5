#include "spec/deque.h"

#include "spec/sequence.h"

#define REMOVED  "v, nil when empty"
#define INSERTED "true if there was room"

static const struct spec_operation operations[] = {
    [DEQUE_PUSH_FRONT] = {.name = "push-front", .argument = "v", .result = ""},
    [DEQUE_PUSH_BACK] = {.name = "push-back", .argument = "v", .result = ""},
    [DEQUE_POP_FRONT] = {.name = "pop-front", .argument = "", .result = REMOVED},
    [DEQUE_POP_BACK] = {.name = "pop-back", .argument = "", .result = REMOVED},
};

static const struct spec_operation bounded_operations[] = {
    [DEQUE_PUSH_FRONT] = {.name = "push-front", .argument = "v", .result = INSERTED},
    [DEQUE_PUSH_BACK] = {.name = "push-back", .argument = "v", .result = INSERTED},
    [DEQUE_POP_FRONT] = {.name = "pop-front", .argument = "", .result = REMOVED},
    [DEQUE_POP_BACK] = {.name = "pop-back", .argument = "", .result = REMOVED},
};

static const enum sequence_operation ends[] = {
    [DEQUE_PUSH_FRONT] = SEQUENCE_INSERT_FRONT,
    [DEQUE_PUSH_BACK] = SEQUENCE_INSERT_BACK,
    [DEQUE_POP_FRONT] = SEQUENCE_REMOVE_FRONT,
    [DEQUE_POP_BACK] = SEQUENCE_REMOVE_BACK,
};

static enum status create(struct spec *spec, struct error *error)
{
    return sequence_create(spec, ends, error);
}

const struct spec_class deque_class = {
    .name = "deque",
    .summary = "a queue with two ends",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .create = create,
    SEQUENCE_MEMBERS,
};

const struct spec_class bounded_deque_class = {
    .name = "deque",
    .parameters = "n",
    .summary = "a queue with two ends, with room for n values",
    .operations = bounded_operations,
    .operation_count = ARRAY_LENGTH(bounded_operations),
    .create = create,
    SEQUENCE_MEMBERS,
};
