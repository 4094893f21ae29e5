/* Formulas of CSP# as formulas. */
#ifndef PROPERTY_CSP_LTL_H
#define PROPERTY_CSP_LTL_H

#include "base/status.h"
#include "lang/csp_ast.h"
#include "property/ltl.h"

/* Finds the number of an atom (FORMULA_ATOM), 0 to LTL_MAX_ATOMS - 1: the same for atoms that mean
 * the same. */
typedef enum status csp_ltl_atom(void *context, const struct csp_formula *atom, unsigned *number,
                                 struct error *error);

/* Builds `formula` in `ltl`, its atoms numbered by `atom_of`, whose errors are forwarded. *made is
 * LTL_REFUSED where the formula is too large. */
enum status csp_ltl_build(const struct csp_formula *formula, csp_ltl_atom *atom_of, void *context,
                          struct ltl *ltl, ltl_id *made, struct error *error) MUST_CHECK;

#endif
