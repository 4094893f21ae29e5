/* That an implementation linearizes a specification. The certificate has all states of the
 * implementation, numbered, each with its steps. Here they are made a second time, from the file,
 * beside the sets of what the specification may be in, until nothing new comes. The two have to
 * agree: each step that is made leads from a state to one of the certificate, which has that step,
 * and no others, and these values of shared variables; every state of the certificate is come to;
 * and at no answer is nothing possible. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "possible.h"

#define NO_STATE  SIZE_MAX
#define MOST_TEXT 4000

struct checking {
    struct program program;
    struct possible possible;
    struct machine machine;
    struct store states, pairs, seen; /* a state and a set; of the certificate, and a set */
    size_t *certified;                /* by state: which of the certificate it is */
    size_t certified_room;
    value *claimed; /* states of the certificate */
    bool *reached;
    size_t claimed_count, limit;
    size_t from, set, steps; /* where the step comes from; its set; how many there were */
};

/* ---- what stands in the certificate ---- */

static value need(value map, const char *key, enum kind kind)
{
    value found = get_field(map, key);
    if (!found || found->kind != kind)
        refuse("expected `%s`", key);
    return found;
}

static void read_states(struct checking *c, struct evidence *evidence)
{
    size_t capacity = 0;
    int64_t number;
    for (value line; (line = next_evidence(evidence)); c->claimed_count++) {
        if (!get_integer(need(line, "state", INTEGER), &number) ||
            number != (int64_t)c->claimed_count)
            refuse("expected state %zu", c->claimed_count);
        if (c->claimed_count == capacity)
            c->claimed = room(c->claimed, capacity = 2 * capacity + 64, sizeof *c->claimed);
        c->claimed[c->claimed_count] = line;
    }
    c->reached = room(NULL, c->claimed_count, 1);
    memset(c->reached, 0, c->claimed_count);
}

static void print_word(const struct checking *c, char *text, word w)
{
    size_t length = strlen(text);
    char *end = text + length;
    if (w == WORD_NULL || w == WORD_TRUE || w == WORD_FALSE)
        strcpy(end, w == WORD_NULL ? "null" : w == WORD_TRUE ? "true" : "false");
    else if (w < FIRST_NODE)
        sprintf(end, "%" PRId64, w);
    else
        strcpy(end, "node");
    if (length > MOST_TEXT - 100)
        refuse("%s: a variable is too long", c->program.file->path);
}

/* References are only told from null. */
static void check_shared(const struct checking *c, const word *state, value line)
{
    value shared = need(line, "shared", MAP);
    const struct program *program = &c->program;
    if (shared->length != 2 * program->shared_count)
        refuse("the certificate has other shared variables");
    for (size_t i = 0; i < program->shared_count; i++) {
        const struct variable *variable = &program->shared[i];
        char text[MOST_TEXT] = "", name[200];
        snprintf(name, sizeof name, "%.*s", (int)variable->name_length, variable->name);
        if (variable->length)
            strcat(text, "[");
        for (size_t j = 0; j == 0 || j < variable->length; j++) {
            if (j)
                strcat(text, ", ");
            print_word(c, text, run_shared(state, variable, j));
        }
        if (variable->length)
            strcat(text, "]");
        if (!value_is(need(shared, name, STRING), text))
            refuse("%s is %s in a state where the certificate has something else", name, text);
    }
}

/* "inv.push.0.1", "res.pop.1", "res.pop=none.1", "23" */
static void print_event(const struct checking *c, const struct event *event, char *text,
                        size_t size)
{
    const struct operation_code *code = &c->program.operations[event->operation];
    if (event->kind == STEPS) {
        snprintf(text, size, "%zu", event->line);
        return;
    }
    bool symbol = event->value >= FIRST_SYMBOL && event->value < INT32_MIN;
    const struct variable *answer = &c->program.symbols[symbol ? event->value - FIRST_SYMBOL : 0];
    snprintf(text, size, "%s.%.*s%s%.*s.%zu", event->kind == CALLS ? "inv" : "res",
             (int)code->name_length, code->name, symbol ? "=" : "",
             symbol ? (int)answer->name_length : 0, symbol ? answer->name : "", event->thread);
    if (symbol || event->value == WORD_NULL || event->value == WORD_OK)
        return;
    if (strlen(text) + 40 > size)
        refuse("%s: a name is too long", c->program.file->path);
    strcat(text, ".");
    print_word(c, text, event->value);
}

/* ---- the comparison ---- */

