/* Between the parts of instantiation: processes become terms (csp/instantiate.c), inputs are told
 * apart and followed when they have received (csp/input.c). */
#ifndef CSP_INPUT_H
#define CSP_INPUT_H

#include "csp/terms.h"

enum status csp_instantiate_input(struct csp_terms *terms, const struct csp_process *process,
                                  const struct scope *scope, term *result,
                                  struct error *error) MUST_CHECK;

/* Which channel a communication is over, with an index if and only if it needs one. */
enum status csp_channel_number(struct csp_terms *terms, const struct csp_process *process,
                               uint32_t *number, struct error *error) MUST_CHECK;

/* The code of a process's own program; 0 if it has none. */
enum status csp_compile_program(struct csp_terms *terms, const struct csp_process *process,
                                const struct scope *scope, uint32_t *code,
                                struct error *error) MUST_CHECK;

#endif
