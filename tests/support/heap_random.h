/* Random implementations.
 *
 * Some have operations that make nodes, and do with them what comes: of no object,
 * but that a push brings a value, and a pop answers one that it has read, or that it found none.
 * Each takes effect at one `linearize`. */
#ifndef TESTS_SUPPORT_HEAP_RANDOM_H
#define TESTS_SUPPORT_HEAP_RANDOM_H

#include "base/random.h"
#include "base/text.h"

/* Appends one. */
void heap_random_program(struct random *random, struct text *text);

/* Appends a stack or a queue, right or wrong, whose operations walk about in it besides. */
void heap_random_container(struct random *random, struct text *text, const char **specification);

/* Appends a stack, a queue or a register, right or wrong, with points that are given for others'
 * operations, right or wrong: those of a node's owner, who has brought the value that is in it. */
void heap_random_helped(struct random *random, struct text *text, const char **specification);

#endif
