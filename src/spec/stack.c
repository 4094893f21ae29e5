#include "spec/stack.h"

#include "spec/bind.h"
#include "spec/sequence.h"

static const struct spec_operation operations[] = {
    [STACK_PUSH] = {.name = "push", .argument = "v", .result = ""},
    [STACK_POP] = {.name = "pop", .argument = "", .result = "v, nil when empty"},
};

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    (void)spec;
    if (operation == STACK_PUSH)
        return bind_insertion(recorded, call, complaint);
    bind_removal(recorded, call);
    return STATUS_OK;
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    (void)spec;
    if (call->operation == STACK_PUSH)
        return sequence_step_insert(words, length, SEQUENCE_BACK, call, outcomes);
    return sequence_step_remove(words, length, SEQUENCE_BACK, call, outcomes);
}

static enum applied apply(struct spec_object *object, const struct call *call, value *result)
{
    if (call->operation == STACK_PUSH)
        return sequence_apply_insert(object, SEQUENCE_BACK, call, result);
    return sequence_apply_remove(object, SEQUENCE_BACK, call, result);
}

const struct spec_class stack_class = {
    .name = "stack",
    .summary = "last in, first out",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .create = sequence_create,
    .bind = bind,
    .init = sequence_init,
    .step = step,
    .print_state = sequence_print_state,
    .open = sequence_open,
    .apply = apply,
    .close = sequence_close,
};
