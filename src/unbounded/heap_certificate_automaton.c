#include "unbounded/heap_certificate_automaton.h"

void certificate_read_operation(const struct alphabet *alphabet, uint32_t state,
                                const struct thread_move *whole, struct certificate_behind *behind)
{
    struct reading calls[MOST_LETTERS], returns[MOST_LETTERS];
    const size_t call_count = alphabet_call(alphabet, state, 0, whole, calls);
    *behind = (struct certificate_behind){.count = 0};
    for (size_t i = 0; i < call_count; i++) {
        size_t left = alphabet_return(alphabet, calls[i].state, calls[i].auxiliary, whole, returns);
        while (left-- > 0) {
            const uint32_t to = returns[left].state;
            size_t at = 0;
            while (at < behind->count && behind->states[at] != to)
                at++;
            behind->states[at] = to;
            behind->count += at == behind->count;
            behind->accepts |= alphabet->accepting[to];
            behind->moves |= to != state && !alphabet->accepting[to];
        }
    }
}

void certificate_read_call(const struct alphabet *alphabet, uint32_t state,
                           const struct thread_move *call, struct certificate_calls *calls)
{
    struct reading readings[MOST_LETTERS];
    size_t left = alphabet_call(alphabet, state, 0, call, readings);
    calls->count = 0;
    while (left-- > 0)
        for (uint32_t letter = 0; letter < alphabet->letters; letter++)
            if ((readings[left].auxiliary >> letter & 1) && calls->count < MOST_LETTERS) {
                calls->states[calls->count] = readings[left].state;
                calls->letters[calls->count++] = letter;
            }
}

void certificate_read_return(const struct alphabet *alphabet, uint32_t state, uint32_t letter,
                             const struct thread_move *answer, struct certificate_behind *behind)
{
    struct reading readings[MOST_LETTERS];
    *behind = (struct certificate_behind){.count = 0};
    behind->count = alphabet_return(alphabet, state, UINT64_C(1) << letter, answer, readings);
    for (size_t i = 0; i < behind->count; i++) {
        behind->states[i] = readings[i].state;
        behind->accepts |= alphabet->accepting[readings[i].state];
    }
}

/* The state behind a letter's call or, on its other side, its return. */
static uint32_t behind_letter(const struct alphabet *alphabet, uint32_t state, uint32_t letter,
                              bool returns)
{
    return alphabet
        ->next[state * (size_t)2 * alphabet->letters + (returns ? alphabet->letters : 0) + letter];
}

static bool brings(const struct alphabet *alphabet, uint32_t letter)
{
    return alphabet->roles->object->methods[alphabet->method[letter]].role == METHOD_ADDS;
}

/* Whether the value can be brought in a state, or one that comes behind it; of none twice. */
static bool can_be_brought(const struct alphabet *alphabet, uint32_t state, uint8_t colour,
                           bool *met)
{
    if (met[state] || alphabet->accepting[state])
        return false;
    met[state] = true;
    bool can = false;
    for (uint32_t letter = 0; letter < alphabet->letters && !can; letter++)
        for (int returns = 0; returns <= 1 && !can; returns++) {
            const uint32_t to = behind_letter(alphabet, state, letter, returns);
            const bool is_it = !returns && brings(alphabet, letter) &&
                               letter % VIOLATION_COLOURS == (uint32_t)colour - 1;
            can = to != VIOLATION_DEAD && (is_it || can_be_brought(alphabet, to, colour, met));
        }
    return can;
}

bool certificate_is_brought_once(const struct alphabet *alphabet, uint8_t colour)
{
    for (uint32_t state = 0; state < alphabet->automaton->state_count; state++)
        for (uint32_t letter = colour - 1; letter < alphabet->letters;
             letter += VIOLATION_COLOURS) {
            bool met[VIOLATION_MOST_STATES] = {false};
            const uint32_t to = behind_letter(alphabet, state, letter, false);
            if (brings(alphabet, letter) && !alphabet->accepting[state] && to != VIOLATION_DEAD &&
                can_be_brought(alphabet, to, colour, met))
                return false;
        }
    return true;
}

bool certificate_misses_returns(const struct alphabet *alphabet)
{
    for (uint32_t state = 0; state < alphabet->automaton->state_count; state++)
        for (uint32_t letter = 0; letter < alphabet->letters; letter++) {
            const uint32_t to = behind_letter(alphabet, state, letter, true);
            if (to != VIOLATION_DEAD && brings(alphabet, letter) && alphabet->accepting[to] &&
                !alphabet->accepting[state])
                return true;
        }
    return false;
}

bool certificate_can_be_read(const struct alphabet *alphabet, uint32_t state,
                             struct thread_move whole)
{
    struct certificate_behind behind;
    bool can = false;
    for (unsigned result = 0; result <= VIOLATION_COLOURS && !can; result++) {
        whole.answer = result ? ANSWER_VALUED : ANSWER_PLAIN;
        whole.result = (uint8_t)result;
        certificate_read_operation(alphabet, state, &whole, &behind);
        can = behind.count > 0;
    }
    return can;
}

bool certificate_only_adds(const struct alphabet *alphabet, uint32_t operation)
{
    const struct rule_object *object = alphabet->roles->object;
    for (unsigned i = 0; i < object->method_count; i++)
        if ((alphabet->roles->methods[operation] >> i & 1) &&
            object->methods[i].role != METHOD_ADDS)
            return false;
    return true;
}

bool certificate_is_out_of_the_run(const struct alphabet *alphabet, uint32_t operation,
                                   uint8_t argument, uint32_t state)
{
    const struct thread_move whole = {
        .operation = (uint16_t)operation, .calls = true, .argument = argument};
    uint32_t stack[VIOLATION_MOST_STATES], depth = 0;
    bool met[VIOLATION_MOST_STATES] = {false};
    if (!certificate_only_adds(alphabet, operation))
        return false;
    met[state] = true;
    stack[depth++] = state;
    while (depth > 0) {
        const uint32_t *next = alphabet->next + stack[--depth] * (size_t)2 * alphabet->letters;
        if (certificate_can_be_read(alphabet, stack[depth], whole))
            return false;
        for (uint32_t i = 0; i < 2 * alphabet->letters; i++)
            if (next[i] != VIOLATION_DEAD && !met[next[i]]) {
                met[next[i]] = true;
                stack[depth++] = next[i];
            }
    }
    return true;
}
