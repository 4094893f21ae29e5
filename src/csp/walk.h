/* Goes through all expressions of a syntax tree, from the first to the last, outer ones first. */
#ifndef CSP_WALK_H
#define CSP_WALK_H

#include "csp/ast.h"

struct csp_visitor {
    /* What is done with each expression; false: its parts are passed over. */
    bool (*expression)(void *context, const struct csp_expression *node);
    /* With each name that is bound anew: an index, a parameter, a local. May be null. */
    void (*bound)(void *context, const char *name);
    void *context;
};

/* Nodes may be null. */
void csp_walk_expression(const struct csp_visitor *visitor, const struct csp_expression *node);
void csp_walk_expressions(const struct csp_visitor *visitor, struct csp_expression *const *nodes,
                          uint32_t count);
void csp_walk_process(const struct csp_visitor *visitor, const struct csp_process *node);

/* Macros, definitions, assertions. */
void csp_walk_module(const struct csp_visitor *visitor, const struct csp_module *module);

#endif
