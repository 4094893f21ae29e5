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

/* Whether the automaton could read that the operation answers, whatever it answers. */
bool certificate_can_be_read(const struct alphabet *alphabet, uint32_t state,
                             struct thread_move whole);

/* Whether an operation that only adds this value, and has yet to take effect, can do so in no state
 * that is still to come: then another run, in which the value is not told apart, does the same. */
bool certificate_is_out_of_the_run(const struct alphabet *alphabet, uint32_t operation,
                                   uint8_t argument, uint32_t state);

#endif
