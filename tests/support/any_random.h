/* Random small implementations in `.lin` that any number of threads can be asked about: values are
 * only copied and compared with null, memory is bounded. Queues, stacks, registers, locks and
 * semaphores, some with locks inside one another: right ones, ones with a classic slip, ones of
 * which a statement is dropped, doubled or exchanged with the next, and statements put together at
 * random. */
#ifndef TESTS_SUPPORT_ANY_RANDOM_H
#define TESTS_SUPPORT_ANY_RANDOM_H

#include <stdint.h>

#include "base/text.h"

struct any_program {
    struct text text; /* the implementation `it`, a statement a line, without an assertion */
    const char *spec; /* what it is said to be */
    unsigned nodes;   /* of its struct; 0: it has none */
};

/* Fills the program of that seed: same seed, same program. One that was mutated may be no program
 * at all: an undeclared name, a missing step. */
void any_random_create(struct any_program *program, uint64_t seed);

/* The same of objects whose specification, which is part of the text, answers true, false and
 * symbols: of a lock that is tried, a queue that may be full, a flag. */
void any_random_create_answers(struct any_program *program, uint64_t seed);

/* Appends a condition over its shared variables, some of them compared with null or with one
 * another: same seed, same condition. */
void any_random_condition(const struct any_program *program, uint64_t seed, struct text *condition);
void any_random_release(struct any_program *program);

#endif
