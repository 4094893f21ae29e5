#include "spec/sequence.h"

#include <assert.h>
#include <string.h>

#include "spec/bind.h"
#include "value/print.h"

enum status sequence_create(struct spec *spec, struct error *error)
{
    if (!spec->has_initial)
        return STATUS_OK;
    const char *expected = "a list of values other than nil, front first (of a stack: bottom "
                           "first)";
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    if (value_kind_of(spec->initial) != KIND_LIST)
        return bind_bad_initial(spec, expected, error);
    for (size_t i = 0; i < length; i++)
        if (items[i] == VALUE_NIL)
            return bind_bad_initial(spec, expected, error);
    return STATUS_OK;
}

bool sequence_init(const struct spec *spec, value key, struct outcomes *state)
{
    (void)key;
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    return outcomes_add(state, items, length, VALUE_NIL);
}

void sequence_print_state(const struct spec *spec, const uint64_t *words, size_t length,
                          struct text *text)
{
    (void)spec;
    text_append_char(text, '[');
    for (size_t i = 0; i < length; i++) {
        if (i > 0)
            text_append_char(text, ' ');
        value_print_edn(words[i], text);
    }
    text_append_char(text, ']');
}

bool sequence_step_insert(const uint64_t *words, size_t length, enum sequence_end end,
                          const struct call *call, struct outcomes *outcomes)
{
    uint64_t *room = outcomes_add_room(outcomes, length + 1, VALUE_NIL);
    if (!room)
        return false;
    if (length)
        memcpy(end == SEQUENCE_FRONT ? room + 1 : room, words, length * sizeof *words);
    room[end == SEQUENCE_FRONT ? 0 : length] = call->argument;
    return true;
}

bool sequence_step_remove(const uint64_t *words, size_t length, enum sequence_end end,
                          const struct call *call, struct outcomes *outcomes)
{
    value answer = VALUE_NIL;
    if (length)
        answer = words[end == SEQUENCE_FRONT ? 0 : length - 1];
    if (call->result_known && call->result != answer)
        return true;
    if (length == 0)
        return outcomes_add(outcomes, words, 0, answer);
    return outcomes_add(outcomes, end == SEQUENCE_FRONT ? words + 1 : words, length - 1, answer);
}

/* `count` values from ring[first] on, wrapping around. */
struct spec_object {
    struct budget *budget;
    value *ring;
    size_t capacity; /* a power of two, or 0 */
    size_t first, count;
};

static bool ring_grow(struct spec_object *object, size_t least)
{
    size_t capacity = object->capacity ? object->capacity * 2 : 16;
    while (capacity < least)
        capacity *= 2;
    value *ring = memory_allocate(object->budget, capacity * sizeof *ring);
    if (!ring)
        return false;
    for (size_t i = 0; i < object->count; i++)
        ring[i] = object->ring[(object->first + i) & (object->capacity - 1)];
    memory_release(object->budget, object->ring, object->capacity * sizeof *object->ring);
    object->ring = ring;
    object->capacity = capacity;
    object->first = 0;
    return true;
}

struct spec_object *sequence_open(const struct spec *spec, value key, struct budget *budget)
{
    (void)key;
    struct spec_object *object = memory_zeroed(budget, sizeof *object);
    if (!object)
        return NULL;
    object->budget = budget;
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    if (length && !ring_grow(object, length)) {
        sequence_close(object);
        return NULL;
    }
    if (length)
        memcpy(object->ring, items, length * sizeof *items);
    object->count = length;
    return object;
}

enum applied sequence_apply_insert(struct spec_object *object, enum sequence_end end,
                                   const struct call *call, value *result)
{
    if (object->count == object->capacity && !ring_grow(object, object->count + 1))
        return APPLIED_REFUSED;
    size_t mask = object->capacity - 1;
    assert((object->capacity & mask) == 0);
    if (end == SEQUENCE_FRONT)
        object->first = (object->first - 1) & mask;
    size_t place = end == SEQUENCE_FRONT ? 0 : object->count;
    object->ring[(object->first + place) & mask] = call->argument;
    object->count++;
    if (result)
        *result = VALUE_NIL;
    return APPLIED_LEGAL;
}

enum applied sequence_apply_remove(struct spec_object *object, enum sequence_end end,
                                   const struct call *call, value *result)
{
    value answer = VALUE_NIL;
    size_t place = end == SEQUENCE_FRONT ? 0 : object->count - 1;
    if (object->count)
        answer = object->ring[(object->first + place) & (object->capacity - 1)];
    if (call->result_known && call->result != answer)
        return APPLIED_ILLEGAL;
    if (object->count) {
        if (end == SEQUENCE_FRONT)
            object->first = (object->first + 1) & (object->capacity - 1);
        object->count--;
    }
    if (result)
        *result = answer;
    return APPLIED_LEGAL;
}

void sequence_close(struct spec_object *object)
{
    memory_release(object->budget, object->ring, object->capacity * sizeof *object->ring);
    memory_release(object->budget, object, sizeof *object);
}
