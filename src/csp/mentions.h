/* What occurs in the syntax of a process: names, with what they mean in a scope, and any number of
 * copies, `|||{..} @ P`. */
#ifndef CSP_MENTIONS_H
#define CSP_MENTIONS_H

#include "csp/compile.h"

/* Whether `name` occurs in the process outside what it binds itself. */
bool csp_mentions(const struct csp_process *process, const char *name);

/* Whether an argument of an input only receives: a name with no meaning in the scope around it. */
bool csp_receives(const struct csp_program *program, const struct csp_expression *argument,
                  const struct scope *scope);

/* The first such composition in a process and those that it refers to, directly or not; null if
 * there is none. */
enum status csp_find_any_copies(const struct csp_program *program,
                                const struct csp_process *process,
                                const struct csp_process **found) MUST_CHECK;

#endif
