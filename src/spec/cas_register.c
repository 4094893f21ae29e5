/* The argument of cas is a list of two, the old and the new value. An ok completion means that it
 * swapped, whatever value it carries, unless that is false: then it answered false, which is legal
 * only where the value differs from the old one. */
#include "spec/cas_register.h"

#include "spec/bind.h"
#include "spec/register.h"

static const struct spec_operation operations[] = {
    [CAS_REGISTER_READ] = {.name = "read", .argument = "", .result = "v", .read_only = true},
    [CAS_REGISTER_WRITE] = {.name = "write", .argument = "v", .result = ""},
    [CAS_REGISTER_CAS] = {.name = "cas", .argument = "[old new]", .result = "ok: swapped"},
};

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    switch (operation) {
    case CAS_REGISTER_READ:
        return register_bind_read(spec, recorded, call);
    case CAS_REGISTER_WRITE:
        bind_no_result(call);
        return STATUS_OK;
    default:
        if (!bind_items(recorded->argument, 2))
            return bind_complain(complaint, "[old new]", recorded->argument);
        bind_swapped(recorded, call);
        return STATUS_OK;
    }
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    if (call->operation != CAS_REGISTER_CAS) {
        struct call plain = *call;
        plain.operation = call->operation == CAS_REGISTER_READ ? REGISTER_READ : REGISTER_WRITE;
        return register_class.step(spec, words, length, &plain, outcomes);
    }
    const value *items = bind_items(call->argument, 2);
    value swapped = value_boolean(words[0] == items[0]);
    if (call->result_known && call->result != swapped)
        return true;
    return outcomes_add(outcomes, swapped == VALUE_TRUE ? &items[1] : words, 1, swapped);
}

const struct spec_class cas_register_class = {
    .name = "cas-register",
    .summary = "a register with compare and swap",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .takes_nil_reads = true,
    .bind = bind,
    .init = register_init,
    .step = step,
    .rename = register_rename,
    .print_state = register_print_state,
};
