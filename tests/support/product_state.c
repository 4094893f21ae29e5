#include "support/product_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "stream/online_container.h"

#define KNOWN_MOST 512 /* times, and operations */

void product_states_init(struct product_states *states, const struct subject *subject,
                         struct limits *limits)
{
    *states = (struct product_states){.subject = subject, .limits = limits, .drops = DROPS_AT_ONCE};
    table_init(&states->seen, limits->budget);
    vectors_init(limits->budget, &states->prints, &states->written, &states->renamed,
                 &states->bytes);
}

void product_states_release(struct product_states *states)
{
    table_release(&states->seen);
    vectors_release(&states->prints, &states->written, &states->renamed, &states->bytes);
}

/* ---- numbers ---- */

value product_value(uint8_t name)
{
    return name ? value_small((int64_t)(PRODUCT_VALUES_FROM + name)) : VALUE_NIL;
}

/* The name of a value; 0: it is none, or nil. */
static uint8_t name_of(uint64_t number)
{
    const uint64_t least = product_value(1);
    return number >= least && number < product_value(OBJECT_ORACLE_NAMES - 1)
               ? (uint8_t)(value_small_get(number) - (int64_t)PRODUCT_VALUES_FROM)
               : 0;
}

struct ranks {
    uint64_t items[KNOWN_MOST];
    size_t count;
};

static void rank_add(struct ranks *ranks, uint64_t number)
{
    size_t at = ranks->count;
    for (size_t i = 0; i < ranks->count; i++)
        if (ranks->items[i] == number)
            return;
    assert_true(ranks->count < KNOWN_MOST);
    for (; at && ranks->items[at - 1] > number; at--)
        ranks->items[at] = ranks->items[at - 1];
    ranks->items[at] = number;
    ranks->count++;
}

static uint64_t rank_of(const struct ranks *ranks, uint64_t number)
{
    size_t at = 0;
    while (ranks->items[at] != number)
        at++;
    return at;
}

static bool is_from(uint64_t number, uint64_t from)
{
    return number >= from && number < from + (from >> 2);
}

/* ---- names ---- */

/* Values in the order in which they are met. */
struct met {
    uint8_t items[OBJECT_ORACLE_NAMES], count;
};

static void meet(void *context, uint8_t name)
{
    struct met *met = context;
    for (uint8_t i = 0; i < met->count; i++)
        if (met->items[i] == name)
            return;
    if (name)
        met->items[met->count++] = name;
}

/* Even names, so that there is one between any two. */
static void give_names(struct product_states *states, struct met *met, uint8_t *last)
{
    memset(states->names, 0, sizeof states->names);
    for (uint8_t i = 1; states->in_order && i < met->count; i++)
        for (uint8_t j = i; j && met->items[j - 1] > met->items[j]; j--) {
            const uint8_t greater = met->items[j - 1];
            met->items[j - 1] = met->items[j];
            met->items[j] = greater;
        }
    for (uint8_t i = 0; i < met->count; i++)
        states->names[met->items[i]] = (uint8_t)(2 * (i + 1));
    *last = (uint8_t)(2 * met->count);
    assert_true(*last < OBJECT_ORACLE_NAMES);
}

/* Makes states->renamed of states->written: with names in the order in which values are met, or
 * that they have, and the ranks of times and of serial numbers. Does the same with the rest. */
static void rename_all(struct product_states *states, struct product_state *state)
{
    struct ranks times = {.count = 0}, serials = {.count = 0};
    struct met met = {.count = 0};
    struct archive archive = archive_from_memory(states->written.items);
    const uint8_t *end = states->written.items + states->written.length;
    while (archive.at < end) {
        const uint64_t number = archive_number(&archive, 0);
        if (is_from(number, PRODUCT_TIMES_FROM))
            rank_add(&times, number);
        else if (is_from(number, PRODUCT_SERIALS_FROM))
            rank_add(&serials, number);
        else
            meet(&met, name_of(number));
    }
    if (object_oracle_has_names(&state->oracle))
        object_oracle_each_name(&state->oracle, meet, &met);
    give_names(states, &met, &state->values);
    for (uint32_t i = 0; i < state->oracle.running_count; i++)
        rank_add(&serials, state->serials[i]);
    for (uint32_t i = 0; i < state->oracle.running_count; i++)
        state->serials[i] = PRODUCT_SERIALS_FROM + rank_of(&serials, state->serials[i]);
    state->times = times.count;
    state->made = serials.count;
    if (object_oracle_has_names(&state->oracle))
        object_oracle_rename(&state->oracle, states->names);
    archive = archive_from_memory(states->written.items);
    states->renamed.length = 0;
    struct archive again = archive_to_memory(&states->renamed);
    while (archive.at < end) {
        uint64_t number = archive_number(&archive, 0);
        if (is_from(number, PRODUCT_TIMES_FROM))
            number = PRODUCT_TIMES_FROM + rank_of(&times, number);
        else if (is_from(number, PRODUCT_SERIALS_FROM))
            number = PRODUCT_SERIALS_FROM + rank_of(&serials, number);
        else if (name_of(number))
            number = product_value(states->names[name_of(number)]);
        archive_number(&again, number);
    }
    assert_int_equal(again.status, STATUS_OK);
}

