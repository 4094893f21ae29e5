/* Which monitor decides what. */
#include "stream/online.h"
#include "stream/counting.h"

#include "spec/cas_register.h"
#include "spec/counter.h"
#include "spec/map.h"
#include "spec/mutex.h"
#include "spec/priority_queue.h"
#include "spec/queue.h"
#include "spec/register.h"
#include "spec/semaphore.h"
#include "spec/set.h"
#include "spec/stack.h"

struct online *online_create(const struct spec *spec, value key, bool has_key,
                             struct limits *limits, enum online_drops drops)
{
    const struct spec_class *class = spec->class;
    struct online *online = NULL;
    if (class == &queue_class && !spec->has_initial)
        online = online_queue_create(spec, limits->budget);
    else if (class == &priority_queue_class && !spec->has_initial)
        online = online_priority_create(spec, limits);
    else if (class == &stack_class && !spec->has_initial)
        online = online_stack_create(spec, limits);
    else if (class == &register_class || class == &cas_register_class ||
             (class == &map_class && has_key))
        online = online_register_create(spec, key, has_key, limits);
    else if (class == &counter_class || (class == &set_class && has_key) ||
             (class == &mutex_class && !spec->owned) || class == &semaphore_class)
        online = online_counting_create(spec, key, limits);
    if (online)
        online->drops = drops;
    return online;
}

/* An initial value in which a key of a map, or a register, has the value. */
static value initial_of(const struct spec *spec, value key, value v)
{
    const value items[] = {key, v};
    return spec->class == &map_class && v != VALUE_NIL ? value_map(spec->pool, items, 2) : v;
}

bool online_states_are_values(const struct spec *spec)
{
    const struct spec_class *class = spec->class;
    return class == &register_class || class == &cas_register_class || class == &map_class;
}

bool online_value(const struct spec *spec, const uint64_t *words, size_t length, value *v)
{
    const size_t place = spec->class == &map_class; /* behind the key */
    if (length != place + 1)
        return false;
    *v = words[place];
    return true;
}

/* Whose only state in which nothing is open, and that has a number, is that it is empty. */
static bool is_container(const struct spec *spec)
{
    const struct spec_class *class = spec->class;
    return class == &queue_class || class == &stack_class || class == &priority_queue_class;
}

struct spec *online_spec(const struct spec *spec, value key, uint64_t state, struct budget *budget)
{
    if (is_container(spec)) {
        const struct spec_request empty = {.nil_reads = spec->nil_reads};
        struct spec *made = NULL;
        struct error error;
        return spec_create_class(spec->class, &empty, NULL, spec->pool, budget, &made, &error) ==
                       STATUS_OK
                   ? made
                   : NULL;
    }
    if (!online_states_are_values(spec)) {
        struct counted counted = counted_object(spec, key);
        return counted_spec(&counted, (int64_t)state, budget);
    }
    value initial = initial_of(spec, key, state);
    struct spec_request request = {
        .initial = initial, .has_initial = initial != VALUE_NIL, .nil_reads = spec->nil_reads};
    struct spec *made = NULL;
    struct error error;
    if (initial == VALUE_REFUSED || spec_create_class(spec->class, &request, NULL, spec->pool,
                                                      budget, &made, &error) != STATUS_OK)
        return NULL;
    return made;
}

bool numbers_unpack(struct numbers *numbers, const struct packed *packed, uint32_t stride)
{
    struct packed_place place = {.stride = stride};
    uint64_t number;
    bool done = true;
    while (done && packed_next(packed, &place, &number))
        done = vector_push(numbers, number);
    return done;
}

void online_archive(struct online **online, value key, bool has_key, struct limits *limits,
                    struct archive *archive)
{
    const struct spec *spec = (*online)->spec;
    bool cas = online_is_cas(*online);
    if (online_states_are_values(spec))
        ARCHIVE_BELOW(archive, cas, 2);
    if (cas && !online_is_cas(*online)) {
        struct online *made = online_cas_create(spec, key, has_key, NULL, limits);
        if (!made) {
            archive_fail(archive, STATUS_LIMIT);
            return;
        }
        made->drops = (*online)->drops;
        online_destroy(*online);
        *online = made;
    }
    (*online)->class->archive(*online, archive);
}

void online_destroy(struct online *online)
{
    if (online)
        online->class->destroy(online);
}
