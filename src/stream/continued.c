/* States: a number n, n calls (process, caller) that have taken effect already, then the words of
 * the inner state. At first, where there are several configurations, UNDECIDED alone: the first
 * step decides which of them it is.
 *
 * The step of a call that has taken effect takes it off the list, with whatever answer was
 * recorded: that it agrees has been found out. It changes the state, so such a call is not
 * read-only here, whatever it is inside; nor is any where the first step decides. */
#include "stream/continued.h"

#include <string.h>

#define UNDECIDED  UINT64_MAX
#define SHOWN_MOST 3

struct continued {
    struct spec_class class;
    const struct spec *inner;
    struct budget *budget;
    VECTOR(uint64_t) words; /* states as above, each behind its length */
    size_t count;
    bool keyed;
};

static struct continued *continued_of(const struct spec *spec)
{
    return spec->data;
}

struct continued *continued_create(const struct spec *inner, bool keyed, struct budget *budget)
{
    struct continued *continued = memory_zeroed(budget, sizeof *continued);
    if (!continued)
        return NULL;
    continued->inner = inner;
    continued->keyed = keyed && inner->class->keys;
    continued->budget = budget;
    vector_init(&continued->words, budget);
    return continued;
}

static void destroy(struct continued *continued)
{
    vector_release(&continued->words);
    memory_release(continued->budget, continued, sizeof *continued);
}

bool continued_add(struct continued *continued, const uint64_t *state, size_t length,
                   const struct continued_call *taken, size_t count)
{
    size_t start = continued->words.length, whole = 1 + count + length;
    if (!vector_reserve(&continued->words, start + 1 + whole))
        return false;
    uint64_t *words = continued->words.items + start;
    *words++ = whole;
    *words++ = count;
    for (size_t i = 0; i < count; i++)
        *words++ = (uint64_t)taken[i].process << 32 | taken[i].caller;
    if (length)
        memcpy(words, state, length * sizeof *words);
    continued->words.length = start + 1 + whole;
    continued->count++;
    return true;
}

/* ---- steps ---- */

/* The call that has taken effect in a state, by the caller's process; -1: none. */
static int64_t taken_at(const uint64_t *words, uint32_t process)
{
    for (uint64_t i = 0; i < words[0]; i++)
        if (words[1 + i] >> 32 == process)
            return (int64_t)i;
    return -1;
}

static bool step_taken(const uint64_t *words, size_t length, size_t at, const struct call *call,
                       struct outcomes *outcomes)
{
    uint64_t *room =
        outcomes_add_room(outcomes, length - 1, call->result_known ? call->result : VALUE_NIL);
    if (!room)
        return false;
    memcpy(room, words, (1 + at) * sizeof *room);
    memcpy(room + 1 + at, words + 2 + at, (length - 2 - at) * sizeof *room);
    room[0]--;
    return true;
}

/* The process that the specification knows a caller by: of one of its own, the one that it was. */
static uint32_t caller_of(const struct continued *continued, uint32_t process)
{
    const uint64_t *at = continued->words.items;
    for (size_t i = 0; i < continued->count; i++, at += 1 + at[0]) {
        int64_t found = taken_at(at + 1, process);
        if (found >= 0)
            return (uint32_t)at[2 + found];
    }
    return process;
}

