/* Runs an implementation: the meaning of each statement, and what is one step. A step begins where
 * something shared is touched, or something waits, and ends before the next such place, or where
 * the answer is known. Whatever an algorithm must not do is refused: it would be a violation. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum {
    MOST_INSTRUCTIONS = 100000,
    MOST_NODES = 1000
};

static word *thread_of(const struct machine *m, size_t thread)
{
    const struct program *program = m->program;
    return m->words + program->words + thread * (THREAD_LOCALS + program->locals);
}

static size_t first_node(const struct program *program)
{
    return program->words + (size_t)program->threads * (THREAD_LOCALS + program->locals);
}

static size_t node_words(const struct program *program)
{
    return 1 + program->most_fields;
}

_Noreturn static void wrong(const struct machine *m, const char *what)
{
    refuse("%s: a thread %s", m->program->file->path, what);
}

static void append(struct machine *m, word w)
{
    if (m->length == m->room)
        m->words = room(m->words, m->room = 2 * m->room + 64, sizeof w);
    m->words[m->length++] = w;
}

/* ---- expressions ---- */

static word evaluate(struct machine *m, expression e);

static word number(const struct machine *m, word w)
{
    if (w < INT32_MIN || w > INT32_MAX)
        wrong(m, "computes with what is no number, or with one of more than 32 bits");
    return w;
}

static bool truth(const struct machine *m, word w)
{
    if (w != WORD_TRUE && w != WORD_FALSE)
        wrong(m, "takes for true or false what is neither");
    return w == WORD_TRUE;
}

static word boolean(bool b)
{
    return b ? WORD_TRUE : WORD_FALSE;
}

/* Which word a location is: what it is named by is evaluated once, before what is stored there. */
static size_t locate(struct machine *m, expression e)
{
    if (e->kind == LOCAL)
        return (size_t)(thread_of(m, m->thread) - m->words) + THREAD_LOCALS + e->number;
    if (e->kind == SHARED) {
        word index = e->operands[0] ? number(m, evaluate(m, e->operands[0])) : 0;
        if (index < 0 || index >= (word)(e->length ? e->length : 1))
            wrong(m, "leaves an array");
        return e->number + (size_t)index;
    }
    word node = evaluate(m, e->operands[0]);
    if (node < FIRST_NODE)
        wrong(m, "follows a null reference");
    return (size_t)(node - FIRST_NODE) + 1 + e->number;
}

static void store(struct machine *m, size_t place, const struct type *type, word w)
{
    bool right = type->kind == A_NUMBER    ? w >= type->low && w <= type->high
                 : type->kind == A_BOOLEAN ? w == WORD_TRUE || w == WORD_FALSE
                 : type->kind == A_VALUE   ? w == WORD_NULL || (w >= INT32_MIN && w <= INT32_MAX)
                                           : w == WORD_NULL || w >= FIRST_NODE;
    if (!right)
        wrong(m, "stores what is not of the type");
    m->words[place] = w;
}

static word make_node(struct machine *m, size_t number_of_structure)
{
    const struct structure *structure = &m->program->structures[number_of_structure];
    word node = FIRST_NODE + (word)m->length;
    if (m->length > MOST_NODES * node_words(m->program) + first_node(m->program))
        wrong(m, "makes too many nodes");
    append(m, (word)number_of_structure);
    for (size_t i = 0; i < m->program->most_fields; i++)
        append(m, i < structure->count ? structure->fields[i].first : WORD_NULL);
    return node;
}

static word compute(struct machine *m, const char *operator, word a, word b)
{
    if (strcmp(operator, "==") == 0 || strcmp(operator, "!=") == 0)
        return boolean((a == b) == (*operator== '='));
    number(m, a);
    number(m, b);
    if (strchr("/%", *operator) && b == 0)
        wrong(m, "divides by zero");
    switch (*operator) {
    case '+':
        return number(m, a + b);
    case '-':
        return number(m, a - b);
    case '*':
        return number(m, a * b);
    case '/':
        return number(m, a / b);
    case '%':
        return a % b;
    case '<':
        return boolean(operator[1] ? a <= b : a<b);
    default:
        return boolean(operator[1] ? a >= b : a> b);
    }
}

static word exchange(struct machine *m, expression e)
{
    const struct type *type = &e->operands[0]->type;
    size_t place = locate(m, e->operands[0]);
    word one = evaluate(m, e->operands[1]);
    word two = e->operands[2] ? evaluate(m, e->operands[2]) : WORD_NULL;
    word before = m->words[place];
    if (e->kind == CAS) {
        if (before == one)
            store(m, place, type, two);
        return boolean(before == one);
    }
    store(m, place, type, e->kind == SWAP ? one : compute(m, "+", before, one));
    return before;
}

