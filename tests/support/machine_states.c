#include "support/machine_states.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void machine_states_forget(struct machine_states *states)
{
    states->count = 0;
    memset(states->table, 0xff, 2 * (size_t)states->most * sizeof *states->table);
}

unsigned machine_states_find(struct machine_states *states, const void *state)
{
    uint64_t hash = 14695981039346656037u;
    const uint8_t *bytes = state;
    char *items = states->items;
    for (size_t i = 0; i < states->size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    size_t slot = (hash >> 20) % (2 * (size_t)states->most);
    for (; states->table[slot] >= 0; slot = (slot + 1) % (2 * (size_t)states->most))
        if (memcmp(items + (size_t)states->table[slot] * states->size, state, states->size) == 0)
            return (unsigned)states->table[slot];
    assert_true(states->count < states->most);
    memcpy(items + states->count * states->size, state, states->size);
    states->table[slot] = (int32_t)states->count;
    return states->count++;
}
