/* Violation automata: the values of a history are coloured with 1, 2 and 3, and the automaton reads
 * its calls and returns, each with the colour of its value. Somebody who knows a colouring with
 * which it accepts needs no search. */
#include <stdio.h>
#include <string.h>

#include "recheck.h"

#define MOST_STATES 1000
#define COLOURS     3
#define DEAD        UINT32_MAX

struct automaton {
    const struct file *file;
    size_t methods, states, initial;
    value names[64];                    /* of methods */
    uint32_t *next;                     /* by state, event, method and colour */
    bool *accepts, shared[COLOURS + 1]; /* states; colours that several values may have */
};

/* ---- reading ---- */

struct words {
    const struct file *file;
    size_t line, count;
    value items[MOST_STATES + 1];
};

static size_t number_at(const struct words *words, size_t i, size_t count)
{
    int64_t number;
    value word = i < words->count ? words->items[i] : VALUE_NIL;
    if (!get_integer(value_text(INTEGER, word->text, word->length), &number) || number < 0 ||
        (uint64_t)number >= count)
        unreadable(words->file->path, words->line, "expected a number below %zu", count);
    return (size_t)number;
}

static size_t method_at(const struct automaton *automaton, value name)
{
    size_t m = 0;
    while (m < automaton->methods && automaton->names[m] != name)
        m++;
    return m;
}

static uint32_t *transition(const struct automaton *automaton, size_t state, bool returns,
                            size_t method, size_t colour)
{
    size_t letter = ((returns ? automaton->methods : 0) + method) * COLOURS + colour - 1;
    return &automaton->next[state * 2 * automaton->methods * COLOURS + letter];
}

/* trans FROM EVENT METHOD COLOUR TO */
static void read_transition(struct automaton *automaton, const struct words *words)
{
    size_t letters = 2 * automaton->methods * COLOURS, method = automaton->methods;
    if (!automaton->next) {
        automaton->next = room(NULL, automaton->states * letters, sizeof *automaton->next);
        memset(automaton->next, 0xff, automaton->states * letters * sizeof *automaton->next);
    }
    if (words->count == 6)
        method = method_at(automaton, words->items[3]);
    bool returns = words->count == 6 && value_is(words->items[2], "ret");
    size_t from = number_at(words, 1, automaton->states), colour = number_at(words, 4, 4);
    if (method == automaton->methods || colour == 0 ||
        (!returns && !value_is(words->items[2], "call")))
        unreadable(words->file->path, words->line, "expected a transition");
    uint32_t *to = transition(automaton, from, returns, method, colour);
    if (*to != DEAD)
        unreadable(words->file->path, words->line, "expected each letter once");
    *to = (uint32_t)number_at(words, 5, automaton->states);
}

static void read_words(struct automaton *automaton, const struct words *words)
{
    value first = words->items[0];
    if ((value_is(first, "methods") && automaton->next) ||
        (value_is(first, "states") && automaton->accepts))
        unreadable(words->file->path, words->line, "expected methods and states once, and first");
    if (value_is(first, "methods"))
        for (size_t i = 1; i < words->count && automaton->methods < LENGTH(automaton->names); i++)
            automaton->names[automaton->methods++] = words->items[i];
    else if (value_is(first, "states")) {
        automaton->states = number_at(words, 1, MOST_STATES + 1);
        automaton->accepts = room(NULL, automaton->states, 1);
        memset(automaton->accepts, 0, automaton->states);
    } else if (value_is(first, "init"))
        automaton->initial = number_at(words, 1, automaton->states);
    else if (value_is(first, "trans"))
        read_transition(automaton, words);
    for (size_t i = 1; i < words->count; i++)
        if (value_is(first, "accept"))
            automaton->accepts[number_at(words, i, automaton->states)] = true;
        else if (value_is(first, "single"))
            automaton->shared[number_at(words, i, COLOURS + 1)] = false;
}

static void read_automaton(const struct file *file, struct automaton *automaton)
{
    static struct words words;
    const char *text;
    size_t position = 0, length;
    *automaton = (struct automaton){.file = file, .shared = {false, true, true, true}};
    words = (struct words){.file = file};
    while (next_line(file, &position, &words.line, &text, &length)) {
        const char *end = text + length;
        for (words.count = 0; *text != '#' && words.count <= MOST_STATES;) {
            text += strspn(text, " \t\r");
            size_t word = strcspn(text, " \t\r\n");
            if (text >= end || word == 0)
                break;
            words.items[words.count++] = value_text(STRING, text, word);
            text += word;
        }
        if (words.count)
            read_words(automaton, &words);
    }
    if (!automaton->next || !automaton->accepts)
        unreadable(file->path, words.line, "expected an automaton");
}

/* ---- words of a history ---- */

