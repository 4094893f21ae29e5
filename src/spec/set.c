/* The state has one word per element, ascending by value_compare. Every element is a key of its
 * own: a set is as many booleans that never interact. The mutable object is a bag that has each
 * element once. */
#include "spec/set.h"

#include <string.h>

#include "spec/bag.h"
#include "spec/bind.h"
#include "spec/sorted.h"
#include "value/print.h"

static const struct spec_operation operations[] = {
    [SET_ADD] = {.name = "add", .argument = "v", .result = "true if added"},
    [SET_REMOVE] = {.name = "remove", .argument = "v", .result = "true if removed"},
    [SET_CONTAINS] = {.name = "contains", .argument = "v", .result = "bool", .read_only = true},
};

enum status set_create(struct spec *spec, struct error *error)
{
    if (!spec->has_initial)
        return STATUS_OK;
    if (!bind_is_collection(spec->initial, true))
        return bind_bad_initial(spec, "a list or set of values other than nil", error);
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    spec->initial = value_set(spec->pool, items, length);
    return spec->initial == VALUE_REFUSED ? bind_refused(error) : STATUS_OK;
}

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    (void)spec;
    if (recorded->argument == VALUE_NIL)
        return bind_complain(complaint, "an element, not nil", recorded->argument);
    if (value_kind_of(call->result) != KIND_BOOLEAN)
        call->result_known = false; /* often the element, echoed */
    if (call->result_known)
        call->read_only = operation == SET_CONTAINS || call->result == VALUE_FALSE;
    return STATUS_OK;
}

static bool keys(const struct spec *spec, const struct call *call, struct spec_keys *found)
{
    (void)spec;
    return vector_push(&found->items, call->argument);
}

static bool init(const struct spec *spec, value key, struct outcomes *state)
{
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    if (key == VALUE_NIL)
        return outcomes_add(state, items, length, VALUE_NIL);
    bool present;
    sorted_find(items, length, key, &present);
    return outcomes_add(state, &key, present, VALUE_NIL);
}

/* What `operation` answers, and whether the element is there afterwards. */
static value answer(uint16_t operation, bool present, bool *after)
{
    *after = operation == SET_ADD || (operation == SET_CONTAINS && present);
    return value_boolean(operation == SET_ADD ? !present : present);
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    (void)spec;
    bool present, after;
    size_t place = sorted_find(words, length, call->argument, &present);
    value result = answer(call->operation, present, &after);
    if (call->result_known && call->result != result)
        return true;
    if (present == after)
        return outcomes_add(outcomes, words, length, result);
    if (after)
        return sorted_step_insert(words, length, place, call->argument, result, outcomes);
    uint64_t *room = outcomes_add_room(outcomes, length - 1, result);
    if (!room)
        return false;
    if (place)
        memcpy(room, words, place * sizeof *words);
    if (place + 1 < length)
        memcpy(room + place, words + place + 1, (length - place - 1) * sizeof *words);
    return true;
}

void set_print_state(const struct spec *spec, const uint64_t *words, size_t length,
                     struct text *text)
{
    (void)spec;
    text_append(text, "#{");
    for (size_t i = 0; i < length; i++) {
        if (i > 0)
            text_append_char(text, ' ');
        value_print_edn(words[i], text);
    }
    text_append_char(text, '}');
}

static enum applied apply(struct spec_object *object, const struct call *call, value *result)
{
    bool present = bag_count(&object->values, call->argument) > 0, after;
    value answered = answer(call->operation, present, &after);
    if (call->result_known && call->result != answered)
        return APPLIED_ILLEGAL;
    if (present != after && !(after ? bag_add : bag_remove)(&object->values, call->argument))
        return APPLIED_REFUSED;
    if (result)
        *result = answered;
    return APPLIED_LEGAL;
}

const struct spec_class set_class = {
    .name = "set",
    .summary = "values that are added, removed and looked for",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .create = set_create,
    .bind = bind,
    .keys = keys,
    .init = init,
    .step = step,
    .rename = sorted_rename,
    .print_state = set_print_state,
    .open = bag_object_open_key,
    .apply = apply,
    .close = bag_object_close,
};
