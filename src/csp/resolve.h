/* Resolves the names of a CSP# module: what they mean, which slots they have, what is in them
 * first. */
#ifndef CSP_RESOLVE_H
#define CSP_RESOLVE_H

#include "csp/program.h"

/* Resolves the module's declarations. STATUS_INPUT with a place; STATUS_LIMIT. Release whatever the
 * status; the module must outlive the program. */
enum status csp_program_create(const struct csp_module *module, struct budget *budget,
                               struct csp_program *program, struct error *error) MUST_CHECK;

/* Finds the specification of that name (hyphens are underscores there) among those of the `.lin`
 * files that the model includes: *script is the model's with that file as the model, its name null
 * if there is none. STATUS_INPUT: a fault in one of these files. */
enum status csp_included_spec(const struct csp_module *module, const char *name,
                              struct script *script, struct error *error) MUST_CHECK;

#endif
