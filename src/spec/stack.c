#include "spec/stack.h"

#include "spec/sequence.h"

static const struct spec_operation operations[] = {
    [STACK_PUSH] = {.name = "push", .argument = "v", .result = ""},
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
