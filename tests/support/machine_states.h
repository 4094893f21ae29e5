/* The states of a machine that takes one step at a time in every order: each is kept once. */
#ifndef TESTS_SUPPORT_MACHINE_STATES_H
#define TESTS_SUPPORT_MACHINE_STATES_H

#include <stddef.h>
#include <stdint.h>

struct machine_states {
    size_t size;   /* of a state, in bytes, of which none is padding that may differ */
    unsigned most; /* how many there is room for; another one fails the test */
    unsigned count;
    void *items;    /* `most` of them */
    int32_t *table; /* twice as many */
};

/* There are no states, from now on. */
void machine_states_forget(struct machine_states *states);

/* The number of a state, which is added if it is new. */
unsigned machine_states_find(struct machine_states *states, const void *state);

#endif
