/* States of a program of CSP# as text. */
#ifndef CSP_PRINT_STATE_H
#define CSP_PRINT_STATE_H

#include "base/text.h"
#include "csp/program.h"

/* Appends `x = 1, c = <2, 3>`: the variables, counts of processes and contents of channels of a
 * state (csp/model.h); with `before` (null: none), a state too, those that differ from it, without
 * constants. Of a large array then its elements that differ, if they are few. */
void csp_print_state(const struct csp_program *program, const uint32_t *state,
                     const uint32_t *before, struct text *text);

#endif
