/* Violation automata: the values of a history are coloured with 1, 2 and 3, and the automaton reads
 * its calls and returns, each with the colour of its value. Somebody who knows a colouring with
 * which it accepts needs no search. */
#include <stdio.h>
#include <string.h>

#include "recheck.h"

#define MOST_STATES  1000
#define MOST_METHODS 16
#define COLOURS      3
#define DEAD         UINT32_MAX

/* Those up to `accept` have to be there; all but `trans` are once. */
enum heading {
    NAME,
    ADT,
    METHODS,
    STATES,
    INITIAL,
    ACCEPT,
    RULE,
    FOR,
    SINGLE,
    COMPLETE,
    TRANSITION,
    HEADINGS
};

static const char *const headings[HEADINGS] = {"name",   "adt",      "methods", "states",
                                               "init",   "accept",   "rule",    "for",
                                               "single", "complete", "trans"};

struct automaton {
    const struct file *file;
    bool seen[HEADINGS];
    size_t methods, states, initial;
    value object, names[MOST_METHODS];  /* of methods */
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

static void make_table(struct automaton *automaton)
{
    size_t count = automaton->states * 2 * automaton->methods * COLOURS;
    if (automaton->next)
        return;
    automaton->next = room(NULL, count, sizeof *automaton->next);
    memset(automaton->next, 0xff, count * sizeof *automaton->next);
}

/* trans FROM EVENT METHOD COLOUR TO */
static void read_transition(struct automaton *automaton, const struct words *words)
{
    size_t method = automaton->methods;
    make_table(automaton);
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

static void read_method(struct automaton *automaton, const struct words *words, size_t i)
{
    if (automaton->methods == MOST_METHODS ||
        method_at(automaton, words->items[i]) < automaton->methods)
        unreadable(words->file->path, words->line, "expected each method once, and at most %d",
                   MOST_METHODS);
    automaton->names[automaton->methods++] = words->items[i];
}

static void read_states(struct automaton *automaton, const struct words *words)
{
    automaton->states = number_at(words, 1, MOST_STATES + 1);
    if (automaton->states == 0)
        unreadable(words->file->path, words->line, "expected a state");
    automaton->accepts = room(NULL, automaton->states, 1);
    memset(automaton->accepts, 0, automaton->states);
}

/* A number, state or method of the list behind a heading. */
static void read_item(struct automaton *automaton, const struct words *words, enum heading heading,
                      size_t i)
{
    bool *accepts = automaton->accepts;
    if (heading == METHODS)
        read_method(automaton, words, i);
    else if (heading == SINGLE)
        automaton->shared[number_at(words, i, COLOURS + 1)] = false;
    else if (heading == ACCEPT && !accepts[number_at(words, i, automaton->states)])
        accepts[number_at(words, i, automaton->states)] = true;
    else if (heading != COMPLETE || !accepts[number_at(words, i, automaton->states)])
        unreadable(words->file->path, words->line, "expected each state once, and that it accepts");
}

static void read_words(struct automaton *automaton, const struct words *words)
{
    enum heading heading = 0;
    while (heading < HEADINGS && !value_is(words->items[0], headings[heading]))
        heading++;
    bool lists =
        heading == METHODS || heading == ACCEPT || heading == SINGLE || heading == COMPLETE;
    bool about_states = heading == INITIAL || heading == ACCEPT || heading == TRANSITION;
    bool *seen = automaton->seen;
    if (heading == HEADINGS || (heading != TRANSITION && seen[heading]) ||
        (about_states && !seen[STATES]) || (heading == TRANSITION && !seen[METHODS]) ||
        (heading == COMPLETE && !seen[ACCEPT]) || (words->count < 2 && heading != RULE) ||
        (words->count > 2 && !lists && heading != RULE && heading != TRANSITION) ||
        (heading == FOR && !value_is(words->items[1], "histories") &&
         !value_is(words->items[1], "prefixes")))
        unreadable(words->file->path, words->line, "this line is not expected here");
    seen[heading] = true;
    if (heading == ADT)
        automaton->object = words->items[1];
    else if (heading == STATES)
        read_states(automaton, words);
    else if (heading == INITIAL)
        automaton->initial = number_at(words, 1, automaton->states);
    else if (heading == TRANSITION)
        read_transition(automaton, words);
    for (size_t i = 1; i < words->count && lists; i++)
        read_item(automaton, words, heading, i);
}

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

static bool is_named(value name, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    return length && name->length >= length && memcmp(name->text, text, length) == 0 &&
           (name->length == length || (name->length == length + 1 && name->text[length] == 'M'));
}

/* Whether the object has such a method, or the name is that of a marked copy. */
static bool is_method(value object, value name)
{
    bool found = false;
    for (size_t i = 0; i < LENGTH(methods); i++)
        found |= value_is(object, methods[i].spec) &&
                 (is_named(name, methods[i].method) || is_named(name, methods[i].otherwise));
    return found;
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
        for (words.count = 0;;) {
            text += strspn(text, " \t\r");
            size_t word = strcspn(text, " \t\r\n");
            if (text >= end || (words.count == 0 && *text == '#'))
                break;
            if (word == 0 || words.count > MOST_STATES)
                unreadable(file->path, words.line, "expected fewer words, and none with a 0 byte");
            words.items[words.count++] = value_text(STRING, text, word);
            text += word;
        }
        if (words.count)
            read_words(automaton, &words);
    }
    for (enum heading heading = 0; heading <= ACCEPT; heading++)
        if (!automaton->seen[heading])
            unreadable(file->path, words.line, "expected a line with %s", headings[heading]);
    for (size_t m = 0; m < automaton->methods; m++)
        if (!is_method(automaton->object, automaton->names[m]))
            unreadable(file->path, words.line, "expected no method %s of %s",
                       automaton->names[m]->text, automaton->object->text);
    make_table(automaton);
}

/* ---- words of a history ---- */

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
    if (spec != automaton->object)
        refuse("the automaton is one of %s", automaton->object->text);
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
