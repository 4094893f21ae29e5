/* The state has one word per element, ascending by value_compare. What a read answered is bound as
 * a set, however it was recorded; a list with an element twice stays a list, which no set is. */
#include "spec/grow_set.h"

#include <string.h>

#include "spec/bag.h"
#include "spec/bind.h"
#include "spec/sequence.h"
#include "spec/set.h"
#include "spec/sorted.h"

static const struct spec_operation operations[] = {
    [GROW_SET_ADD] = {.name = "add", .argument = "v", .result = ""},
    [GROW_SET_READ] = {.name = "read", .argument = "", .result = "all v", .read_only = true},
};

static bool is_collection(value v)
{
    enum value_kind kind = value_kind_of(v);
    return kind == KIND_LIST || kind == KIND_SET;
}

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    if (operation == GROW_SET_ADD) {
        if (recorded->argument == VALUE_NIL)
            return bind_complain(complaint, "an element, not nil", recorded->argument);
        bind_no_result(call);
        return STATUS_OK;
    }
    bind_answer(recorded, call);
    if (!call->result_known)
        return STATUS_OK;
    if (!is_collection(call->result))
        return bind_complain(complaint, "a list or set of all elements as result", call->result);
    size_t length, distinct;
    const value *items = value_get_items(call->result, &length);
    value set = value_set(spec->pool, items, length);
    TRY_MEMORY(set != VALUE_REFUSED);
    (void)value_get_items(set, &distinct);
    if (distinct == length)
        call->result = set;
    return STATUS_OK;
}

static bool step_add(const uint64_t *words, size_t length, value element, struct outcomes *outcomes)
{
    bool present;
    size_t place = sorted_find(words, length, element, &present);
    return present ? outcomes_add(outcomes, words, length, VALUE_NIL)
                   : sorted_step_insert(words, length, place, element, VALUE_NIL, outcomes);
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    if (call->operation == GROW_SET_ADD)
        return step_add(words, length, call->argument, outcomes);
    value result = call->result;
    if (call->result_known) {
        size_t found;
        const value *items = value_get_items(result, &found);
        if (value_kind_of(result) != KIND_SET || found != length ||
            (length && memcmp(items, words, length * sizeof *words) != 0))
            return true;
    } else {
        result = value_set(spec->pool, words, length);
    }
    return result != VALUE_REFUSED && outcomes_add(outcomes, words, length, result);
}

/* The items of a set are distinct, so as many of them that are all there are all. */
static bool is_whole(const struct spec_object *object, value result)
{
    size_t length;
    const value *items = value_get_items(result, &length);
    bool whole = value_kind_of(result) == KIND_SET && length == object->values.size;
    for (size_t i = 0; whole && i < length; i++)
        whole = bag_count(&object->values, items[i]) > 0;
    return whole;
}

static value read_all(const struct spec_object *object)
{
    size_t length = object->values.size, size = length * sizeof(value);
    value *items = memory_allocate(object->values.budget, size);
    if (!items)
        return VALUE_REFUSED;
    bag_list(&object->values, items);
    value set = value_set(object->spec->pool, items, length);
    memory_release(object->values.budget, items, size);
    return set;
}

static enum applied apply(struct spec_object *object, const struct call *call, value *result)
{
    value answer = VALUE_NIL;
    if (call->operation == GROW_SET_ADD) {
        if (!bag_count(&object->values, call->argument) &&
            !bag_add(&object->values, call->argument))
            return APPLIED_REFUSED;
    } else if (call->result_known) {
        if (!is_whole(object, call->result))
            return APPLIED_ILLEGAL;
        answer = call->result;
    } else if (result && (answer = read_all(object)) == VALUE_REFUSED) {
        return APPLIED_REFUSED;
    }
    if (result)
        *result = answer;
    return APPLIED_LEGAL;
}

const struct spec_class grow_set_class = {
    .name = "grow-set",
    .summary = "a set that only grows, read as a whole",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .create = set_create,
    .bind = bind,
    .init = sequence_init,
    .step = step,
    .rename = sorted_rename,
    .print_state = set_print_state,
    .open = bag_object_open,
    .apply = apply,
    .close = bag_object_close,
};
