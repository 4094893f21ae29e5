/* A possibility is, of each thread, whether it has called something that has not taken effect yet,
 * or has an answer, and then what the object holds. A set of them is closed: it has, with each, all
 * that it becomes when what was called takes effect. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "possible.h"

/* ---- numbers ---- */

void store_init(struct store *store)
{
    static int kinds = MAP;
    *store = (struct store){.kind = ++kinds};
}

size_t store_words(struct store *store, const word *words, size_t length)
{
    value v = value_text((enum kind)store->kind, (const char *)words, length * sizeof *words);
    if (*v->number == 0) {
        if (store->count == store->room)
            store->items =
                room(store->items, store->room = 2 * store->room + 64, sizeof *store->items);
        store->items[store->count++] = (struct stored){(const void *)v->text, length};
        *v->number = store->count;
    }
    return *v->number - 1;
}

/* ---- specifications (object.c), whose values are words here ---- */

static value value_of(word w)
{
    bool boolean = w == WORD_TRUE || w == WORD_FALSE;
    return w == WORD_NULL ? VALUE_NIL : boolean ? value_boolean(w == WORD_TRUE) : value_integer(w);
}

static word word_of(value v)
{
    int64_t integer = 0;
    if (get_integer(v, &integer))
        return integer;
    return !v                         ? WORD_OK
           : v == VALUE_NIL           ? WORD_NULL
           : v == value_boolean(true) ? WORD_TRUE
                                      : WORD_FALSE;
}

static void read_specification(struct possible *possible)
{
    static const char *const known[] = {"queue", "stack",     "register", "set",
                                        "mutex", "semaphore", "counter"};
    const struct program *program = possible->program;
    word given = program->specification_argument;
    char name[60];
    size_t i = 0;
    snprintf(name, sizeof name, "%.*s", (int)program->specification_length, program->specification);
    while (i < LENGTH(known) && strcmp(known[i], name) != 0)
        i++;
    bool semaphore = i == 5, initial = i == 2 && given != WORD_NULL;
    if (i == LENGTH(known) || (given != WORD_NULL && !initial && !semaphore))
        refuse("linchpin-recheck does not know the specification %s", name);
    if (semaphore)
        snprintf(name, sizeof name, "semaphore(%" PRId64 ")", given);
    object_init(&possible->object, name, strlen(name));
    possible->object.initial = initial ? value_of(given) : NULL;
    char *letters = room(NULL, program->operation_count, 1);
    for (i = 0; i < program->operation_count; i++) {
        const struct operation_code *code = &program->operations[i];
        letters[i] = object_letter(&possible->object, code->name, code->name_length);
        if (!letters[i] || code->parameters != (strchr("Bw+-?", letters[i]) ? 1 : 0))
            refuse("linchpin-recheck knows no such operation of %s: %.*s", name,
                   (int)code->name_length, code->name);
    }
    possible->letters = letters;
}

/* ---- sets ---- */

enum {
    IDLE,
    CALLED,
    DONE
};

/* Of each thread: which of these, the operation, the argument or the answer. */
enum {
    WORDS_OF_THREAD = 3
};

static int compare_words(const void *one, const void *other)
{
    word a = *(const word *)one, b = *(const word *)other;
    return (a > b) - (a < b);
}

struct growing {
    word *items;
    size_t count, room;
};

static void grow(struct growing *set, word item)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i] == item)
            return;
    if (set->count == set->room)
        set->items = room(set->items, set->room = 2 * set->room + 16, sizeof item);
    set->items[set->count++] = item;
}

/* The number of a possibility: of threads these words, and what the object holds now. */
static word number_of(struct possible *possible, const word *words)
{
    size_t threads = (size_t)possible->program->threads * WORDS_OF_THREAD;
    const struct state *state = &possible->state;
    word *made = room(NULL, threads + state->length, sizeof *made);
    memcpy(made, words, threads * sizeof *words);
    for (size_t i = 0; i < state->length; i++)
        made[threads + i] = word_of(state->items[i]);
    size_t number = store_words(&possible->each, made, threads + state->length);
    free(made);
    return (word)number;
}

/* What `number` becomes when the thread's call takes effect, if it can. */
static void add_effect(struct possible *possible, word number, size_t thread, struct growing *set)
{
    size_t threads = (size_t)possible->program->threads * WORDS_OF_THREAD;
    struct stored from = possible->each.items[number];
    struct state *state = &possible->state;
    word words[MOST_THREADS * WORDS_OF_THREAD], *own = words + thread * WORDS_OF_THREAD;
    memcpy(words, from.words, threads * sizeof *words);
    if (own[0] != CALLED)
        return;
    struct call call = {.object = &possible->object,
                        .what = possible->letters[own[1]],
                        .argument = value_of(own[2])};
    state->items = room(state->items, from.length, sizeof *state->items);
    state->room = from.length;
    state->length = from.length - threads;
    for (size_t i = 0; i < state->length; i++)
        state->items[i] = value_of(from.words[threads + i]);
    if (!object_step(&call, state))
        return;
    own[0] = DONE;
    own[2] = word_of(state->answer);
    grow(set, number_of(possible, words));
}

static size_t close_set(struct possible *possible, struct growing *set)
{
    for (size_t i = 0; i < set->count; i++)
        for (size_t thread = 0; thread < (size_t)possible->program->threads; thread++)
            add_effect(possible, set->items[i], thread, set);
    qsort(set->items, set->count, sizeof *set->items, compare_words);
    size_t number = store_words(&possible->sets, set->items, set->count);
    free(set->items);
    return number;
}

void possible_init(struct possible *possible, const struct program *program, size_t *start)
{
    struct growing set = {NULL, 0, 0};
    const word idle[MOST_THREADS * WORDS_OF_THREAD] = {0};
    *possible = (struct possible){.program = program};
    store_init(&possible->each);
    store_init(&possible->sets);
    read_specification(possible);
    object_start(&(struct call){.object = &possible->object}, &possible->state);
    grow(&set, number_of(possible, idle));
    *start = close_set(possible, &set);
}

bool possible_takes_turns(const struct possible *possible)
{
    return object_takes_turns(&possible->object);
}

/* Whether the answer is that of the specification: any where it says nothing; none is null, and 1
 * and 0 are as good as true and false. */
static bool agrees(word specified, word answered)
{
    return specified == WORD_OK || specified == (answered == WORD_OK ? WORD_NULL : answered) ||
           (specified == WORD_TRUE && answered == 1) || (specified == WORD_FALSE && answered == 0);
}

bool possible_step(struct possible *possible, size_t number, const struct event *event,
                   size_t *next)
{
    struct growing set = {NULL, 0, 0};
    struct stored from = possible->sets.items[number];
    *next = number;
    if (event->kind == STEPS)
        return true;
    for (size_t i = 0; i < from.length; i++) {
        struct stored one = possible->each.items[from.words[i]];
        size_t own = event->thread * WORDS_OF_THREAD;
        word *words = room(NULL, one.length, sizeof *words);
        memcpy(words, one.words, one.length * sizeof *words);
        bool calls = event->kind == CALLS;
        if (calls || (words[own] == DONE && agrees(words[own + 2], event->value))) {
            words[own] = calls ? CALLED : IDLE;
            words[own + 1] = calls ? (word)event->operation : 0;
            words[own + 2] = calls ? event->value : 0;
            grow(&set, (word)store_words(&possible->each, words, one.length));
        }
        free(words);
    }
    bool some = set.count > 0;
    if (some)
        *next = close_set(possible, &set);
    return some;
}
