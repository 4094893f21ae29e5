/* States of a sequential specification, its arguments and answers, by number in the order in which
 * they are met; and the calls and answers of an implementation as its own. For proofs that keep
 * such numbers in states of theirs. */
#ifndef VERIFY_NUMBERED_STATES_H
#define VERIFY_NUMBERED_STATES_H

#include "base/interning.h"
#include "property/linear_event.h"

struct numbered_states {
    const struct spec *spec; /* not owned */
    struct linear_events events;
    struct word_arrays states; /* 64-bit words as two of 32; first the initial one */
    VECTOR(value) answers;     /* and arguments, by number */
    VECTOR(uint64_t) words;
    struct outcomes outcomes;
    bool refused;
    const char *unable; /* what the specification does that is not provided for; null: nothing */
    bool chooses;       /* that is to do one of several things in one call */
    struct budget *budget;
    struct error *error;
};

/* The specification and the labels must outlive it. */
void numbered_states_init(struct numbered_states *states, const struct spec *spec,
                          struct labels *labels, struct budget *budget, struct error *error);
void numbered_states_release(struct numbered_states *states);

/* Forgets all; state 0 is the initial one, of a key if that is not nil. False when refused. */
bool numbered_states_begin(struct numbered_states *states, value key) MUST_CHECK;

/* The number of an answer or argument. */
uint32_t numbered_states_value(struct numbered_states *states, value v);

/* A copy of a state's words in states->words. False when refused. */
bool numbered_states_load(struct numbered_states *states, uint32_t state, size_t *length);

/* What the call would do in a state: false if it could not be worked out. `*legal`: it can be done;
 * `*next` and `*answer` what it makes of the state and answers. */
bool numbered_states_run(struct numbered_states *states, uint32_t state, uint16_t operation,
                         value argument, bool *legal, uint32_t *next, value *answer);

/* The events of a label, an invocation and a response at most. */
bool numbered_states_read(struct numbered_states *states, label l, struct linear_event *call,
                          struct linear_event *answer);

#endif