static const struct {
    const char *spec;
    int what;
    const char *method, *otherwise; /* if it answered false or nil */
} methods[] = {{"queue", 'B', "Enq", NULL},
               {"queue", 'f', "Deq", "DeqEmpty"},
               {"stack", 'B', "Push", NULL},
               {"stack", 'b', "Pop", "PopEmpty"},
               {"set", '+', "Add", "AddFail"},
               {"set", '-', "Remove", "RemoveFail"},
               {"set", '?', "Contains", "ContainsFalse"}};

/* The operation's method; its value, which is null if it has none. */
static const char *find_method(value spec, const struct call *call, value *found)
{
    bool removes = call->what == 'f' || call->what == 'b';
    bool fails = call->result == VALUE_NIL || call->result == value_boolean(false);
    *found = !removes ? call->argument : call->result != VALUE_NIL ? call->result : NULL;
    for (size_t i = 0; i < LENGTH(methods); i++)
        if (value_is(spec, methods[i].spec) && call->what == methods[i].what) {
            if (methods[i].otherwise && !call->known)
                refuse("an operation has an answer that may be any");
            return methods[i].otherwise && (removes ? !*found : fails) ? methods[i].otherwise
                                                                       : methods[i].method;
        }
    refuse("linchpin-recheck runs no automata on such operations");
}

struct letter {
    size_t method, colour;
};

/* Colours of values, each the same wherever the value is; and marks. */
static void read_letters(value claim, struct evidence *evidence, const struct automaton *automaton,
                         const struct history *history, struct letter *letters)
{
    struct object object = {0};
    struct call call;
    value spec = get_field(claim, "spec"), key[2], found;
    size_t count = 0, used[COLOURS + 1] = {0};
    bool *marked = room(NULL, history->count + 1, 1);
    memset(marked, 0, history->count + 1);
    if (!spec || spec->kind != STRING)
        refuse("the claim has no specification");
    object_init(&object, spec->text, spec->length);
    for (value line; (line = next_evidence(evidence));) {
        value colours = get_field(line, "colours"), marks = get_field(line, "marked");
        value list = colours ? colours : marks;
        if (list && list->kind != LIST)
            refuse("expected a list of colours, or of operations that are marked");
        for (size_t i = 0; list && i < list->length; i++) {
            int64_t number;
            if (!get_integer(list->items[i], &number) || number < 0 ||
                (colours ? number > COLOURS || count == history->count
                         : (uint64_t)number >= history->count))
                refuse("expected a colour, or an operation that is marked");
            if (colours)
                letters[count++].colour = (size_t)number;
            else
                marked[number] = true;
        }
    }
    for (size_t i = 0; i < history->count; i++) {
        if (history->operations[i].key)
            refuse("operation %zu has a key", i);
        if (history->operations[i].outcome == FAIL)
            continue;
        if (i >= count || letters[i].colour == 0 || history->operations[i].outcome != OK)
            refuse("operation %zu has no colour, or did not return", i);
        char name[40];
        object_bind(&object, history, i, &call);
        snprintf(name, sizeof name, "%s%s", find_method(spec, &call, &found), marked[i] ? "M" : "");
        letters[i].method = method_at(automaton, value_text(STRING, name, strlen(name)));
        if (letters[i].method == automaton->methods)
            refuse("the automaton reads no %s", name);
        key[0] = spec;
        key[1] = found;
        size_t *colour = found ? value_items(LIST, key, 2)->number : &(size_t){0};
        if (*colour && *colour != letters[i].colour)
            refuse("the value of operation %zu has two colours", i);
        if (!*colour && used[letters[i].colour]++ && !automaton->shared[letters[i].colour])
            refuse("two values have colour %zu", letters[i].colour);
        *colour = letters[i].colour;
    }
}

void check_automaton(value claim, struct evidence *evidence, size_t limit)
{
    struct automaton automaton;
    struct history history;
    (void)limit;
    read_automaton(claimed_input(claim, "automaton", "automaton_sha256"), &automaton);
    read_history(claimed_input(claim, "input", "sha256"), &history);
    struct letter *letters = room(NULL, history.count + 1, sizeof *letters);
    size_t *events = room(NULL, history.positions + 1, sizeof *events), state = automaton.initial;
    read_letters(claim, evidence, &automaton, &history, letters);
    for (size_t i = 0; i < history.positions; i++)
        events[i] = NEVER;
    for (size_t i = 0; i < history.count; i++)
        if (history.operations[i].outcome == OK)
            events[history.operations[i].invoke] = events[history.operations[i].response] = i;
    for (size_t i = 0; i < history.positions && state != DEAD; i++)
        if (events[i] != NEVER)
            state = *transition(&automaton, state, history.operations[events[i]].response == i,
                                letters[events[i]].method, letters[events[i]].colour);
    if (!value_is(get_field(claim, "verdict"), "accepted") || state == DEAD ||
        !automaton.accepts[state])
        refuse("the automaton does not accept the history with these colours");
}
