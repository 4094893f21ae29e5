#include "spec/bind.h"

#include "value/print.h"

enum status bind_complain(struct text *complaint, const char *expected, value found)
{
    text_format(complaint, "expected %s, found ", expected);
    value_print_edn(found, complaint);
    return STATUS_INPUT;
}

enum status bind_insertion(const struct recorded *recorded, struct call *call,
                           struct text *complaint)
{
    if (recorded->argument == VALUE_NIL)
        return bind_complain(complaint, "a value other than nil (which reads as empty)",
                             recorded->argument);
    bind_no_result(call);
    return STATUS_OK;
}

void bind_answer(const struct recorded *recorded, struct call *call)
{
    if (recorded->completed && !recorded->result_recorded && recorded->argument != VALUE_NIL) {
        call->result = recorded->argument;
        call->result_known = true;
    }
    call->argument = VALUE_NIL;
}

void bind_removal(const struct recorded *recorded, struct call *call)
{
    bind_answer(recorded, call);
    call->read_only = call->result_known && call->result == VALUE_NIL;
}

void bind_no_result(struct call *call)
{
    call->result_known = false;
}

enum status bind_nothing(const struct spec *spec, uint16_t operation,
                         const struct recorded *recorded, struct call *call, struct text *complaint)
{
    (void)spec;
    (void)operation;
    (void)recorded;
    (void)complaint;
    call->argument = VALUE_NIL;
    bind_no_result(call);
    return STATUS_OK;
}

void bind_swapped(const struct recorded *recorded, struct call *call)
{
    bool refused = recorded->result_recorded && recorded->result == VALUE_FALSE;
    call->result_known = recorded->completed;
    call->result = value_boolean(!refused);
    call->read_only = recorded->completed && refused;
}

const value *bind_items(value list, size_t count)
{
    size_t length;
    const value *items = value_get_items(list, &length);
    return value_kind_of(list) == KIND_LIST && length == count ? items : NULL;
}

bool bind_is_collection(value collection, bool or_set)
{
    enum value_kind kind = value_kind_of(collection);
    size_t length;
    const value *items = value_get_items(collection, &length);
    bool right = kind == KIND_LIST || (kind == KIND_SET && or_set);
    for (size_t i = 0; right && i < length; i++)
        right = items[i] != VALUE_NIL;
    return right;
}

enum status bind_bad_initial(const struct spec *spec, const char *expected, struct error *error)
{
    struct text found = TEXT_EMPTY;
    value_print_edn(spec->initial, &found);
    error_set(error, STATUS_USAGE, NULL, 0, "initial value of %s: expected %s, found %s",
              spec->class->name, expected, text_string(&found));
    text_release(&found);
    return STATUS_USAGE;
}

enum status bind_refused(struct error *error)
{
    return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
}
