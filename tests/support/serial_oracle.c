#include "support/serial_oracle.h"

#include <stdlib.h>
#include <string.h>

enum {
    NO = -1,
    EMPTY = -2,
    NOBODY = SERIAL_CALLS,
    MOST_STATES = 1 << 20,
};

struct memory {
    uint8_t variables[SERIAL_VARIABLES], locked;
};

/* An operation at work. */
struct run {
    uint8_t at;
    bool ended;
    int16_t result; /* so far */
};

static const struct run begun = {.result = 1};

/* One step; false: it waits. */
static bool take_step(const struct serial_operation *operation, struct memory *memory,
                      struct run *run)
{
    if (run->at == operation->length) {
        run->ended = true;
        return true;
    }
    const struct serial_statement *statement = &operation->statements[run->at];
    uint8_t *variable = &memory->variables[statement->variable];
    switch (statement->kind) {
    case SERIAL_LOAD:
        run->result = (int16_t)(3 * run->result + *variable);
        break;
    case SERIAL_STORE:
        *variable = (uint8_t)statement->value;
        break;
    case SERIAL_ADD:
        run->result = (int16_t)(3 * run->result + *variable);
        ++*variable;
        break;
    case SERIAL_AWAIT:
        if (*variable != statement->value)
            return false;
        break;
    case SERIAL_TAKE:
        if (*variable == 0)
            return false;
        --*variable;
        break;
    case SERIAL_LOCK:
        if (memory->locked)
            return false;
        memory->locked = true;
        break;
    case SERIAL_UNLOCK:
        memory->locked = false;
        break;
    case SERIAL_NO_IF:
    case SERIAL_EMPTY_IF:
        if (*variable == statement->value) {
            run->result = statement->kind == SERIAL_NO_IF ? NO : EMPTY;
            run->ended = true;
        }
        break;
    }
    run->at++;
    return true;
}

/* The whole operation, alone; false: it does not return. */
static bool run_alone(const struct serial_operation *operation, struct memory *memory, int *result)
{
    struct run run = begun;
    while (!run.ended)
        if (!take_step(operation, memory, &run))
            return false;
    *result = run.result;
    return true;
}

/* ---- what is legal ---- */

struct history {
    uint8_t called, returned;     /* a bit for each call */
    uint8_t before[SERIAL_CALLS]; /* which returned before it was called */
    int16_t results[SERIAL_CALLS];
};

struct question {
    const struct serial_object *object;
    const struct serial_calls *calls;
    const struct history *history;
    unsigned waits; /* who is to wait behind the order; NOBODY */
};

static const struct serial_operation *operation_of(const struct question *question, unsigned call)
{
    return &question->object->operations[question->calls->operations[call]];
}

static bool is_negative(int result)
{
    return result == NO || result == EMPTY;
}

static bool may_wait(const struct question *question, struct memory memory)
{
    int result;
    if (question->waits == NOBODY)
        return true;
    const struct serial_operation *operation = operation_of(question, question->waits);
    return !run_alone(operation, &memory, &result) || (operation->may_wait && is_negative(result));
}

/* Whether another call is neither before nor after it. */
static bool has_beside(const struct history *history, unsigned call)
{
    for (unsigned i = 0; i < SERIAL_CALLS; i++)
        if (i != call && history->called >> i & 1 && !(history->before[i] >> call & 1) &&
            !(history->before[call] >> i & 1))
            return true;
    return false;
}

static bool has_order(const struct question *question, unsigned done, const struct memory *memory)
{
    const struct history *history = question->history;
    if ((history->returned & ~done) == 0 && may_wait(question, *memory))
        return true;
    for (unsigned i = 0; i < SERIAL_CALLS; i++) {
        bool returned = history->returned >> i & 1;
        struct memory after = *memory;
        int result;
        if (!(history->called >> i & 1) || done >> i & 1 || history->before[i] & ~done ||
            (!returned && question->waits != NOBODY))
            continue;
        if (run_alone(operation_of(question, i), &after, &result) &&
            (!returned || result == history->results[i]) &&
            has_order(question, done | 1u << i, &after))
            return true;
        if (returned && operation_of(question, i)->may_fail && is_negative(history->results[i]) &&
            has_beside(history, i) && has_order(question, done | 1u << i, memory))
            return true;
    }
    return false;
}

