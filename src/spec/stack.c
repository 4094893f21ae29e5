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
    .bind = sequence_bind,
    .init = sequence_init,
    .step = sequence_step,
    .rename = sequence_rename,
    .print_state = sequence_print_state,
    .open = sequence_open,
    .apply = sequence_apply,
    .close = sequence_close,
};
