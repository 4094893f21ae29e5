#include "verify/lin_any_parts.h"

#include <string.h>

/* The operation of the specification that one of the implementation is. */
static uint16_t operation_of(const struct lin_any_parts *parts, uint16_t operation)
{
    const char *name = parts->system->steps->entries[operation].operation->name;
    return (uint16_t)spec_operation_find(parts->states.spec->class, name, strlen(name));
}

/* Appends the keys of a call. */
static bool find_keys(struct lin_any_parts *parts, const struct linear_event *called,
                      struct spec_keys *keys)
{
    const struct spec *spec = parts->states.spec;
    const struct call call = {.argument = called->argument, .operation = called->operation};
    return spec->class->keys(spec, &call, keys);
}

static bool has_key(const value *keys, size_t count, value key)
{
    for (size_t i = 0; i < count; i++)
        if (keys[i] == key)
            return true;
    return false;
}

static bool read_event(struct lin_any_parts *parts, const struct thread_move *move,
                       struct linear_event *call, struct linear_event *answer)
{
    *call = *answer = (struct linear_event){.argument = VALUE_NIL};
    return numbered_states_read(&parts->states, move->label, call, answer) &&
           !parts->states.refused;
}

static bool meet(void *user, const struct thread_move *move)
{
    struct lin_any_parts *parts = user;
    struct linear_event call, answer;
    struct spec_keys keys;
    if (!parts->keyed)
        return true;
    vector_init(&keys.items, parts->states.budget);
    bool good = read_event(parts, move, &call, &answer) && find_keys(parts, &call, &keys);
    for (size_t i = 0; good && i < keys.items.length; i++)
        if (!has_key(parts->keys.items, parts->keys.length, keys.items.items[i]))
            good = vector_push(&parts->keys, keys.items.items[i]);
    vector_release(&keys.items);
    return good;
}

static bool only_reads(void *user, uint16_t operation)
{
    const struct lin_any_parts *parts = user;
    return parts->states.spec->class->operations[operation_of(parts, operation)].read_only;
}

static uint32_t count_parts(void *user)
{
    const struct lin_any_parts *parts = user;
    return parts->keyed ? (uint32_t)parts->keys.length : 1;
}

static bool begin(void *user, uint32_t part, uint32_t *initial)
{
    struct lin_any_parts *parts = user;
    parts->key = parts->keyed ? parts->keys.items[part] : VALUE_NIL;
    *initial = 0;
    return numbered_states_begin(&parts->states, parts->key);
}

static bool read_call(void *user, const struct thread_move *move, uint8_t *argument)
{
    struct lin_any_parts *parts = user;
    struct linear_event call, answer;
    struct spec_keys keys;
    vector_init(&keys.items, parts->states.budget);
    bool good = read_event(parts, move, &call, &answer) &&
                (!parts->keyed || find_keys(parts, &call, &keys));
    if (good && parts->keyed && !has_key(keys.items.items, keys.items.length, parts->key))
        *argument = HEAP_INDIFFERENT;
    else if (good)
        *argument = (uint8_t)numbered_states_value(&parts->states, call.argument);
    vector_release(&keys.items);
    return good && !parts->states.refused;
}

static bool run(void *user, uint32_t state, uint16_t operation, uint8_t argument, uint32_t *next,
                uint8_t *answer)
{
    struct lin_any_parts *parts = user;
    value given = VALUE_NIL;
    bool legal = false;
    *answer = HEAP_IMPOSSIBLE;
    if (!numbered_states_run(&parts->states, state, operation_of(parts, operation),
                             parts->states.answers.items[argument], &legal, next, &given))
        return false;
    if (!legal)
        return true;
    const uint32_t number = numbered_states_value(&parts->states, given);
    if (number >= HEAP_MOST_ANSWERS)
        parts->states.unable = "it has too many answers";
    else
        *answer = (uint8_t)number;
    return !parts->states.refused;
}

static bool read_answer(void *user, const struct thread_move *move, uint32_t *answers)
{
    struct lin_any_parts *parts = user;
    struct linear_event call, answer;
    *answers = 0;
    if (!read_event(parts, move, &call, &answer))
        return false;
    for (uint32_t i = 0; i < HEAP_MOST_ANSWERS && i < parts->states.answers.length; i++)
        *answers |= (uint32_t)linear_event_agrees(&answer, parts->states.answers.items[i]) << i;
    return true;
}

void lin_any_parts_init(struct lin_any_parts *parts, const struct thread_system *system,
                        const struct spec *spec, struct budget *budget, struct error *error)
{
    *parts = (struct lin_any_parts){.specification = {.user = parts,
                                                      .meet = meet,
                                                      .only_reads = only_reads,
                                                      .parts = count_parts,
                                                      .begin = begin,
                                                      .read_call = read_call,
                                                      .run = run,
                                                      .read_answer = read_answer},
                                    .system = system,
                                    .keyed = spec->class->keys != NULL};
    numbered_states_init(&parts->states, spec, system->labels, budget, error);
    vector_init(&parts->keys, budget);
}

void lin_any_parts_release(struct lin_any_parts *parts)
{
    numbered_states_release(&parts->states);
    vector_release(&parts->keys);
}

const char *lin_any_parts_refuse(const struct spec *spec)
{
    if (spec_tells_callers(spec))
        return "it tells its callers apart";
    if (spec->class->together_count || spec->class->is_open)
        return "its operations take effect together, or stay open";
    return NULL;
}