/* Of a state in which nothing goes on any more. */
static bool is_legal(const struct serial_object *object, const struct serial_calls *calls,
                     const struct history *history)
{
    const struct memory nothing = {.locked = 0};
    struct question question = {object, calls, history, NOBODY};
    bool legal = has_order(&question, 0, &nothing);
    for (unsigned i = 0; legal && i < SERIAL_CALLS; i++) {
        question.waits = i;
        if ((history->called & ~history->returned) >> i & 1)
            legal = has_order(&question, 0, &nothing);
    }
    return legal;
}

/* ---- every order of steps ---- */

struct state {
    struct memory memory;
    struct history history;
    struct {
        uint8_t made; /* calls that have returned */
        bool runs;
        struct run run;
    } threads[SERIAL_THREADS];
};

struct search {
    const struct serial_object *object;
    const struct serial_calls *calls;
    struct state *states;
    int32_t *table;
    unsigned count;
};

static void reach(struct search *search, const struct state *state)
{
    uint64_t hash = 14695981039346656037u;
    const uint8_t *bytes = (const uint8_t *)state;
    for (size_t i = 0; i < sizeof *state; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    unsigned slot = (unsigned)(hash >> 20) % (MOST_STATES * 2);
    for (; search->table[slot] >= 0; slot = (slot + 1) % (MOST_STATES * 2))
        if (memcmp(&search->states[search->table[slot]], state, sizeof *state) == 0)
            return;
    if (search->count == MOST_STATES)
        abort();
    search->table[slot] = (int32_t)search->count;
    memcpy(&search->states[search->count++], state, sizeof *state);
}

/* A thread calls, takes a step, or returns; false: it waits, or has come to its end. */
static bool step(struct search *search, const struct state *from, unsigned thread, unsigned first)
{
    struct state to;
    memcpy(&to, from, sizeof to); /* with what lies between its fields */
    unsigned call = first + from->threads[thread].made;
    struct history *history = &to.history;
    if (!from->threads[thread].runs) {
        if (from->threads[thread].made == search->calls->lengths[thread])
            return false;
        history->called |= (uint8_t)(1u << call);
        history->before[call] = history->returned;
        to.threads[thread].runs = true;
        to.threads[thread].run.result = begun.result;
    } else if (from->threads[thread].run.ended) {
        history->returned |= (uint8_t)(1u << call);
        history->results[call] = from->threads[thread].run.result;
        to.threads[thread].made++;
        to.threads[thread].runs = to.threads[thread].run.ended = false;
        to.threads[thread].run.at = 0;
        to.threads[thread].run.result = 0;
    } else if (!take_step(&search->object->operations[search->calls->operations[call]], &to.memory,
                          &to.threads[thread].run)) {
        return false;
    }
    reach(search, &to);
    return true;
}

bool serial_oracle_holds(const struct serial_object *object, const struct serial_calls *calls)
{
    struct search search = {.object = object, .calls = calls};
    bool holds = true;
    struct state start;
    memset(&start, 0, sizeof start);
    search.states = malloc(MOST_STATES * sizeof *search.states);
    search.table = malloc(MOST_STATES * 2 * sizeof *search.table);
    memset(search.table, 0xff, MOST_STATES * 2 * sizeof *search.table);
    reach(&search, &start);
    for (unsigned i = 0; holds && i < search.count; i++) {
        bool goes_on = false;
        struct state now;
        memcpy(&now, &search.states[i], sizeof now);
        for (unsigned thread = 0, first = 0; thread < calls->threads;
             first += calls->lengths[thread++])
            goes_on |= step(&search, &now, thread, first);
        holds = goes_on || is_legal(object, calls, &now.history);
    }
    free(search.states);
    free(search.table);
    return holds;
}
