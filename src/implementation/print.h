#ifndef IMPLEMENTATION_PRINT_H
#define IMPLEMENTATION_PRINT_H

#include "base/text.h"
#include "implementation/steps.h"

/* Appends a state, "top = node1, node1 = {item = 1, next = null}"; or, where `before` is not null,
 * what is not as it was there: "node1.next = node2, slot[1] = 3", and the local variables of a
 * thread that has moved. */
void lin_print(const struct lin_steps *steps, const uint32_t *state, const uint32_t *before,
               struct text *text);

/* Appends the variables that a thread with these words will read again, "t = node1, v = 2"; those
 * that are arrays are left out. */
void lin_print_locals(const struct lin_steps *steps, const uint32_t *own, struct text *text);

#endif
