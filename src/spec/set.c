/* The state has one word per element, ascending by value_compare. Every element is a key of its
 * own: a set is as many booleans that never interact. The mutable object is an open-addressing
 * table with linear probing; removing closes the gap, so there are no tombstones. (From
 * base/table.h nothing can be removed.) */
#include "spec/set.h"

#include <string.h>

#include "base/hash.h"
#include "spec/bind.h"
#include "value/print.h"

static const struct spec_operation operations[] = {
    [SET_ADD] = {.name = "add", .argument = "v", .result = "true if added"},
    [SET_REMOVE] = {.name = "remove", .argument = "v", .result = "true if removed"},
    [SET_CONTAINS] = {.name = "contains", .argument = "v", .result = "bool", .read_only = true},
};

static enum status create(struct spec *spec, struct error *error)
{
    if (!spec->has_initial)
        return STATUS_OK;
    enum value_kind kind = value_kind_of(spec->initial);
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    bool right = kind == KIND_LIST || kind == KIND_SET;
    for (size_t i = 0; right && i < length; i++)
        right = items[i] != VALUE_NIL;
    if (!right)
        return bind_bad_initial(spec, "a list or set of values other than nil", error);
    value set = value_set(spec->pool, items, length);
    if (set == VALUE_REFUSED)
        return bind_refused(error);
    spec->initial = set;
    return STATUS_OK;
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

/* The place of `element` among the sorted words, or where it belongs. */
static size_t find(const uint64_t *words, size_t length, value element, bool *present)
{
    size_t low = 0, high = length;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = value_compare(words[middle], element);
        if (order == 0) {
            *present = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *present = false;
    return low;
}

static bool init(const struct spec *spec, value key, struct outcomes *state)
{
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    if (key == VALUE_NIL)
        return outcomes_add(state, items, length, VALUE_NIL);
    bool present;
    find(items, length, key, &present);
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
    size_t place = find(words, length, call->argument, &present);
    value result = answer(call->operation, present, &after);
    if (call->result_known && call->result != result)
        return true;
    if (present == after)
        return outcomes_add(outcomes, words, length, result);
    uint64_t *room = outcomes_add_room(outcomes, after ? length + 1 : length - 1, result);
    if (!room)
        return false;
    const uint64_t *rest = words + place + (after ? 0 : 1), *end = words + length;
    if (place)
        memcpy(room, words, place * sizeof *words);
    if (after)
        room[place++] = call->argument;
    if (rest < end)
        memcpy(room + place, rest, (size_t)(end - rest) * sizeof *words);
    return true;
}

/* Sorted again by insertion: the sets of models are small. */
bool set_rename_elements(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                         size_t length)
{
    for (size_t i = 0; i < length; i++) {
        value renamed = renaming_apply(renaming, spec->pool, words[i]);
        size_t at = i;
        if (renamed == VALUE_REFUSED)
            return false;
        for (; at > 0 && value_compare(words[at - 1], renamed) > 0; at--)
            words[at] = words[at - 1];
        words[at] = renamed;
    }
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

struct spec_object {
    struct budget *budget;
    value *slots;    /* nil: free */
    size_t capacity; /* a power of two, or 0 */
    size_t used;     /* at most half the capacity */
};

static void close_object(struct spec_object *object)
{
    memory_release(object->budget, object->slots, object->capacity * sizeof *object->slots);
    memory_release(object->budget, object, sizeof *object);
}

/* The slot that holds `element`, or the free one where it belongs. */
static size_t slot_of(const struct spec_object *object, value element)
{
    size_t mask = object->capacity - 1, at = hash_word(element) & mask;
    while (object->slots[at] != VALUE_NIL && object->slots[at] != element)
        at = (at + 1) & mask;
    return at;
}

static bool table_grow(struct spec_object *object)
{
    struct spec_object larger = *object;
    larger.capacity = object->capacity ? object->capacity * 2 : 4;
    larger.slots = memory_zeroed(object->budget, larger.capacity * sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < object->capacity; i++)
        if (object->slots[i] != VALUE_NIL)
            larger.slots[slot_of(&larger, object->slots[i])] = object->slots[i];
    memory_release(object->budget, object->slots, object->capacity * sizeof *object->slots);
    *object = larger;
    return true;
}

static bool table_add(struct spec_object *object, value element)
{
    if (object->used * 2 >= object->capacity && !table_grow(object))
        return false;
    object->slots[slot_of(object, element)] = element;
    object->used++;
    return true;
}

/* Empties a slot, and moves back whatever was pushed on by it. */
static void table_remove(struct spec_object *object, size_t gap)
{
    size_t mask = object->capacity - 1;
    for (size_t at = (gap + 1) & mask; object->slots[at] != VALUE_NIL; at = (at + 1) & mask) {
        size_t home = hash_word(object->slots[at]) & mask;
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            object->slots[gap] = object->slots[at];
            gap = at;
        }
    }
    object->slots[gap] = VALUE_NIL;
    object->used--;
}

static struct spec_object *open_object(const struct spec *spec, value key, struct budget *budget)
{
    struct spec_object *object = memory_zeroed(budget, sizeof *object);
    if (!object)
        return NULL;
    object->budget = budget;
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    for (size_t i = 0; i < length; i++)
        if ((key == VALUE_NIL || key == items[i]) && !table_add(object, items[i])) {
            close_object(object);
            return NULL;
        }
    return object;
}

static enum applied apply(struct spec_object *object, const struct call *call, value *result)
{
    size_t slot = object->capacity ? slot_of(object, call->argument) : 0;
    bool present = object->capacity && object->slots[slot] != VALUE_NIL, after;
    value answered = answer(call->operation, present, &after);
    if (call->result_known && call->result != answered)
        return APPLIED_ILLEGAL;
    if (present && !after)
        table_remove(object, slot);
    if (!present && after && !table_add(object, call->argument))
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
    .create = create,
    .bind = bind,
    .keys = keys,
    .init = init,
    .step = step,
    .rename = set_rename_elements,
    .print_state = set_print_state,
    .open = open_object,
    .apply = apply,
    .close = close_object,
};
