/* A possibility is, of each thread, whether it has called something that has not taken effect yet,
 * or has an answer, and then what the object holds. A set of them is closed: it has, with each, all
 * that it becomes when what was called takes effect. */
#include <stdlib.h>
#include <string.h>

#include "possible.h"

/* ---- numbers ---- */

static size_t *find_words(const struct store *store, const word *words, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint64_t)words[i]) * 0x9e3779b97f4a7c15, hash ^= hash >> 29;
    for (size_t i = hash & (store->slot_count - 1);; i = (i + 1) & (store->slot_count - 1)) {
        size_t *slot = &store->slots[i];
        const struct stored *stored = &store->items[*slot - !!*slot];
        if (!*slot ||
            (stored->length == length && memcmp(stored->words, words, length * sizeof *words) == 0))
            return slot;
    }
}

size_t store_words(struct store *store, const word *words, size_t length)
{
    if (2 * (store->count + 1) > store->slot_count) {
        store->slot_count = store->slot_count ? 2 * store->slot_count : 1024;
        free(store->slots);
        store->slots = room(NULL, store->slot_count, sizeof *store->slots);
        memset(store->slots, 0, store->slot_count * sizeof *store->slots);
        for (size_t i = 0; i < store->count; i++)
            *find_words(store, store->items[i].words, store->items[i].length) = i + 1;
    }
    size_t *slot = find_words(store, words, length);
    if (!*slot) {
        if (store->count == store->room)
            store->items =
                room(store->items, store->room = 2 * store->room + 64, sizeof *store->items);
        struct stored *made = &store->items[store->count];
        *made = (struct stored){room(NULL, length, sizeof *words), length};
        memcpy(made->words, words, length * sizeof *words);
        *slot = ++store->count;
    }
    return *slot - 1;
}

/* ---- specifications: the letters of object.c ---- */

static const struct specification {
    const char *name;
    char family;
    struct {
        const char *name, *letter;
    } operations[3];
} specifications[] = {
    {"queue", 's', {{"enqueue", "B"}, {"dequeue", "f"}}},
    {"stack", 's', {{"push", "B"}, {"pop", "b"}}},
    {"register", 'r', {{"read", "r"}, {"write", "w"}}},
    {"set", 'e', {{"add", "+"}, {"remove", "-"}, {"contains", "?"}}},
    {"mutex", 'l', {{"acquire", "a"}, {"release", "u"}}},
    {"semaphore", 'p', {{"acquire", "a"}, {"release", "u"}}},
    {"counter", 'c', {{"inc", "i"}, {"read", "r"}}},
};

struct held {
    word *items;
    size_t length;
};

static void take_out(struct held *held, size_t at)
{
    held->length--;
    memmove(held->items + at, held->items + at + 1, (held->length - at) * sizeof(word));
}

/* A set holds its items ascending. */
static word step_set(char letter, word argument, struct held *held)
{
    size_t at = 0;
    while (at < held->length && held->items[at] < argument)
        at++;
    bool there = at < held->length && held->items[at] == argument;
    if (letter == '-' && there)
        take_out(held, at);
    if (letter == '+' && !there) {
        memmove(held->items + at + 1, held->items + at, (held->length++ - at) * sizeof(word));
        held->items[at] = argument;
    }
    return (letter == '+') != there ? WORD_TRUE : WORD_FALSE;
}

/* `held` has room for one more. False: the operation is not legal there. */
static bool take_effect(char letter, word argument, word bound, struct held *held, word *answer)
{
    size_t at = letter == 'f' ? 0 : held->length - 1;
    *answer = WORD_OK;
    switch (letter) {
    case 'B':
        held->items[held->length++] = argument;
        return true;
    case 'b':
    case 'f':
        *answer = held->length ? held->items[at] : WORD_NULL;
        if (held->length)
            take_out(held, at);
        return true;
    case 'r':
        *answer = held->items[0];
        return true;
    case 'w':
        held->items[0] = argument;
        return true;
    case 'i':
        held->items[0]++;
        return true;
    case 'a':
        return held->items[0]-- > 0;
    case 'u':
        return held->items[0]++ < bound;
    default:
        *answer = step_set(letter, argument, held);
        return true;
    }
}

static bool same_name(const char *name, const char *found, size_t length)
{
    return strlen(name) == length && memcmp(name, found, length) == 0;
}

static char letter_of(const struct specification *specification, const struct operation_code *code)
{
    for (size_t i = 0; i < 3 && specification->operations[i].name; i++)
        if (same_name(specification->operations[i].name, code->name, code->name_length)) {
            char letter = *specification->operations[i].letter;
            if (code->parameters != (strchr("Bw+-?", letter) ? 1 : 0))
                break;
            return letter;
        }
    refuse("linchpin-recheck knows no such operation of %s: %.*s", specification->name,
           (int)code->name_length, code->name);
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

/* What `number` becomes when the thread's call takes effect, if it can. */
static void add_effect(struct possible *possible, word number, size_t thread, struct growing *set)
{
    const struct program *program = possible->program;
    size_t threads = (size_t)program->threads * WORDS_OF_THREAD;
    struct stored from = possible->each.items[number];
    const word *own = from.words + thread * WORDS_OF_THREAD;
    if (own[0] != CALLED)
        return;
    word *words = room(NULL, from.length + 1, sizeof *words), answer;
    memcpy(words, from.words, from.length * sizeof *words);
    struct held held = {words + threads, from.length - threads};
    if (take_effect(possible->letters[own[1]], own[2], possible->initial, &held, &answer)) {
        words[thread * WORDS_OF_THREAD] = DONE;
        words[thread * WORDS_OF_THREAD + 2] = answer;
        grow(set, (word)store_words(&possible->each, words, threads + held.length));
    }
    free(words);
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
    const struct specification *found = NULL;
    struct growing set = {NULL, 0, 0};
    size_t threads = (size_t)program->threads * WORDS_OF_THREAD;
    *possible = (struct possible){.program = program};
    for (size_t i = 0; i < LENGTH(specifications); i++)
        if (same_name(specifications[i].name, program->specification,
                      program->specification_length))
            found = &specifications[i];
    word given = program->specification_argument;
    if (!found || (found->family == 'p') != (given != WORD_NULL && found->family != 'r'))
        refuse("linchpin-recheck does not know the specification %.*s",
               (int)program->specification_length, program->specification);
    possible->specification = found;
    char *letters = room(NULL, program->operation_count, 1);
    for (size_t i = 0; i < program->operation_count; i++)
        letters[i] = letter_of(found, &program->operations[i]);
    possible->letters = letters;
    possible->initial = found->family == 'l' ? 1 : found->family == 'c' ? 0 : given;
    word *words = room(NULL, threads + 1, sizeof *words);
    memset(words, 0, threads * sizeof *words);
    words[threads] = possible->initial;
    size_t length = threads + (strchr("se", found->family) ? 0 : 1);
    grow(&set, (word)store_words(&possible->each, words, length));
    *start = close_set(possible, &set);
}

bool possible_takes_turns(const struct possible *possible)
{
    return strchr("lp", possible->specification->family);
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
        if (calls || (words[own] == DONE && words[own + 2] == event->value)) {
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
