/* Every name of a CSP# model means something where it stands, reached or not: a misspelt process
 * must not hide behind an answer about the rest. */
#ifndef LANG_CSP_NAMES_H
#define LANG_CSP_NAMES_H

#include "lang/csp_program.h"

/* STATUS_INPUT at the first name that means nothing, or not what its place needs. */
enum status csp_check_names(const struct csp_program *program, struct error *error) MUST_CHECK;

#endif
