#include "spec/stack.h"

#include "spec/sequence.h"

#define INSERTED "true if there was room"

static const struct spec_operation operations[] = {
    [STACK_PUSH] = {.name = "push", .argument = "v", .result = ""},
    [STACK_POP] = {.name = "pop", .argument = "", .result = "v, nil when empty"},
};

static const struct spec_operation bounded_operations[] = {
    [STACK_PUSH] = {.name = "push", .argument = "v", .result = INSERTED},
    [STACK_POP] = {.name = "pop", .argument = "", .result = "v, nil when empty"},
};

static const enum sequence_operation ends[] = {
    [STACK_PUSH] = SEQUENCE_INSERT_BACK,
    [STACK_POP] = SEQUENCE_REMOVE_BACK,
};

static enum status create(struct spec *spec, struct error *error)
{
    return sequence_create(spec, ends, error);
}

const struct spec_class stack_class = {
    .name = "stack",
    .summary = "last in, first out",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .create = create,
    SEQUENCE_MEMBERS,
};

const struct spec_class bounded_stack_class = {
    .name = "stack",
    .parameters = "n",
    .summary = "last in, first out, with room for n values",
    .operations = bounded_operations,
    .operation_count = ARRAY_LENGTH(bounded_operations),
    .create = create,
    SEQUENCE_MEMBERS,
};