static word evaluate(struct machine *m, expression e)
{
    switch (e->kind) {
    case CONSTANT:
        return e->value;
    case LOCAL:
    case SHARED:
    case FIELD:
        return m->words[locate(m, e)];
    case CONDITIONAL:
        return evaluate(m, e->operands[truth(m, evaluate(m, e->operands[0])) ? 1 : 2]);
    case THREAD:
        return (word)m->thread;
    case NEW:
        return make_node(m, e->number);
    case CAS:
    case SWAP:
    case FETCH_ADD:
        return exchange(m, e);
    case UNARY:
    case BINARY:
        break;
    }
    word first = evaluate(m, e->operands[0]);
    if (e->kind == UNARY)
        return e->operator[0] == '!' ? boolean(!truth(m, first)) : number(m, -number(m, first));
    if (strcmp(e->operator, "||") == 0 || strcmp(e->operator, "&&") == 0)
        return truth(m, first) == (e->operator[0] == '|')
                   ? first
                   : boolean(truth(m, evaluate(m, e->operands[1])));
    return compute(m, e->operator, first, evaluate(m, e->operands[1]));
}

/* ---- statements ---- */

/* False: it has to wait. *next: where the thread goes on. */
static bool execute(struct machine *m, const struct instruction *instruction, size_t *next)
{
    const struct type *type = instruction->place ? &instruction->place->type : NULL;
    size_t place;
    switch (instruction->what) {
    case STORE:
        place = locate(m, instruction->place);
        store(m, place, type, evaluate(m, instruction->value));
        return true;
    case EVALUATE:
        evaluate(m, instruction->value);
        return true;
    case BRANCH:
        if (!truth(m, evaluate(m, instruction->value)))
            *next = instruction->target;
        return true;
    case JUMP:
        *next = instruction->target;
        return true;
    case WAIT:
        return truth(m, evaluate(m, instruction->value));
    case CLAIM:
        if (!truth(m, evaluate(m, instruction->value)))
            wrong(m, "comes to an assertion that is false");
        return true;
    case LOCK:
        place = locate(m, instruction->place);
        if (truth(m, m->words[place]))
            return false;
        store(m, place, type, WORD_TRUE);
        return true;
    case UNLOCK:
        place = locate(m, instruction->place);
        if (!truth(m, m->words[place]))
            wrong(m, "unlocks what is free");
        store(m, place, type, WORD_FALSE);
        return true;
    case RETURN:
    case ATOMIC:
    case ATOMIC_END:
        break;
    }
    return true;
}

/* From `at` to where the next step begins, or the answer is known: then as many
 * instructions behind the last one as the `return` has before it.
 * `*begins`: the first instruction may be the beginning of a step. */
static bool execute_from(struct machine *m, const struct operation_code *code, size_t *at,
                         bool begins, word *answer)
{
    for (size_t count = 0; *at < code->length; count++) {
        const struct instruction *instruction = &code->code[*at];
        if (instruction->steps && !begins)
            return true;
        begins = false;
        if (count > MOST_INSTRUCTIONS)
            wrong(m, "takes no step for ever");
        if (instruction->what == RETURN) {
            *answer = evaluate(m, instruction->value);
            *at += code->length;
            return true;
        }
        size_t next = *at + 1;
        if (!execute(m, instruction, &next))
            return false;
        *at = next;
    }
    return true;
}

/* ---- one form of all states that differ by the numbers of nodes ---- */

static void follow(struct machine *made, const struct machine *from, size_t *places, word *w)
{
    if (*w < FIRST_NODE)
        return;
    size_t old = (size_t)(*w - FIRST_NODE);
    size_t *place = &places[old - first_node(from->program)];
    if (!*place) {
        *place = made->length;
        for (size_t i = 0; i < node_words(from->program); i++)
            append(made, from->words[old + i]);
    }
    *w = FIRST_NODE + (word)*place;
}

/* Nodes in the order in which they are found from variables; what is not found is left out. */
static void arrange(struct machine *m)
{
    struct machine made = {.program = m->program, .thread = m->thread};
    size_t start = first_node(m->program);
    size_t *places = calloc(m->length - start + 1, sizeof *places);
    if (!places)
        wrong(m, "needs more memory than there is");
    for (size_t i = 0; i < start; i++)
        append(&made, m->words[i]);
    for (size_t i = 0; i < made.length; i++) {
        word w = made.words[i];
        follow(&made, m, places, &w);
        made.words[i] = w;
    }
    free(places);
    free(m->words);
    *m = made;
}

