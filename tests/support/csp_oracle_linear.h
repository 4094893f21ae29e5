/* The abstract object of the 2009 paper's section 3.2 as a CSP# process: each thread calls, takes
 * effect in one invisible step, responds; and that is all it does. */
#ifndef TESTS_SUPPORT_CSP_ORACLE_LINEAR_H
#define TESTS_SUPPORT_CSP_ORACLE_LINEAR_H

#include "csp/ast.h"

struct oracle_linear_module {
    struct budget budget;
    struct arena arena;
    struct script script;
    struct csp_module module;
};

/* For the objects of CSP_RANDOM_OBJECT, with the numbers 1 and 2; each thread calls up to
 * `operations` times. */
const struct csp_process *oracle_linear_open(struct oracle_linear_module *linear,
                                             const char *object, unsigned threads,
                                             unsigned operations);
void oracle_linear_close(struct oracle_linear_module *linear);

#endif
