/* Inputs as terms. What follows an input depends on what it receives, so it is made only then
 * (csp/unfold.h); until then it is a closure: the input's syntax and the constants around it, and
 * the code of all that is compared with what comes. */
#ifndef CSP_CLOSURE_H
#define CSP_CLOSURE_H

#include "csp/terms.h"

/* What follows an input, made with the names that it receives unknown. */
struct csp_unknown {
    code_id guard, program; /* 0: none */
    term rest;
};

static inline const struct closure *csp_closure(const struct csp_term_pool *pool, uint32_t number)
{
    return blocks_at(&pool->closures, number);
}

/* The constants of the scope that the input mentions, copied. */
enum status csp_closure_scope(struct csp_terms *terms, const struct csp_process *process,
                              const struct scope *scope, const struct scope **kept) MUST_CHECK;

/* Adds the names that an input receives to a scope, unknown. */
enum status csp_closure_bind(struct csp_terms *terms, const struct csp_process *process,
                             const struct scope **scope) MUST_CHECK;

/* The number of an input in a scope that csp_closure_scope made. `unknown` is null where what
 * follows cannot be made before the names are known: it is then told by its place. */
enum status csp_closure_make(struct csp_terms *terms, const struct csp_process *process,
                             const struct scope *kept, uint32_t channel,
                             const struct csp_unknown *unknown, uint32_t *closure) MUST_CHECK;

/* closure->codes[which], or what is wrong with it. */
enum status csp_closure_code(struct csp_terms *terms, const struct closure *closure, uint32_t which,
                             code_id *code, struct error *error) MUST_CHECK;

#endif