/* ---- steps ---- */

void run_init(struct machine *machine, const struct program *program)
{
    *machine = (struct machine){.program = program};
    for (size_t i = 0; i < program->shared_count; i++)
        for (size_t j = 0; j == 0 || j < program->shared[i].length; j++)
            append(machine, program->shared[i].first);
    while (machine->length < first_node(program))
        append(machine, 0);
    size_t at = 0;
    word answer;
    if (!execute_from(machine, &program->start, &at, true, &answer))
        wrong(machine, "waits before there are others");
    memset(thread_of(machine, 0), 0,
           (size_t)program->threads * (THREAD_LOCALS + program->locals) * sizeof(word));
    arrange(machine);
}

static void load(struct machine *m, const word *state, size_t length)
{
    m->length = 0;
    for (size_t i = 0; i < length; i++)
        append(m, state[i]);
}

static void take_call(struct machine *m, size_t operation, word argument)
{
    const struct operation_code *code = &m->program->operations[operation];
    word *own = thread_of(m, m->thread);
    size_t at = 0;
    word answer = 0;
    own[THREAD_OPERATION] = (word)operation + 1;
    if (code->parameters)
        own[THREAD_LOCALS] = argument;
    execute_from(m, code, &at, false, &answer);
    own = thread_of(m, m->thread);
    own[THREAD_AT] = (word)at;
    own[THREAD_ANSWER] = answer;
    arrange(m);
}

/* The arguments that clients pass. */
static void argument_range(const struct program *program, const struct operation_code *code,
                           word *low, word *high)
{
    const struct type *type = &code->parameter;
    *low = *high = WORD_NULL;
    if (!code->parameters)
        return;
    *low = type->kind == A_VALUE ? 1 : type->kind == A_BOOLEAN ? WORD_FALSE : type->low;
    *high = type->kind == A_VALUE     ? program->values
            : type->kind == A_BOOLEAN ? WORD_TRUE
                                      : type->high;
    if (*high - *low > 1000)
        refuse("%s: an argument may be any number", program->file->path);
}

/* Of a client that takes turns the first operation of the specification comes first: which that
 * is, `takes_turns` has been told by their order in the implementation (model.c). */
static void run_calls(struct machine *m, const word *state, size_t length, bool takes_turns,
                      void (*take)(void *self, const struct event *event), void *self)
{
    const struct program *program = m->program;
    word calls = state[(size_t)(thread_of(m, m->thread) - m->words) + THREAD_CALLS];
    if (program->calls >= 0 && calls >= program->calls)
        return;
    for (size_t i = 0; i < program->operation_count; i++) {
        const struct operation_code *code = &program->operations[i];
        word low, high;
        if (code->only >= 0 && code->only != (word)m->thread)
            continue;
        if (takes_turns && (word)(code->name[0] == 'r') != calls % 2)
            continue;
        argument_range(program, code, &low, &high);
        for (word argument = low; argument <= high; argument++) {
            load(m, state, length);
            take_call(m, i, argument);
            take(self, &(struct event){CALLS, m->thread, i, 0, argument});
        }
    }
}

void run_steps(struct machine *m, const word *state, size_t length, bool takes_turns,
               void (*take)(void *self, const struct event *event), void *self)
{
    const struct program *program = m->program;
    for (m->thread = 0; m->thread < (size_t)program->threads; m->thread++) {
        load(m, state, length);
        word *own = thread_of(m, m->thread);
        if (!own[THREAD_OPERATION]) {
            run_calls(m, state, length, takes_turns, take, self);
            continue;
        }
        size_t operation = (size_t)own[THREAD_OPERATION] - 1, at = (size_t)own[THREAD_AT];
        const struct operation_code *code = &program->operations[operation];
        struct event event = {ANSWERS_WITH, m->thread, operation, 0, own[THREAD_ANSWER]};
        if (at >= code->length) {
            word calls = own[THREAD_CALLS] + 1;
            memset(own, 0, (THREAD_LOCALS + program->locals) * sizeof *own);
            own[THREAD_CALLS] = program->calls < 0 ? calls % 2 : calls;
        } else {
            word answer = 0;
            event = (struct event){STEPS, m->thread, operation, code->code[at].line, 0};
            if (!execute_from(m, code, &at, true, &answer))
                continue;
            own = thread_of(m, m->thread);
            own[THREAD_AT] = (word)at;
            own[THREAD_ANSWER] = answer;
        }
        arrange(m);
        take(self, &event);
    }
}

word run_shared(const word *state, const struct variable *variable, size_t index)
{
    return state[variable->number + index];
}
