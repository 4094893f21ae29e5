/* Which variables of a CSP# model some program may change. */
#ifndef CSP_ASSIGNED_H
#define CSP_ASSIGNED_H

#include "csp/program.h"

/* Sets `constant` of each variable that nothing in the module assigns: not in a program, a macro or
 * an expression, reached or not. Collections, hidden and wild variables are left alone. */
void csp_find_constants(struct csp_program *program);

#endif
