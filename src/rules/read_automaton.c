/* Reads violation automata in their text format, a heading and its values on each line:
 * docs/manual/rules.md has it. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "rules/automaton.h"

#define LONGEST_SHOWN 40

enum field {
    FIELD_NAME,
    FIELD_ADT,
    FIELD_METHODS,
    FIELD_STATES,
    FIELD_INIT,
    FIELD_ACCEPT,
    REQUIRED_FIELDS,
    FIELD_RULE = REQUIRED_FIELDS,
    FIELD_FOR,
    FIELD_SINGLE,
    FIELD_COMPLETE,
    FIELD_TRANS, /* any number of times */
    FIELDS,
};

static const char *const fields[FIELDS] = {
    [FIELD_NAME] = "name",         [FIELD_ADT] = "adt",     [FIELD_METHODS] = "methods",
    [FIELD_STATES] = "states",     [FIELD_INIT] = "init",   [FIELD_ACCEPT] = "accept",
    [FIELD_RULE] = "rule",         [FIELD_FOR] = "for",     [FIELD_SINGLE] = "single",
    [FIELD_COMPLETE] = "complete", [FIELD_TRANS] = "trans",
};

struct reader {
    const struct script *script;
    struct arena *arena;
    struct violation_automaton *automaton;
    struct error *error;
    place at, end;   /* what is left of the line */
    place word;      /* the last word taken */
    uint32_t length; /* of it; 0: the line has ended */
    bool seen[FIELDS];
};

/* ---- lines and words ---- */

static void next_word(struct reader *reader)
{
    const char *text = reader->script->text;
    while (reader->at < reader->end && isspace((unsigned char)text[reader->at]))
        reader->at++;
    reader->word = reader->at;
    while (reader->at < reader->end && !isspace((unsigned char)text[reader->at]))
        reader->at++;
    reader->length = reader->at - reader->word;
}

static bool word_is(const struct reader *reader, const char *word)
{
    return strlen(word) == reader->length &&
           memcmp(reader->script->text + reader->word, word, reader->length) == 0;
}

static enum status complain(const struct reader *reader, const char *expected)
{
    int length = reader->length < LONGEST_SHOWN ? (int)reader->length : LONGEST_SHOWN;
    const char *word = reader->script->text + reader->word;
    if (!length)
        return script_error(reader->script, reader->word, reader->error,
                            "expected %s, found the end of the line", expected);
    for (int i = 0; i < length; i++)
        if ((unsigned char)word[i] < 0x20 || (unsigned char)word[i] >= 0x7f)
            return script_error(reader->script, reader->word, reader->error,
                                "expected %s, found byte 0x%02x", expected, (unsigned char)word[i]);
    return script_error(reader->script, reader->word, reader->error, "expected %s, found '%.*s'",
                        expected, length, word);
}

static enum status end_line(struct reader *reader)
{
    next_word(reader);
    return reader->length ? complain(reader, "the end of the line") : STATUS_OK;
}

static const char *keep(struct reader *reader, place from, place end)
{
    return arena_copy_text(reader->arena, reader->script->text + from, end - from);
}

/* A number from `least` to `most` in the word taken. */
static enum status read_number(struct reader *reader, const char *what, uint32_t least,
                               uint32_t most, uint32_t *number)
{
    char expected[64];
    uint64_t found = 0;
    bool good = reader->length > 0;
    for (uint32_t i = 0; i < reader->length; i++) {
        char digit = reader->script->text[reader->word + i];
        good = good && isdigit((unsigned char)digit);
        if (found <= most)
            found = found * 10 + (uint64_t)(digit - '0');
    }
    *number = (uint32_t)found;
    if (good && found >= least && found <= most)
        return STATUS_OK;
    snprintf(expected, sizeof expected, "%s from %u to %u", what, least, most);
    return complain(reader, expected);
}

static enum status read_state(struct reader *reader, uint32_t *state)
{
    next_word(reader);
    return read_number(reader, "a state", 0, reader->automaton->state_count - 1, state);
}

static bool word_is_name(const struct reader *reader)
{
    const char *word = reader->script->text + reader->word;
    for (uint32_t i = 0; i < reader->length; i++)
        if (!isalnum((unsigned char)word[i]) && word[i] != '_' && word[i] != '-')
            return false;
    return reader->length > 0;
}

static enum status keep_word(struct reader *reader, const char **name)
{
    *name = keep(reader, reader->word, reader->at);
    return granted(*name);
}

static enum status read_name(struct reader *reader, const char *what, const char **name)
{
    next_word(reader);
    return word_is_name(reader) ? keep_word(reader, name) : complain(reader, what);
}