static bool step_inside(const struct continued *continued, const uint64_t *words, size_t length,
                        const struct call *call, struct outcomes *outcomes)
{
    int64_t taken = taken_at(words, call->process);
    if (taken >= 0)
        return step_taken(words, length, (size_t)taken, call, outcomes);
    struct outcomes inner;
    struct call own = *call;
    size_t before = 1 + words[0];
    own.process = caller_of(continued, call->process);
    outcomes_init(&inner, continued->budget);
    inner.limits = outcomes->limits;
    bool done = continued->inner->class->step(continued->inner, words + before, length - before,
                                              &own, &inner);
    for (size_t i = 0; i < inner.items.length && done; i++) {
        const struct outcome *outcome = &inner.items.items[i];
        uint64_t *room = outcomes_add_room(outcomes, before + outcome->length, outcome->result);
        done = room;
        if (!done)
            break;
        memcpy(room, words, before * sizeof *room);
        if (outcome->length)
            memcpy(room + before, inner.words.items + outcome->start,
                   outcome->length * sizeof *room);
    }
    outcomes_release(&inner);
    return done;
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    const struct continued *continued = continued_of(spec);
    if (words[0] != UNDECIDED)
        return step_inside(continued, words, length, call, outcomes);
    const uint64_t *at = continued->words.items;
    for (size_t i = 0; i < continued->count; i++, at += 1 + at[0])
        if (!step_inside(continued, at + 1, at[0], call, outcomes))
            return false;
    return true;
}

static bool init(const struct spec *spec, value key, struct outcomes *state)
{
    (void)key;
    const struct continued *continued = continued_of(spec);
    uint64_t undecided = UNDECIDED;
    if (continued->count == 1)
        return outcomes_add(state, continued->words.items + 1, continued->words.items[0],
                            VALUE_NIL);
    return outcomes_add(state, &undecided, 1, VALUE_NIL);
}

/* ---- what is as inside ---- */

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    const struct continued *continued = continued_of(spec);
    const struct spec_class *class = continued->inner->class;
    if (class->bind)
        TRY(class->bind(continued->inner, operation, recorded, call, complaint));
    if (continued->count > 1 || caller_of(continued, call->process) != call->process)
        call->read_only = false;
    return STATUS_OK;
}

static value join_key(const struct spec *spec, uint16_t operation, value key, value argument)
{
    const struct spec *inner = continued_of(spec)->inner;
    return inner->class->join_key(inner, operation, key, argument);
}

static bool keys(const struct spec *spec, const struct call *call, struct spec_keys *found)
{
    const struct spec *inner = continued_of(spec)->inner;
    return inner->class->keys(inner, call, found);
}

static enum status fault(const struct spec *spec, struct error *error)
{
    const struct spec *inner = continued_of(spec)->inner;
    return inner->class->fault(inner, error);
}

static void print_inner(const struct spec *inner, const uint64_t *words, size_t length,
                        struct text *text)
{
    size_t before = 1 + words[0];
    inner->class->print_state(inner, words + before, length - before, text);
}

static void print_state(const struct spec *spec, const uint64_t *words, size_t length,
                        struct text *text)
{
    const struct continued *continued = continued_of(spec);
    if (words[0] != UNDECIDED) {
        print_inner(continued->inner, words, length, text);
        return;
    }
    const uint64_t *at = continued->words.items;
    text_append(text, "one of ");
    for (size_t i = 0; i < continued->count && i < SHOWN_MOST; i++, at += 1 + at[0]) {
        text_append(text, i > 0 ? " or " : "");
        print_inner(continued->inner, at + 1, at[0], text);
    }
    text_append(text, continued->count > SHOWN_MOST ? " or ..." : "");
}

static void destroy_spec(struct spec *spec)
{
    destroy(continued_of(spec));
}

struct spec *continued_spec(struct continued *continued)
{
    const struct spec *inner = continued->inner;
    struct spec *spec = memory_allocate(continued->budget, sizeof *spec);
    if (!spec) {
        destroy(continued);
        return NULL;
    }
    continued->class = (struct spec_class){.name = inner->class->name,
                                           .summary = inner->class->summary,
                                           .operations = inner->class->operations,
                                           .operation_count = inner->class->operation_count,
                                           .tells_callers = true,
                                           .destroy = destroy_spec,
                                           .bind = bind,
                                           .join_key = inner->class->join_key ? join_key : NULL,
                                           .keys = continued->keyed ? keys : NULL,
                                           .init = init,
                                           .step = step,
                                           .fault = inner->class->fault ? fault : NULL,
                                           .print_state = print_state};
    *spec = *inner;
    spec->class = &continued->class;
    spec->budget = continued->budget;
    spec->data = continued;
    return spec;
}
