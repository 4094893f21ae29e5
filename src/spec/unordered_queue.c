/* A drain takes the values that it answers, as dequeues would one after the other, and says nothing
 * of others: Jepsen's clients drain a queue at the same time, each until it finds nothing more.
 *
 * The state has one word per value, ascending by value_compare:
 *
 *     [a b c]            the queue holds these
 *     [a nil b c]        it holds a, and any of b and c
 *
 * The second form comes of drains whose answer is not known: nobody knows which values they took,
 * so from then on each may be there. It stands for all 2^k ways at once, and exactly: a dequeue
 * that answers b tells that b was there, one that answers nil that none was. */
#include "spec/unordered_queue.h"

#include <string.h>

#include "spec/bag.h"
#include "spec/bind.h"
#include "spec/replay.h"
#include "spec/sequence.h"
#include "spec/sorted.h"
#include "value/print.h"

static const struct spec_operation operations[] = {
    [UNORDERED_QUEUE_ENQUEUE] = {.name = "enqueue",
                                 .aliases = {"enq"},
                                 .argument = "v",
                                 .result = ""},
    [UNORDERED_QUEUE_DEQUEUE] = {.name = "dequeue",
                                 .aliases = {"deq"},
                                 .argument = "",
                                 .result = "v, nil when empty"},
    [UNORDERED_QUEUE_DRAIN] = {.name = "drain", .argument = "", .result = "[v ...]"},
};

static enum status create(struct spec *spec, struct error *error)
{
    if (!spec->has_initial)
        return STATUS_OK;
    if (!bind_is_collection(spec->initial, false))
        return bind_bad_initial(spec, "a list of values other than nil", error);
    size_t length;
    const value *items = value_get_items(spec->initial, &length);
    spec->initial = sorted_list(spec, items, length);
    return spec->initial == VALUE_REFUSED ? bind_refused(error) : STATUS_OK;
}

static enum status bind_drain(const struct spec *spec, const struct recorded *recorded,
                              struct call *call, struct text *complaint)
{
    bind_answer(recorded, call);
    if (!call->result_known)
        return STATUS_OK;
    size_t length;
    const value *items = value_get_items(call->result, &length);
    if (!bind_is_collection(call->result, false))
        return bind_complain(complaint, "a list of the values taken, without nil, as result",
                             call->result);
    call->read_only = length == 0;
    call->result = sorted_list(spec, items, length);
    return call->result == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    if (operation == UNORDERED_QUEUE_ENQUEUE)
        return bind_insertion(recorded, call, complaint);
    if (operation == UNORDERED_QUEUE_DRAIN)
        return bind_drain(spec, recorded, call, complaint);
    bind_answer(recorded, call); /* one that finds nothing may tell what drains took */
    return STATUS_OK;
}

/* How many words before the nil, if there is one. */
static size_t certain_of(const uint64_t *words, size_t length)
{
    size_t certain = 0;
    while (certain < length && words[certain] != VALUE_NIL)
        certain++;
    return certain;
}

static bool step_enqueue(const uint64_t *words, size_t length, value v, struct outcomes *outcomes)
{
    size_t place = sorted_find(words, certain_of(words, length), v, NULL);
    return sorted_step_insert(words, length, place, v, VALUE_NIL, outcomes);
}

/* Takes v out of a state, where it is certain if it can be; false if it is not there. */
static bool take(uint64_t *words, size_t *length, value v)
{
    size_t certain = certain_of(words, *length), first = certain < *length ? certain + 1 : certain;
    bool present;
    size_t place = sorted_find(words, certain, v, &present);
    if (!present)
        place = first + sorted_find(words + first, *length - first, v, &present);
    if (!present)
        return false;
    memmove(words + place, words + place + 1, (*length - place - 1) * sizeof *words);
    --*length;
    if (certain < *length && place > certain && *length == certain + 1)
        --*length; /* nothing is uncertain any more */
    return true;
}

/* The outcome in which `count` values are taken, if they are there. */
static bool step_take(const uint64_t *words, size_t length, const value *taken, size_t count,
                      value result, struct outcomes *outcomes)
{
    uint64_t *room = outcomes_add_room(outcomes, length, result);
    bool there = true;
    size_t left = length;
    if (!room)
        return false;
    if (length)
        memcpy(room, words, length * sizeof *words);
    for (size_t i = 0; i < count && there; i++)
        there = take(room, &left, taken[i]);
    outcomes_shorten(outcomes, left);
    if (!there) {
        outcomes->words.length = outcomes->items.items[outcomes->items.length - 1].start;
        outcomes->items.length--;
    }
    return true;
}