/* A name, perhaps with a number in parentheses. */
static enum status read_specification(struct reader *reader, const char **name)
{
    next_word(reader);
    struct reader before = *reader;
    const char *word = reader->script->text + reader->word;
    uint32_t digits = 0;
    if (reader->length && word[reader->length - 1] == ')')
        while (digits + 1 < reader->length &&
               isdigit((unsigned char)word[reader->length - 2 - digits]))
            digits++;
    if (digits && digits + 2 < reader->length && word[reader->length - 2 - digits] == '(')
        before.length -= digits + 2;
    if (!word_is_name(&before))
        return complain(reader, "the name of a specification");
    return keep_word(reader, name);
}

/* As soon as the numbers of states and methods are known. */
static enum status make_table(struct reader *reader)
{
    struct violation_automaton *automaton = reader->automaton;
    if (automaton->next || !automaton->state_count || !automaton->method_count)
        return STATUS_OK;
    return granted(violation_automaton_make_table(automaton, reader->arena));
}

/* ---- one line of each kind ---- */

static enum status read_rule(struct reader *reader)
{
    next_word(reader);
    place from = reader->word, end = reader->word;
    for (; reader->length; next_word(reader))
        end = reader->at;
    reader->automaton->rule = keep(reader, from, end);
    return granted(reader->automaton->rule);
}

static enum status read_for(struct reader *reader)
{
    struct violation_automaton *automaton = reader->automaton;
    next_word(reader);
    automaton->for_histories = word_is(reader, "histories");
    automaton->for_prefixes = word_is(reader, "prefixes");
    if (!automaton->for_histories && !automaton->for_prefixes)
        return complain(reader, "histories or prefixes");
    return end_line(reader);
}

static enum status read_single(struct reader *reader)
{
    next_word(reader);
    do {
        uint32_t colour;
        TRY(read_number(reader, "a colour", 1, VIOLATION_COLOURS, &colour));
        reader->automaton->single |= 1u << colour;
        next_word(reader);
    } while (reader->length);
    return STATUS_OK;
}

static enum status read_methods(struct reader *reader)
{
    const char *names[VIOLATION_MOST_METHODS];
    uint32_t count = 0;
    do {
        const char *name = NULL;
        TRY(read_name(reader, "the name of a method", &name));
        for (uint32_t m = 0; m < count; m++)
            if (strcmp(names[m], name) == 0)
                return complain(reader, "each method once");
        if (count == VIOLATION_MOST_METHODS)
            return complain(reader, "at most 16 methods");
        names[count++] = name;
        while (reader->at < reader->end && isspace((unsigned char)reader->script->text[reader->at]))
            reader->at++;
    } while (reader->at < reader->end);
    TRY_MEMORY(violation_automaton_set_methods(reader->automaton, names, count, reader->arena));
    return make_table(reader);
}

static enum status read_states(struct reader *reader)
{
    uint32_t count;
    next_word(reader);
    TRY(read_number(reader, "a number of states", 1, VIOLATION_MOST_STATES, &count));
    TRY_MEMORY(violation_automaton_set_states(reader->automaton, count, reader->arena));
    TRY(make_table(reader));
    return end_line(reader);
}

/* The states that `accept` or `complete` names. */
static enum status read_set(struct reader *reader, bool *set)
{
    uint32_t state;
    TRY(read_state(reader, &state));
    for (;;) {
        if (set[state])
            return complain(reader, "each state once");
        if (!reader->automaton->accepting[state] && set != reader->automaton->accepting)
            return complain(reader, "a state that `accept` lists");
        set[state] = true;
        next_word(reader);
        if (!reader->length)
            return STATUS_OK;
        TRY(read_number(reader, "a state", 0, reader->automaton->state_count - 1, &state));
    }
}

static enum status read_transition(struct reader *reader)
{
    struct violation_automaton *automaton = reader->automaton;
    uint32_t from, colour, to;
    TRY(read_state(reader, &from));
    next_word(reader);
    enum violation_event event = word_is(reader, "ret") ? VIOLATION_RETURN : VIOLATION_CALL;
    if (event == VIOLATION_CALL && !word_is(reader, "call"))
        return complain(reader, "call or ret");
    next_word(reader);
    uint32_t method = violation_automaton_find_method(
        automaton, reader->script->text + reader->word, reader->length);
    if (method == automaton->method_count)
        return complain(reader, "a method that `methods` lists");
    next_word(reader);
    TRY(read_number(reader, "a colour", 1, VIOLATION_COLOURS, &colour));
    uint32_t *next =
        &automaton->next[violation_automaton_at(automaton, from, event, method, colour)];
    place letter = reader->word;
    TRY(read_state(reader, &to));
    if (*next != VIOLATION_DEAD)
        return script_error(reader->script, letter, reader->error,
                            "expected one transition for each state and letter, found a second "
                            "one");
    *next = to;
    return end_line(reader);
}

