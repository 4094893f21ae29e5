/* Certificates that an implementation is linearizable for any number of threads and a heap without
 * bound: a placement, and for each automaton a set of views (unbounded/heap_proof.h). The check
 * shares nothing with the code that has closed the set but the words of views and the model's own
 * steps: it looks that the set has what threads see initially, and what they see behind steps of
 * their own and of others; and that no step in it does what the placement excludes.
 *
 * It is plain rather than fast. Heaps of two threads are put together by laying their views side by
 * side (heap_join.h), and made views again by code of its own (heap_shorten.h). */
#ifndef UNBOUNDED_HEAP_CERTIFICATE_H
#define UNBOUNDED_HEAP_CERTIFICATE_H

#include "unbounded/heap_proof.h"

struct heap_certificate {
    struct heap_shape shape;
    const struct alphabet *alphabet;                /* null: the specification observes, */
    const struct heap_specification *specification; /* which has begun with its part */
    bool watches;     /* what observes is enum heap_watch; of the alphabet only roles and colours */
    uint32_t initial; /* state of what observes */
    const struct heap_placement *placement;
    const struct word_arrays *views;
};

/* What is found about one automaton. */
struct heap_checked {
    uint64_t deeds, joins;
    /* Whatever an operation is expected to answer, the automaton can read it, if it can read any
     * answer. Then no answer that is not kept is missed because the automaton is dead. */
    bool reads_all_answers;
    bool forbids_repeats; /* it accepts whatever takes a value twice */
    bool is_too_large;    /* some heap has more nodes than the check has room for: it ended there */
};

/* STATUS_INTERNAL with what is wrong with it; STATUS_LIMIT. */
enum status heap_certificate_check(const struct heap_certificate *certificate,
                                   struct thread_system *system, struct budget *budget,
                                   const struct limits *limits, struct heap_checked *checked,
                                   struct error *error) MUST_CHECK;

#endif
