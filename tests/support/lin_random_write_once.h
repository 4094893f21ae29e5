/* Random implementations in `.lin` in which fields of nodes are written once, or nearly: again
 * after the node has become known to others, on one way through the operation, through an alias, in
 * a loop, by a function, or after the node was given back. A reader that is held up between coming
 * by a node and reading it tells the two apart. Memory is plain malloc and never refused. */
#ifndef TESTS_SUPPORT_LIN_RANDOM_WRITE_ONCE_H
#define TESTS_SUPPORT_LIN_RANDOM_WRITE_ONCE_H

#include <stdint.h>

#include "base/text.h"

/* Appends the program of that seed, with an assertion that it linearizes a register, and often
 * another: same seed, same text. */
void lin_random_print_write_once(uint64_t seed, struct text *text);

#endif