static bool step_dequeue(const uint64_t *words, size_t length, const struct call *call,
                         struct outcomes *outcomes)
{
    size_t certain = certain_of(words, length);
    bool known = call->result_known;
    if (certain == 0 && (!known || call->result == VALUE_NIL) &&
        !outcomes_add(outcomes, words, 0, VALUE_NIL))
        return false;
    if (known)
        return call->result == VALUE_NIL ||
               step_take(words, length, &call->result, 1, call->result, outcomes);
    for (size_t i = 0; i < length; i++) {
        bool again = i > 0 && words[i] == words[i - 1];
        bool is_certain = false;
        if (i > certain)
            sorted_find(words, certain, words[i], &is_certain);
        again |= is_certain;
        if (words[i] != VALUE_NIL && !again &&
            !step_take(words, length, &words[i], 1, words[i], outcomes))
            return false;
    }
    return true;
}

/* The state in which any of the values that were there may be gone. */
static bool add_uncertain(const uint64_t *words, size_t length, value result,
                          struct outcomes *outcomes)
{
    size_t certain = certain_of(words, length);
    if (certain == 0)
        return outcomes_add(outcomes, words, length, result);
    uint64_t *room = outcomes_add_room(outcomes, certain == length ? length + 1 : length, result);
    if (!room)
        return false;
    room[0] = VALUE_NIL;
    memcpy(room + 1, words, certain * sizeof *words);
    if (certain < length) {
        memcpy(room + 1 + certain, words + certain + 1, (length - certain - 1) * sizeof *words);
        sorted_sort(room + 1, length - 1);
    }
    return true;
}

/* What a drain took whose answer is not known nobody knows: its answer is given as a symbol, which
 * no drain answers. */
static bool step_drain(const struct spec *spec, const uint64_t *words, size_t length,
                       const struct call *call, struct outcomes *outcomes)
{
    size_t count;
    const value *taken = value_get_items(call->result, &count);
    if (call->result_known)
        return step_take(words, length, taken, count, call->result, outcomes);
    value unknown = value_text(spec->pool, KIND_SYMBOL, "?", 1);
    return unknown != VALUE_REFUSED && add_uncertain(words, length, unknown, outcomes);
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    if (call->operation == UNORDERED_QUEUE_ENQUEUE)
        return step_enqueue(words, length, call->argument, outcomes);
    if (call->operation == UNORDERED_QUEUE_DEQUEUE)
        return step_dequeue(words, length, call, outcomes);
    return step_drain(spec, words, length, call, outcomes);
}

static bool rename_values(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                          size_t length)
{
    size_t certain = certain_of(words, length);
    return sorted_rename(spec, renaming, words, certain) &&
           (certain == length ||
            sorted_rename(spec, renaming, words + certain + 1, length - certain - 1));
}

static void print_state(const struct spec *spec, const uint64_t *words, size_t length,
                        struct text *text)
{
    (void)spec;
    size_t certain = certain_of(words, length);
    text_append_char(text, '[');
    for (size_t i = 0; i < length; i++) {
        if (i == certain) {
            text_append(text, "] and perhaps [");
            continue;
        }
        text_append(text, i > 0 && i != certain + 1 ? " " : "");
        value_print_edn(words[i], text);
    }
    text_append_char(text, ']');
}

/* The object has the values as long as they are known; after the first answer that is not, a replay
 * through step from there on. */
static bool start_replay(struct spec_object *object)
{
    size_t length = object->values.size, size = length * sizeof(value);
    struct budget *budget = object->values.budget;
    value *words = memory_allocate(budget, size);
    if (!words)
        return false;
    bag_list(&object->values, words);
    object->replay = replay_open_at(object->spec, words, length, budget);
    memory_release(budget, words, size);
    return object->replay != NULL;
}

/* Takes all values of a list, or none. */
static bool take_all(struct bag *values, value list, bool *refused)
{
    size_t length, taken = 0;
    const value *items = value_get_items(list, &length);
    while (taken < length && bag_remove(values, items[taken]))
        taken++;
    if (taken == length)
        return true;
    while (taken > 0)
        *refused |= !bag_add(values, items[--taken]);
    return false;
}

static enum applied apply(struct spec_object *object, const struct call *call, value *result)
{
    bool enqueue = call->operation == UNORDERED_QUEUE_ENQUEUE, refused = false;
    if (!object->replay && !enqueue && !call->result_known && !start_replay(object))
        return APPLIED_REFUSED;
    if (object->replay)
        return replay_apply(object->replay, call, result);
    if (enqueue) {
        if (!bag_add(&object->values, call->argument))
            return APPLIED_REFUSED;
    } else if (call->operation == UNORDERED_QUEUE_DRAIN) {
        if (!take_all(&object->values, call->result, &refused))
            return refused ? APPLIED_REFUSED : APPLIED_ILLEGAL;
    } else if (call->result == VALUE_NIL ? object->values.size > 0
                                         : !bag_remove(&object->values, call->result)) {
        return APPLIED_ILLEGAL;
    }
    if (result)
        *result = enqueue ? VALUE_NIL : call->result;
    return APPLIED_LEGAL;
}

const struct spec_class unordered_queue_class = {
    .name = "unordered-queue",
    .summary = "a queue from which values come out in any order",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .create = create,
    .bind = bind,
    .init = sequence_init,
    .step = step,
    .rename = rename_values,
    .print_state = print_state,
    .open = bag_object_open,
    .apply = apply,
    .close = bag_object_close,
};
