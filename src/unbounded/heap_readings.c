#include "unbounded/heap_readings.h"

#include "base/attributes.h"

void heap_read_whole(const struct alphabet *alphabet, uint32_t state,
                     const struct thread_move *whole, struct heap_readings *readings)
{
    struct reading called[MOST_LETTERS], returned[MOST_LETTERS];
    readings->count = 0;
    readings->accepts = false;
    const size_t calls = alphabet_call(alphabet, state, 0, whole, called);
    for (size_t i = 0; i < calls; i++) {
        const size_t returns =
            alphabet_return(alphabet, called[i].state, called[i].auxiliary, whole, returned);
        for (size_t j = 0; j < returns; j++) {
            bool known = false;
            readings->accepts |= alphabet->accepting[returned[j].state];
            for (size_t k = 0; k < readings->count; k++)
                known |= readings->states[k] == returned[j].state;
            if (!known && readings->count < ARRAY_LENGTH(readings->states))
                readings->states[readings->count++] = returned[j].state;
        }
    }
}

size_t heap_read_call(const struct alphabet *alphabet, uint32_t state,
                      const struct thread_move *call, struct heap_called out[MOST_LETTERS])
{
    struct reading called[MOST_LETTERS];
    const size_t calls = alphabet_call(alphabet, state, 0, call, called);
    size_t count = 0;
    for (size_t i = 0; i < calls; i++)
        for (auxiliary left = called[i].auxiliary; left && count < MOST_LETTERS; left &= left - 1)
            out[count++] = (struct heap_called){called[i].state, (uint32_t)__builtin_ctzll(left)};
    return count;
}

void heap_read_return(const struct alphabet *alphabet, uint32_t state, uint32_t letter,
                      const struct thread_move *answer, struct heap_readings *readings)
{
    struct reading returned[MOST_LETTERS];
    *readings = (struct heap_readings){.count = 0};
    const size_t returns =
        alphabet_return(alphabet, state, (auxiliary)1 << letter, answer, returned);
    for (size_t i = 0; i < returns; i++) {
        readings->states[readings->count++] = returned[i].state;
        readings->accepts |= alphabet->accepting[returned[i].state];
    }
}

void heap_find_adds(const struct alphabet *alphabet, uint32_t operations,
                    bool all[][VIOLATION_COLOURS + 1][VIOLATION_MOST_STATES])
{
    const uint32_t states = alphabet->automaton->state_count;
    struct heap_readings readings;
    for (uint32_t o = 0; o < operations; o++)
        for (uint32_t argument = 1; argument <= VIOLATION_COLOURS; argument++) {
            const struct thread_move whole = {.operation = (uint16_t)o,
                                              .calls = true,
                                              .argument = (uint8_t)argument,
                                              .answer = ANSWER_PLAIN};
            bool *adds = all[o][argument];
            const bool only_adds = !(method_roles_of(alphabet->roles, o) & ~(1u << METHOD_ADDS));
            for (uint32_t state = 0; state < states; state++) {
                heap_read_whole(alphabet, state, &whole, &readings);
                adds[state] = readings.count > 0 || !only_adds;
            }
            for (bool grows = true; grows;) {
                grows = false;
                for (uint32_t state = 0; state < states; state++)
                    for (size_t i = 0; !adds[state] && i < (size_t)2 * alphabet->letters; i++) {
                        const uint32_t to =
                            alphabet->next[state * (size_t)2 * alphabet->letters + i];
                        if (to != VIOLATION_DEAD && adds[to])
                            adds[state] = grows = true;
                    }
            }
        }
}

bool heap_is_register(const struct rule_object *object)
{
    return object == rule_object_find("register");
}
