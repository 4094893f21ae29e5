#include "stream/counting.h"

#include "spec/counter.h"
#include "spec/mutex.h"
#include "spec/semaphore.h"
#include "spec/set.h"

__extension__ typedef __int128 wide;

struct counted counted_object(const struct spec *spec, value key)
{
    struct counted counted = {.spec = spec, .key = key};
    if (spec->has_initial && spec->class == &counter_class)
        value_get_integer(spec->initial, &counted.initial);
    return counted;
}

int64_t counted_first(const struct counted *counted)
{
    const struct spec *spec = counted->spec;
    int64_t count = 0;
    size_t length;
    if (spec->class == &mutex_class)
        return spec->has_initial && value_text_is(spec->initial, "held");
    if (spec->class == &semaphore_class && !value_get_integer(spec->initial, &count))
        return spec->parameters[0];
    if (spec->class == &set_class && spec->has_initial) {
        const value *items = value_get_items(spec->initial, &length);
        for (size_t i = 0; i < length; i++)
            count |= items[i] == counted->key;
    }
    return count;
}

int64_t counted_most(const struct counted *counted)
{
    const struct spec *spec = counted->spec;
    return spec->class == &counter_class     ? INT64_MAX
           : spec->class == &semaphore_class ? spec->parameters[0]
                                             : 1;
}

int64_t counted_added(const struct call *call)
{
    int64_t integer = call->operation == COUNTER_INC ? 1 : 0;
    if (call->operation == COUNTER_ADD)
        value_get_integer(call->argument, &integer);
    return integer;
}

enum direction counted_direction(const struct counted *counted, const struct call *call)
{
    const struct spec_class *class = counted->spec->class;
    if (class == &set_class)
        return call->operation == SET_ADD ? UP : call->operation == SET_REMOVE ? DOWN : READ;
    if (class == &counter_class)
        return call->operation == COUNTER_READ || counted_added(call) == 0 ? READ : UP;
    if (class == &mutex_class)
        return call->operation == MUTEX_RELEASE ? DOWN : UP;
    return call->operation == SEMAPHORE_ACQUIRE ? DOWN : UP;
}

bool counted_declines(const struct counted *counted, const struct call *call, bool *known)
{
    const struct spec_class *class = counted->spec->class;
    bool answers =
        class == &set_class || (class == &mutex_class && call->operation == MUTEX_TRY_ACQUIRE);
    *known = !answers || call->result_known;
    return answers && call->result_known && call->result != VALUE_TRUE;
}

int64_t counted_seen(const struct counted *counted, const struct call *call)
{
    int64_t result = 0;
    enum direction direction = counted_direction(counted, call);
    if (direction != READ)
        return direction == UP;
    if (counted->spec->class != &counter_class)
        return call->result == VALUE_TRUE;
    value_get_integer(call->result, &result);
    wide difference = (wide)result - counted->initial;
    if (counted->number == 0 || difference == 0)
        return difference == 0 ? 0 : -1;
    wide count = difference / counted->number;
    bool found = count * counted->number == difference && count >= 0 && count <= INT64_MAX;
    return found ? (int64_t)count : -1;
}

/* The initial value that stands for a count; nil where it needs none. */
static value initial_of(const struct counted *counted, int64_t count)
{
    const struct spec *spec = counted->spec;
    if (spec->class == &counter_class)
        return value_integer(spec->pool, counted->initial + counted->number * count);
    if (spec->class == &semaphore_class)
        return value_integer(spec->pool, count);
    if (count == 0)
        return VALUE_NIL;
    return spec->class == &set_class ? value_set(spec->pool, &counted->key, 1)
                                     : value_text(spec->pool, KIND_STRING, "held", 4);
}

struct spec *counted_spec(const struct counted *counted, int64_t count, struct budget *budget)
{
    value initial = initial_of(counted, count);
    struct spec *spec = initial == VALUE_REFUSED ? NULL : memory_allocate(budget, sizeof *spec);
    if (!spec)
        return NULL;
    *spec = *counted->spec; /* these have no data of their own */
    spec->budget = budget;
    spec->initial = initial;
    spec->has_initial = initial != VALUE_NIL;
    return spec;
}
