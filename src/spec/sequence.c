/* A ring whose capacity is a power of two, doubled when it is full. */
#include "spec/sequence.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "spec/bind.h"
#include "value/print.h"

static bool is_bounded(const struct spec *spec)
{
    return spec->parameter_count > 0;
}

static bool has_room(const struct spec *spec, size_t length)
{
    return !is_bounded(spec) || length < (uint64_t)spec->parameters[0];
}

enum status sequence_create(struct spec *spec, const enum sequence_operation *operations,
                            struct error *error)
{
    const char *name = spec->class->name;
    size_t length;
    spec->data = (void *)operations;
    if (spec->class->parameters && (spec->parameter_count != 1 || spec->parameters[0] < 1))
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "%s: expected how many values it holds at most, at least 1, as in %s(2)",
                         name, name);
    if (!spec->has_initial)
        return STATUS_OK;
    value_get_items(spec->initial, &length);
    if (is_bounded(spec) && length > (uint64_t)spec->parameters[0])
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "initial value of %s: expected a list of at most %" PRId64
                         " values, found %zu",
                         name, spec->parameters[0], length);
    const char *expected = "a list of values other than nil, front first (of a stack: bottom "
                           "first)";
    return bind_is_collection(spec->initial, false) ? STATUS_OK
                                                    : bind_bad_initial(spec, expected, error);
}

bool sequence_init(const struct spec *spec, value key, struct outcomes *state)
{
    (void)key;
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    return outcomes_add(state, items, length, VALUE_NIL);
}

bool sequence_rename(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                     size_t length)
{
    bool room = true;
    for (size_t i = 0; i < length && room; i++) {
        words[i] = renaming_apply(renaming, spec->pool, words[i]);
        room = words[i] != VALUE_REFUSED;
    }
    return room;
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

static enum sequence_operation operation_of(const struct spec *spec, const struct call *call)
{
    const enum sequence_operation *operations = spec->data;
    return operations[call->operation];
}

static bool inserts(enum sequence_operation operation)
{
    return operation == SEQUENCE_INSERT_FRONT || operation == SEQUENCE_INSERT_BACK;
}

bool sequence_inserts(const struct spec *spec, const struct call *call)
{
    return inserts(operation_of(spec, call));
}

static bool at_front(enum sequence_operation operation)
{
    return operation == SEQUENCE_INSERT_FRONT || operation == SEQUENCE_REMOVE_FRONT;
}

enum status sequence_bind(const struct spec *spec, uint16_t operation,
                          const struct recorded *recorded, struct call *call,
                          struct text *complaint)
{
    (void)operation;
    if (!inserts(operation_of(spec, call))) {
        bind_removal(recorded, call);
        return STATUS_OK;
    }
    bool answers =
        is_bounded(spec) && call->result_known && value_kind_of(recorded->result) == KIND_BOOLEAN;
    TRY(bind_insertion(recorded, call, complaint));
    call->result_known = answers;
    call->read_only = answers && recorded->result == VALUE_FALSE;
    return STATUS_OK;
}

static bool step_insert(const struct spec *spec, const uint64_t *words, size_t length, bool front,
                        const struct call *call, struct outcomes *outcomes)
{
    bool fits = has_room(spec, length);
    value answer = is_bounded(spec) ? value_boolean(fits) : VALUE_NIL;
    if (call->result_known && call->result != answer)
        return true;
    if (!fits)
        return outcomes_add(outcomes, words, length, answer);
    uint64_t *room = outcomes_add_room(outcomes, length + 1, answer);
    if (!room)
        return false;
    if (length)
        memcpy(front ? room + 1 : room, words, length * sizeof *words);
    room[front ? 0 : length] = call->argument;
    return true;
}

static bool step_remove(const uint64_t *words, size_t length, bool front, const struct call *call,
                        struct outcomes *outcomes)
{
    value answer = VALUE_NIL;
    if (length)
        answer = words[front ? 0 : length - 1];
    if (call->result_known && call->result != answer)
        return true;
    if (length == 0)
        return outcomes_add(outcomes, words, 0, answer);
    return outcomes_add(outcomes, front ? words + 1 : words, length - 1, answer);
}

bool sequence_step_front(const uint64_t *words, size_t length, const struct call *call,
                         struct outcomes *outcomes)
{
    return step_remove(words, length, true, call, outcomes);
}

bool sequence_step(const struct spec *spec, const uint64_t *words, size_t length,
                   const struct call *call, struct outcomes *outcomes)
{
    enum sequence_operation operation = operation_of(spec, call);
    if (inserts(operation))
        return step_insert(spec, words, length, at_front(operation), call, outcomes);
    return step_remove(words, length, at_front(operation), call, outcomes);
}

/* `count` values from ring[first] on, wrapping around. */
struct spec_object {
    const struct spec *spec;
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
    object->spec = spec;
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

static enum applied apply_insert(struct spec_object *object, bool front, const struct call *call,
                                 value *answer)
{
    bool bounded = object->spec->parameter_count == 1;
    bool full = bounded && (int64_t)object->count >= object->spec->parameters[0];
    *answer = !bounded ? VALUE_NIL : full ? VALUE_FALSE : VALUE_TRUE;
    if (call->result_known && *answer != call->result)
        return APPLIED_ILLEGAL;
    if (full)
        return APPLIED_LEGAL;
    if (object->count == object->capacity && !ring_grow(object, object->count + 1))
        return APPLIED_REFUSED;
    size_t mask = object->capacity - 1;
    assert((object->capacity & mask) == 0);
    if (front)
        object->first = (object->first - 1) & mask;
    object->ring[(object->first + (front ? 0 : object->count)) & mask] = call->argument;
    object->count++;
    return APPLIED_LEGAL;
}

static enum applied apply_remove(struct spec_object *object, bool front, const struct call *call,
                                 value *answer)
{
    size_t mask = object->capacity - 1;
    *answer = VALUE_NIL;
    if (object->count)
        *answer = object->ring[(object->first + (front ? 0 : object->count - 1)) & mask];
    if (call->result_known && call->result != *answer)
        return APPLIED_ILLEGAL;
    if (object->count == 0)
        return APPLIED_LEGAL;
    if (front)
        object->first = (object->first + 1) & mask;
    object->count--;
    return APPLIED_LEGAL;
}

enum applied sequence_apply(struct spec_object *object, const struct call *call, value *result)
{
    enum sequence_operation operation = operation_of(object->spec, call);
    value answer = VALUE_NIL;
    enum applied applied = inserts(operation)
                               ? apply_insert(object, at_front(operation), call, &answer)
                               : apply_remove(object, at_front(operation), call, &answer);
    if (result && applied == APPLIED_LEGAL)
        *result = answer;
    return applied;
}

void sequence_close(struct spec_object *object)
{
    memory_release(object->budget, object->ring, object->capacity * sizeof *object->ring);
    memory_release(object->budget, object, sizeof *object);
}
