#include "spec/deque.h"

#include "spec/bind.h"
#include "spec/sequence.h"

#define REMOVED "v, nil when empty"

static const struct spec_operation operations[] = {
    [DEQUE_PUSH_FRONT] = {.name = "push-front", .argument = "v", .result = ""},
    [DEQUE_PUSH_BACK] = {.name = "push-back", .argument = "v", .result = ""},
    [DEQUE_POP_FRONT] = {.name = "pop-front", .argument = "", .result = REMOVED},
    [DEQUE_POP_BACK] = {.name = "pop-back", .argument = "", .result = REMOVED},
};

static bool inserts(uint16_t operation)
{
    return operation == DEQUE_PUSH_FRONT || operation == DEQUE_PUSH_BACK;
}

static enum sequence_end end_of(uint16_t operation)
{
    return operation == DEQUE_PUSH_FRONT || operation == DEQUE_POP_FRONT ? SEQUENCE_FRONT
                                                                         : SEQUENCE_BACK;
}

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    (void)spec;
    if (inserts(operation))
        return bind_insertion(recorded, call, complaint);
    bind_removal(recorded, call);
    return STATUS_OK;
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    (void)spec;
    enum sequence_end end = end_of(call->operation);
    if (inserts(call->operation))
        return sequence_step_insert(words, length, end, call, outcomes);
    return sequence_step_remove(words, length, end, call, outcomes);
}

static enum applied apply(struct spec_object *object, const struct call *call, value *result)
{
    enum sequence_end end = end_of(call->operation);
    if (inserts(call->operation))
        return sequence_apply_insert(object, end, call, result);
    return sequence_apply_remove(object, end, call, result);
}

const struct spec_class deque_class = {
    .name = "deque",
    .summary = "a queue with two ends",
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
