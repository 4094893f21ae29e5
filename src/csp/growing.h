/* Arrays of a CSP# model that are read further and further on: `log[i][round[i] - 1]`, where
 * `round` is only ever increased. An element before the least place that may be read next is never
 * read again, whatever values it holds. */
#ifndef CSP_GROWING_H
#define CSP_GROWING_H

#include "csp/program.h"

/* Appends what there is to program->growing; names are taken for globals wherever they stand, and
 * one that is bound anew anywhere does not count. STATUS_LIMIT. */
enum status csp_find_growing(struct csp_program *program) MUST_CHECK;

#endif
