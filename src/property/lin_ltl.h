/* Formulas of `.lin` as formulas. */
#ifndef PROPERTY_LIN_LTL_H
#define PROPERTY_LIN_LTL_H

#include "base/status.h"
#include "lang/lin_ast.h"
#include "property/ltl.h"

/* Finds the number of an atom (a call, a return, a condition), 0 to LTL_MAX_ATOMS - 1: the same for
 * atoms that mean the same. */
typedef enum status lin_ltl_atom(void *context, const struct lin_formula *atom, unsigned *number,
                                 struct error *error);

/* Builds `formula` in `ltl`, its atoms numbered by `atom_of`, whose errors are forwarded. *made is
 * LTL_REFUSED where the formula is too large. */
enum status lin_ltl_build(const struct lin_formula *formula, lin_ltl_atom *atom_of, void *context,
                          struct ltl *ltl, ltl_id *made, struct error *error) MUST_CHECK;

#endif
