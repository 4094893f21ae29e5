/* What names mean besides the globals of a CSP# module. */
#ifndef CSP_SCOPE_H
#define CSP_SCOPE_H

#include "code/word.h"
#include "csp/ast.h"

/* What a name means besides the globals; innermost first. Lives on the compiler's stack. */
struct scope {
    const struct scope *outer;
    const char *name;
    enum {
        BOUND_CONSTANT, /* a parameter's value, an index, an input */
        BOUND_LOCAL,
        BOUND_ARGUMENT, /* of a macro: an expression in the scope of its call */
    } kind;
    const void *binder; /* the parameter or range that it is a constant of; null: none of these */
    datum constant;
    uint32_t local, length; /* length 0: no array */
    const struct csp_expression *argument;
    const struct scope *argument_scope;
};

/* Names that an input receives are numbered from here on while nothing is received: as locals they
 * have numbers that no program's own locals have. */
#define FIRST_RECEIVED 100000

#endif
