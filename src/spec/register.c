#include "spec/register.h"

#include "spec/bind.h"
#include "value/print.h"

static const struct spec_operation operations[] = {
    [REGISTER_READ] = {.name = "read", .argument = "", .result = "v", .read_only = true},
    [REGISTER_WRITE] = {.name = "write", .argument = "v", .result = ""},
};

enum status register_bind_read(const struct spec *spec, const struct recorded *recorded,
                               struct call *call)
{
    bind_answer(recorded, call);
    if (spec->nil_reads && call->result == VALUE_NIL)
        call->result_known = false;
    return STATUS_OK;
}

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    (void)complaint; /* a register holds any value */
    if (operation == REGISTER_READ)
        return register_bind_read(spec, recorded, call);
    bind_no_result(call);
    return STATUS_OK;
}

bool register_init(const struct spec *spec, value key, struct outcomes *state)
{
    (void)key;
    return outcomes_add(state, &spec->initial, 1, VALUE_NIL);
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    (void)spec;
    if (call->operation == REGISTER_WRITE)
        return outcomes_add(outcomes, &call->argument, 1, VALUE_NIL);
    if (call->result_known && call->result != words[0])
        return true;
    return outcomes_add(outcomes, words, length, words[0]);
}

void register_print_state(const struct spec *spec, const uint64_t *words, size_t length,
                          struct text *text)
{
    (void)spec;
    (void)length;
    value_print_edn(words[0], text);
}

bool register_rename(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                     size_t length)
{
    (void)length;
    words[0] = renaming_apply(renaming, spec->pool, words[0]);
    return words[0] != VALUE_REFUSED;
}

const struct spec_class register_class = {
    .name = "register",
    .summary = "one value that is read and written",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .takes_nil_reads = true,
    .bind = bind,
    .init = register_init,
    .step = step,
    .rename = register_rename,
    .print_state = register_print_state,
};
