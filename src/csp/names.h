/* Every name of a CSP# model means something where it stands, reached or not: a misspelt process
 * must not hide behind an answer about the rest. */
#ifndef CSP_NAMES_H
#define CSP_NAMES_H

#include "csp/program.h"

/* STATUS_INPUT at the first name that means nothing, or not what its place needs. */
enum status csp_check_names(const struct csp_program *program, struct error *error) MUST_CHECK;

#endif
