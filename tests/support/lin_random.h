/* Random small implementations in `.lin`, each with an assertion that it linearizes some
 * specification, often with another (`never`, progress), as source text of one statement a line:
 * right ones, wrong ones, and steps between that have nothing to do with the object. Memory is
 * plain malloc and never refused. */
#ifndef TESTS_SUPPORT_LIN_RANDOM_H
#define TESTS_SUPPORT_LIN_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "support/progress_oracle.h"

/* Appends the program of that seed: same seed, same text. */
void lin_random_print(uint64_t seed, struct text *text);

/* The same with linearization points, right ones and wrong ones: that it linearizes is asserted
 * with complete points, then without. */
void lin_random_print_points(uint64_t seed, struct text *text);

/* Appends a program whose specification has operations that take effect together, or stay open. */
void lin_random_print_sets(uint64_t seed, struct text *text);

/* Appends a program with constants, enums, switches, values that are compared with constants and
 * the like; `plain`: the same without them, as far as it can be said so. Both have the same
 * states. */
void lin_random_print_twice(uint64_t seed, bool plain, struct text *text);

/* Appends a program whose operations spin, wait, lock, retry and exchange values, in a client's
 * order or none, with an assertion for each kind of progress, in the order of enum lin_property. */
void lin_random_progress_print(uint64_t seed, struct text *text);

/* The same for an object whose specification waits, which is written to `specification` as well;
 * lock_free, obstruction_free and deadlock_free only. */
void lin_random_waiting_print(uint64_t seed, struct progress_specification *specification,
                              struct text *text);

#endif
