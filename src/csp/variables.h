/* What the text of a CSP# model says of its variables: which never change, and which arrays are
 * read further and further on: `log[i][round[i] - 1]`, where `round` is only ever increased. An
 * element before the least place that may be read next is never read again, whatever values it
 * holds. */
#ifndef CSP_VARIABLES_H
#define CSP_VARIABLES_H

#include "csp/program.h"

/* Sets `constant` of each variable that nothing in the module assigns: not in a program, a macro or
 * an expression, reached or not. Collections, hidden and wild variables are left alone. */
void csp_find_constants(struct csp_program *program);

/* Appends what there is to program->growing; names are taken for globals wherever they stand, and
 * one that is bound anew anywhere does not count. STATUS_LIMIT. */
enum status csp_find_growing(struct csp_program *program) MUST_CHECK;

#endif