static void stand_for(struct checking *c, const word *words, size_t length, size_t claimed,
                      size_t set)
{
    size_t state = store_words(&c->states, words, length);
    if (claimed >= c->claimed_count)
        refuse("a step leads to no state of the certificate");
    if (state == c->certified_room) {
        c->certified_room = 2 * state + 64;
        c->certified = room(c->certified, c->certified_room, sizeof *c->certified);
        for (size_t i = state; i < c->certified_room; i++)
            c->certified[i] = NO_STATE;
    }
    if (c->certified[state] == NO_STATE) {
        check_shared(c, words, c->claimed[claimed]);
        c->certified[state] = claimed;
        c->reached[claimed] = true;
    }
    if (c->certified[state] != claimed)
        refuse("states %zu and %zu of the certificate are the same", c->certified[state], claimed);
    store_words(&c->seen, (word[]){(word)claimed, (word)set}, 2);
    store_words(&c->pairs, (word[]){(word)state, (word)set}, 2);
    if (c->pairs.count > c->limit)
        too_large("there are more than %zu states with what may have happened", c->limit);
}

static void take(void *self, const struct event *event)
{
    struct checking *c = self;
    value steps = need(c->claimed[c->from], "steps", LIST);
    char text[400];
    int64_t target = -1, found, thread;
    size_t set;
    print_event(c, event, text, sizeof text);
    for (size_t i = 0; i < steps->length; i++) {
        value step = steps->items[i];
        if (step->kind != LIST || step->length != 3 || !get_integer(step->items[0], &found) ||
            !get_integer(step->items[1], &thread))
            refuse("expected a step");
        if (thread != (int64_t)event->thread || !value_is(step->items[2], text))
            continue;
        if (target >= 0)
            refuse("state %zu has the step %s twice", c->from, text);
        target = found;
    }
    if (target < 0)
        refuse("state %zu has no step %s of thread %zu", c->from, text, event->thread);
    c->steps++;
    if (!possible_step(&c->possible, c->set, event, &set))
        refuse("a violation: %s has no explanation in state %zu", text, c->from);
    stand_for(c, c->machine.words, c->machine.length, (size_t)target, set);
}

static void walk(struct checking *c, size_t set)
{
    if (!c->claimed_count)
        refuse("there are no states");
    run_init(&c->machine, &c->program);
    stand_for(c, c->machine.words, c->machine.length, 0, set);
    for (size_t i = 0; i < c->pairs.count; i++) {
        size_t state = (size_t)c->pairs.items[i].words[0];
        c->from = c->certified[state];
        c->set = (size_t)c->pairs.items[i].words[1];
        c->steps = 0;
        run_steps(&c->machine, c->states.items[state].words, c->states.items[state].length,
                  possible_takes_turns(&c->possible), take, c);
        if (c->steps != need(c->claimed[c->from], "steps", LIST)->length)
            refuse("state %zu has steps that there are not", c->from);
    }
    for (size_t i = 0; i < c->claimed_count; i++)
        if (!c->reached[i])
            refuse("state %zu is come to by no steps", i);
}

/* But for white space. */
static bool is_assertion(const struct program *program, const char *text)
{
    const char *at = program->assertion, *end = at + program->assertion_length;
    for (; at < end; at++)
        if (!isspace((unsigned char)*at)) {
            while (isspace((unsigned char)*text))
                text++;
            if (*text++ != *at)
                return false;
        }
    return *text == 0;
}

void check_model(value claim, struct evidence *evidence, size_t limit)
{
    struct checking c = {.limit = limit};
    const struct file *file = claimed_input(claim, "input", "sha256");
    int64_t line, pairs;
    size_t set;
    if (!value_is(get_field(claim, "verdict"), "holds"))
        refuse("linchpin-recheck checks of models only that something holds");
    if (!get_integer(need(claim, "line", INTEGER), &line) ||
        !get_integer(need(claim, "pairs", INTEGER), &pairs))
        refuse("expected numbers");
    store_init(&c.states);
    store_init(&c.pairs);
    store_init(&c.seen);
    read_states(&c, evidence);
    read_program(file, (size_t)line, &c.program);
    if (!is_assertion(&c.program, need(claim, "assertion", STRING)->text))
        refuse("in that line of %s stands another assertion", file->path);
    possible_init(&c.possible, &c.program, &set);
    walk(&c, set);
    if ((int64_t)c.seen.count != pairs)
        refuse("there are %zu states with what may have happened, not %" PRId64, c.seen.count,
               pairs);
}
