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

static bool only_adds(const struct alphabet *alphabet, uint32_t operation)
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
    if (!only_adds(alphabet, operation))
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
