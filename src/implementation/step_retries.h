/* Where an operation can only begin again: it compares a shared variable with what it has read
 * there before, and the variable has moved on since.
 *
 * That it never comes back is not found out here, but supposed; whoever relies on it has to see to
 * it (docs/internals/any_heap.md). */
#ifndef IMPLEMENTATION_STEP_RETRIES_H
#define IMPLEMENTATION_STEP_RETRIES_H

#include "implementation/step_compiler.h"

/* Fills in steps->retries, ascending by STEP. Once steps->pure is there. STATUS_LIMIT. */
enum status lin_step_find_retries(struct lin_steps *steps) MUST_CHECK;

#define LIN_RETRY_WORDS 4 /* of a set of them, bits; of more none are kept */

/* Leaves those in the set that a thread does not leave: which pass no STEP but where one of the set
 * is of the same reference and variable. */
void lin_step_keep_retries(const struct lin_steps *steps, uint64_t set[LIN_RETRY_WORDS]);

/* The number of a STEP among those of its operation, from 0; 64: there are too many. */
uint32_t lin_step_number(const struct lin_steps *steps, uint32_t at);

#endif
