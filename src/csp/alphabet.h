/* The events that a component of `||` must take part in. */
#ifndef CSP_ALPHABET_H
#define CSP_ALPHABET_H

#include "csp/terms.h"

/* The alphabet of a process as a component of `||`: an interned set of labels. */
enum status csp_alphabet(struct csp_terms *terms, const struct csp_process *process,
                         const struct scope *scope, uint32_t *set, struct error *error) MUST_CHECK;

#endif
