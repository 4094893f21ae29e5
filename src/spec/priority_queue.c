/* Numbers, least first. A number is one value here, however it was written: 1.0 is bound as 1, so
 * equal numbers are equal values and it does not matter which of them comes out.
 *
 * The state has one word per number, ascending. The mutable object is a binary heap. */
#include "spec/priority_queue.h"

#include <assert.h>
#include <math.h>

#include "spec/bind.h"
#include "spec/sequence.h"
#include "spec/sorted.h"

static const struct spec_operation operations[] = {
    [PRIORITY_QUEUE_INSERT] = {.name = "insert", .argument = "v", .result = ""},
    [PRIORITY_QUEUE_DELETE_MIN] = {.name = "delete-min",
                                   .argument = "",
                                   .result = "v, least number first, nil when empty"},
};

/* The number as an integer if it is one, else as a real; VALUE_NIL for what is no number, or one
 * that neither 64 bits nor a double hold, which is kept by its letters. */
static value number(struct value_pool *pool, value v)
{
    enum value_kind kind = value_kind_of(v);
    if (kind == KIND_INTEGER)
        return v;
    if (kind != KIND_REAL || isnan(value_object(v)->content.real))
        return VALUE_NIL;
    double real = value_object(v)->content.real;
    bool integral = real >= -0x1p63 && real < 0x1p63 && real == floor(real);
    return integral ? value_integer(pool, (int64_t)real) : v;
}

/* `initial` becomes a sorted list of numbers. */
static enum status create(struct spec *spec, struct error *error)
{
    if (!spec->has_initial)
        return STATUS_OK;
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    value *numbers = memory_allocate(spec->budget, length * sizeof *numbers);
    if (!numbers)
        return bind_refused(error);
    bool right = value_kind_of(spec->initial) == KIND_LIST;
    for (size_t i = 0; right && i < length; i++) {
        numbers[i] = number(spec->pool, items[i]);
        right = numbers[i] != VALUE_NIL;
    }
    enum status status = STATUS_OK;
    if (!right)
        status = bind_bad_initial(spec, "a list of numbers of 64 bits", error);
    else if ((spec->initial = sorted_list(spec, numbers, length)) == VALUE_REFUSED)
        status = bind_refused(error);
    memory_release(spec->budget, numbers, length * sizeof *numbers);
    return status;
}

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    if (operation == PRIORITY_QUEUE_INSERT) {
        call->argument = number(spec->pool, recorded->argument);
        if (call->argument == VALUE_NIL)
            return bind_complain(complaint, "a number of 64 bits", recorded->argument);
        bind_no_result(call);
        return call->argument == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
    }
    bind_removal(recorded, call);
    if (!call->result_known || call->result == VALUE_NIL)
        return STATUS_OK;
    value found = call->result;
    call->result = number(spec->pool, found);
    if (call->result == VALUE_NIL)
        return bind_complain(complaint, "a number of 64 bits or nil as result", found);
    return call->result == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    (void)spec;
    if (call->operation == PRIORITY_QUEUE_INSERT)
        return sorted_step_insert(words, length, sorted_find(words, length, call->argument, NULL),
                                  call->argument, VALUE_NIL, outcomes);
    return sequence_step_front(words, length, call, outcomes);
}

struct spec_object {
    struct budget *budget;
    VECTOR(value) heap;
};

static bool heap_push(struct spec_object *object, value v)
{
    if (!vector_push(&object->heap, v))
        return false;
    value *items = object->heap.items;
    size_t at = object->heap.length - 1;
    for (; at > 0 && value_compare(v, items[(at - 1) / 2]) < 0; at = (at - 1) / 2)
        items[at] = items[(at - 1) / 2];
    items[at] = v;
    return true;
}

static void heap_pop(struct spec_object *object)
{
    assert(object->heap.length > 0);
    value *items = object->heap.items, last = items[--object->heap.length];
    size_t length = object->heap.length, at = 0;
    for (size_t child = 1; child < length; child = 2 * at + 1) {
        if (child + 1 < length && value_compare(items[child + 1], items[child]) < 0)
            child++;
        if (value_compare(last, items[child]) <= 0)
            break;
        items[at] = items[child];
        at = child;
    }
    items[at] = last;
}

static void close_object(struct spec_object *object)
{
    vector_release(&object->heap);
    memory_release(object->budget, object, sizeof *object);
}

static struct spec_object *open_object(const struct spec *spec, value key, struct budget *budget)
{
    (void)key;
    struct spec_object *object = memory_zeroed(budget, sizeof *object);
    if (!object)
        return NULL;
    object->budget = budget;
    vector_init(&object->heap, budget);
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    for (size_t i = 0; i < length; i++)
        if (!heap_push(object, items[i])) {
            close_object(object);
            return NULL;
        }
    return object;
}

static enum applied apply(struct spec_object *object, const struct call *call, value *result)
{
    value answer = VALUE_NIL;
    if (call->operation == PRIORITY_QUEUE_INSERT) {
        if (!heap_push(object, call->argument))
            return APPLIED_REFUSED;
    } else {
        if (object->heap.length)
            answer = object->heap.items[0];
        if (call->result_known && call->result != answer)
            return APPLIED_ILLEGAL;
        if (object->heap.length)
            heap_pop(object);
    }
    if (result)
        *result = answer;
    return APPLIED_LEGAL;
}

const struct spec_class priority_queue_class = {
    .name = "priority-queue",
    .summary = "numbers, of which the least comes out first",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .create = create,
    .bind = bind,
    .init = sequence_init,
    .step = step,
    .print_state = sequence_print_state,
    .open = open_object,
    .apply = apply,
    .close = close_object,
};
