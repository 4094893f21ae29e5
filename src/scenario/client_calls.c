/* Over how far each client has come and the state of the object, each once: deepest first, for most
 * calls are legal. */
#include "scenario/client_calls.h"

#include <string.h>

#include "base/interning.h"

struct calls {
    const struct client_call *items;
    uint32_t count;
    struct sequential_search search;
    struct limits *limits;
    struct word_arrays met; /* how far each client has come, then the state */
    VECTOR(uint32_t) open;  /* of these, to go on from */
    VECTOR(uint32_t) words; /* of the one that is looked at */
    VECTOR(uint32_t) class; /* by interval */
    VECTOR(uint32_t) next;  /* by interval: its client's next one; the part's count: none */
    VECTOR(uint32_t) first; /* by client */
    uint32_t steps;
};

static uint32_t client_of(const struct calls *calls, uint32_t process)
{
    uint32_t client = 0;
    while (client < calls->first.length &&
           calls->items[calls->first.items[client]].call.process != process)
        client++;
    return client;
}

/* False when refused. */
static bool list_calls(struct calls *calls, const struct spec *spec)
{
    if (!vector_reserve(&calls->class, calls->count) || !vector_reserve(&calls->next, calls->count))
        return false;
    for (uint32_t i = 0; i < calls->count; i++) {
        struct call call = calls->items[i].call;
        call.result = VALUE_NIL;
        call.result_known = false;
        call.read_only = spec->class->operations[call.operation].read_only;
        calls->class.items[i] = sequential_class(&calls->search, &call);
        calls->next.items[i] = calls->count;
        if (calls->class.items[i] == CLASS_REFUSED)
            return false;
        const uint32_t client = client_of(calls, call.process);
        if (client == calls->first.length) {
            if (!vector_push(&calls->first, i))
                return false;
            continue;
        }
        uint32_t last = calls->first.items[client];
        while (calls->next.items[last] < calls->count)
            last = calls->next.items[last];
        calls->next.items[last] = i;
    }
    return true;
}

/* `words` are to be gone on from, unless they have been met. False when refused. */
static bool meet(struct calls *calls, const uint32_t *words)
{
    bool fresh;
    const uint32_t number = word_arrays_intern(&calls->met, words, calls->first.length + 1, &fresh);
    return number != UINT32_MAX && (!fresh || vector_push(&calls->open, number));
}

/* Whether all that returned has happened. */
static bool is_done(const struct calls *calls, const uint32_t *words)
{
    bool done = true;
    for (uint32_t i = 0; i < calls->first.length; i++)
        done &= words[i] == calls->count || !calls->items[words[i]].returned;
    return done;
}

/* The next call of a client. False when refused. */
static bool go_on(struct calls *calls, uint32_t client)
{
    uint32_t *words = calls->words.items, *state = &words[calls->first.length];
    const uint32_t call = words[client], from = *state;
    struct transitions *transitions = &calls->search.transitions;
    if (call == calls->count)
        return true;
    const transition to = transitions_step(transitions, from, calls->class.items[call]);
    bool good = to != TRANSITION_REFUSED;
    words[client] = calls->next.items[call];
    for (uint32_t i = 0; good && i < transition_count(transitions, to); i++) {
        *state = transition_state(transitions, to, i);
        good = meet(calls, words);
    }
    words[client] = call;
    *state = from;
    return good;
}

static enum contract_answer look(struct calls *calls)
{
    const size_t clients = calls->first.length;
    if (!vector_reserve(&calls->words, clients + 1))
        return CONTRACT_LIMIT;
    memcpy(calls->words.items, calls->first.items, clients * sizeof(uint32_t));
    calls->words.items[clients] = calls->search.initial;
    if (!meet(calls, calls->words.items))
        return CONTRACT_LIMIT;
    while (calls->open.length > 0) {
        size_t length;
        const uint32_t number = calls->open.items[--calls->open.length];
        memcpy(calls->words.items, word_arrays_get(&calls->met, number, &length),
               (clients + 1) * sizeof(uint32_t));
        if (is_done(calls, calls->words.items))
            return CONTRACT_KEPT;
        if (limits_look(calls->limits, &calls->steps))
            return CONTRACT_LIMIT;
        for (uint32_t i = 0; i < clients; i++)
            if (!go_on(calls, i))
                return CONTRACT_LIMIT;
    }
    return CONTRACT_BROKEN;
}

enum contract_answer client_calls_look(const struct spec *spec, const struct client_call *items,
                                       uint32_t count, struct limits *limits)
{
    struct calls calls = {.items = items, .count = count, .limits = limits};
    struct error ignored;
    if (sequential_spec_check(spec, &ignored) != STATUS_OK)
        return CONTRACT_KEPT;
    word_arrays_init(&calls.met, limits->budget);
    vectors_init(limits->budget, &calls.open, &calls.words, &calls.class, &calls.next,
                 &calls.first);
    const bool room = sequential_search_init(&calls.search, spec, limits);
    enum contract_answer answer = room && list_calls(&calls, spec) ? look(&calls) : CONTRACT_LIMIT;
    sequential_search_release(&calls.search);
    vectors_release(&calls.open, &calls.words, &calls.class, &calls.next, &calls.first);
    word_arrays_release(&calls.met);
    return answer;
}
