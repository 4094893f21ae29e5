/* Where a process of a CSP# program has any number of copies, `|||{..} @ P`. */
#ifndef CSP_COPIES_H
#define CSP_COPIES_H

#include "csp/program.h"

/* The first such composition in a process and those that it refers to, directly or not; null if
 * there is none. */
enum status csp_find_any_copies(const struct csp_program *program,
                                const struct csp_process *process,
                                const struct csp_process **found) MUST_CHECK;

#endif
