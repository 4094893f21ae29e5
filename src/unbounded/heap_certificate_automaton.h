/* Operations as a violation automaton reads them, in the check of a certificate
 * (unbounded/heap_certificate.h). Written apart from unbounded/heap_readings.h. */
#ifndef UNBOUNDED_HEAP_CERTIFICATE_AUTOMATON_H
#define UNBOUNDED_HEAP_CERTIFICATE_AUTOMATON_H

#include "unbounded/heap_proof.h"

/* The states behind an operation that is called and answers at once, without doubles. */
struct certificate_behind {
    uint32_t states[MOST_LETTERS];
    size_t count;
    bool accepts, moves; /* some accept; some other state does not */
};

void certificate_read_operation(const struct alphabet *alphabet, uint32_t state,
                                const struct thread_move *whole, struct certificate_behind *behind);

/* The calls of an operation that is read by its call and its return, and the letter of each. */
struct certificate_calls {
    uint32_t states[MOST_LETTERS], letters[MOST_LETTERS];
    size_t count;
};

void certificate_read_call(const struct alphabet *alphabet, uint32_t state,
                           const struct thread_move *call, struct certificate_calls *calls);
void certificate_read_return(const struct alphabet *alphabet, uint32_t state, uint32_t letter,
                             const struct thread_move *answer, struct certificate_behind *behind);

/* Whether in no run that the automaton may still accept two such operations are called with a
 * value of this colour. */
bool certificate_is_brought_once(const struct alphabet *alphabet, uint8_t colour);

/* Whether the returns of such operations that are still to come in the end matter: one of them may
 * be what the automaton accepts. */
bool certificate_misses_returns(const struct alphabet *alphabet);

/* Whether the automaton could read that the operation answers, whatever it answers. */
bool certificate_can_be_read(const struct alphabet *alphabet, uint32_t state,
                             struct thread_move whole);

/* Whether all that an operation may be is that it brings a value. */
bool certificate_only_adds(const struct alphabet *alphabet, uint32_t operation);

/* Whether an operation that only adds this value, and has yet to take effect, can do so in no state
 * that is still to come: then another run, in which the value is not told apart, does the same. */
bool certificate_is_out_of_the_run(const struct alphabet *alphabet, uint32_t operation,
                                   uint8_t argument, uint32_t state);

#endif