/* ---- monitors ---- */

struct online *product_monitor(const struct product_states *states, const uint64_t *initial)
{
    const struct subject *subject = states->subject;
    struct online *online = states->with_cas
                                ? online_cas_create(subject->spec, subject->key, subject->has_key,
                                                    initial, states->limits)
                                : online_create(subject->spec, subject->key, subject->has_key,
                                                states->limits, states->drops);
    assert_non_null(online);
    online->drops = states->drops;
    if (initial && online->class->begin)
        assert_true(online->class->begin(online, *initial));
    return online;
}

static void write_monitor(struct product_states *states, struct online *online)
{
    states->written.length = 0;
    if (states->looks_late) {
        struct container_online *container = (struct container_online *)online;
        container->told = container->told > 0;
        container->next = ONLINE_LOOK_LEAST;
    }
    struct archive archive = archive_to_memory(&states->written);
    online_archive(&online, states->subject->key, states->subject->has_key, states->limits,
                   &archive);
    assert_int_equal(archive.status, STATUS_OK);
}

static struct online *read_monitor(const struct product_states *states, const uint8_t *bytes)
{
    struct online *online = product_monitor(states, NULL);
    struct archive archive = archive_from_memory(bytes);
    online_archive(&online, states->subject->key, states->subject->has_key, states->limits,
                   &archive);
    assert_int_equal(archive.status, STATUS_OK);
    return online;
}

/* ---- states ---- */

static void put(struct packed *packed, const void *bytes, size_t length)
{
    assert_true(vector_reserve(packed, packed->length + length));
    memcpy(packed->items + packed->length, bytes, length);
    packed->length += length;
}

static const uint8_t *get(const uint8_t *at, void *bytes, size_t length)
{
    memcpy(bytes, at, length);
    return at + length;
}

void product_state_write(struct product_states *states, struct product_state *state)
{
    const struct object_oracle *oracle = &state->oracle;
    const uint32_t running = oracle->running_count;
    struct packed *bytes = &states->bytes;
    write_monitor(states, state->online);
    rename_all(states, state);
    bytes->length = 0;
    put(bytes, &state->times, sizeof state->times);
    put(bytes, &state->made, sizeof state->made);
    put(bytes, &state->values, sizeof state->values);
    put(bytes, oracle, offsetof(struct object_oracle, configurations));
    put(bytes, oracle->configurations, oracle->count * sizeof *oracle->configurations);
    put(bytes, state->handles, running * sizeof *state->handles);
    put(bytes, state->serials, running * sizeof *state->serials);
    put(bytes, states->renamed.items, states->renamed.length);
}

const uint8_t *product_state_read_open(const uint8_t *bytes, struct product_state *state)
{
    struct object_oracle *oracle = &state->oracle;
    const uint8_t *at = get(bytes, &state->times, sizeof state->times);
    at = get(at, &state->made, sizeof state->made);
    at = get(at, &state->values, sizeof state->values);
    at = get(at, oracle, offsetof(struct object_oracle, configurations));
    at = get(at, oracle->configurations, oracle->count * sizeof *oracle->configurations);
    at = get(at, state->handles, oracle->running_count * sizeof *state->handles);
    state->online = NULL;
    return get(at, state->serials, oracle->running_count * sizeof *state->serials);
}

void product_state_read(const struct product_states *states, const uint8_t *bytes,
                        struct product_state *state)
{
    const uint8_t *monitor = product_state_read_open(bytes, state);
    state->online = read_monitor(states, monitor);
}

void product_state_copy(struct product_state *to, const struct product_state *from)
{
    memcpy(to, from, offsetof(struct product_state, oracle));
    object_oracle_copy(&to->oracle, &from->oracle);
}

bool product_state_is_new(struct product_states *states)
{
    const uint64_t first = hash_bytes(states->bytes.items, states->bytes.length, 1);
    const uint64_t second = hash_bytes(states->bytes.items, states->bytes.length, 2);
    const uint32_t number = (uint32_t)(states->prints.length / 2);
    struct table_search search = table_search(&states->seen, first);
    while (table_next(&search))
        if (states->prints.items[2 * search.number] == first &&
            states->prints.items[2 * search.number + 1] == second)
            return false;
    assert_true(vector_push(&states->prints, first) && vector_push(&states->prints, second) &&
                table_add(&states->seen, first, number));
    return true;
}

void product_states_forget(struct product_states *states)
{
    table_clear(&states->seen);
    states->prints.length = 0;
}