/* "# state 3 = WORDS": other comments, and those before `states`, name nothing. */
static enum status read_comment(struct reader *reader)
{
    struct violation_automaton *automaton = reader->automaton;
    const char *name;
    uint32_t state;
    reader->at = reader->word + 1;
    next_word(reader);
    if (!word_is(reader, "state") || !reader->seen[FIELD_STATES])
        return STATUS_OK;
    next_word(reader);
    struct reader ahead = *reader;
    next_word(&ahead);
    if (!word_is(&ahead, "="))
        return STATUS_OK;
    TRY(read_number(reader, "a state", 0, automaton->state_count - 1, &state));
    next_word(&ahead);
    if (!ahead.length)
        return complain(&ahead, "the name of the state");
    place from = ahead.word, end = ahead.at;
    for (; ahead.length; next_word(&ahead))
        end = ahead.at;
    name = keep(reader, from, end);
    automaton->state_names[state] = name;
    return granted(name);
}

/* ---- the whole ---- */

/* Fields that speak of states or methods come after those that introduce them. */
static enum status check_order(const struct reader *reader, enum field field)
{
    bool states = field == FIELD_INIT || field == FIELD_ACCEPT || field == FIELD_COMPLETE ||
                  field == FIELD_TRANS;
    if (field != FIELD_TRANS && reader->seen[field])
        return complain(reader, "each heading once");
    if (states && !reader->seen[FIELD_STATES])
        return complain(reader, "`states` before what speaks of them");
    if (field == FIELD_COMPLETE && !reader->seen[FIELD_ACCEPT])
        return complain(reader, "`accept` before what speaks of accepting states");
    if (field == FIELD_TRANS && !reader->seen[FIELD_METHODS])
        return complain(reader, "`methods` before what speaks of them");
    return STATUS_OK;
}

static enum status read_field(struct reader *reader, enum field field)
{
    struct violation_automaton *automaton = reader->automaton;
    switch (field) {
    case FIELD_NAME:
        TRY(read_name(reader, "the automaton's name", &automaton->name));
        return end_line(reader);
    case FIELD_ADT:
        TRY(read_specification(reader, &automaton->object));
        return end_line(reader);
    case FIELD_RULE:
        return read_rule(reader);
    case FIELD_METHODS:
        return read_methods(reader);
    case FIELD_STATES:
        return read_states(reader);
    case FIELD_INIT:
        TRY(read_state(reader, &automaton->initial));
        return end_line(reader);
    case FIELD_ACCEPT:
        return read_set(reader, automaton->accepting);
    case FIELD_COMPLETE:
        return read_set(reader, automaton->complete);
    case FIELD_FOR:
        return read_for(reader);
    case FIELD_SINGLE:
        return read_single(reader);
    default:
        return read_transition(reader);
    }
}

static enum status read_line(struct reader *reader)
{
    next_word(reader);
    if (!reader->length)
        return STATUS_OK;
    if (reader->script->text[reader->word] == '#')
        return read_comment(reader);
    for (enum field field = 0; field < FIELDS; field++)
        if (word_is(reader, fields[field])) {
            TRY(check_order(reader, field));
            reader->seen[field] = true;
            return read_field(reader, field);
        }
    return complain(
        reader, "name, adt, rule, for, single, methods, states, init, accept, complete or trans");
}

static enum status check_complete(const struct reader *reader)
{
    const struct script *script = reader->script;
    for (enum field field = 0; field < REQUIRED_FIELDS; field++)
        if (!reader->seen[field])
            return script_error(script, (place)script->length, reader->error,
                                "expected a line with `%s`, found the end of the file",
                                fields[field]);
    return STATUS_OK;
}

enum status violation_automaton_read(const struct script *script, struct arena *arena,
                                     struct violation_automaton *automaton, struct error *error)
{
    struct reader reader = {
        .script = script, .arena = arena, .automaton = automaton, .error = error};
    place length = (place)script->length;
    *automaton =
        (struct violation_automaton){.rule = "", .for_histories = true, .for_prefixes = true};
    while (reader.at < length) {
        reader.end = reader.at + (place)strcspn(script->text + reader.at, "\n");
        TRY(read_line(&reader));
        reader.at = reader.end + 1;
    }
    return check_complete(&reader);
}
