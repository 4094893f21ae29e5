/* From syntax to terms; see csp/terms.h for what they are. */
#ifndef CSP_INSTANTIATE_H
#define CSP_INSTANTIATE_H

#include "csp/terms.h"

/* The term of a process in a scope of constants. STATUS_INPUT for what is wrong with the model.
 * With csp_terms_lock held, once there may be several workers. */
enum status csp_instantiate(struct csp_terms *terms, const struct csp_process *process,
                            const struct scope *scope, term *result,
                            struct error *error) MUST_CHECK;

/* The code of a process's own program; 0 if it has none. Likewise. */
enum status csp_compile_program(struct csp_terms *terms, const struct csp_process *process,
                                const struct scope *scope, uint32_t *code,
                                struct error *error) MUST_CHECK;

#endif
