/* Formulas of linear temporal logic in `.lin`: what follows `satisfies`. */
#ifndef LIN_PARSER_FORMULA_H
#define LIN_PARSER_FORMULA_H

#include "lang/formula.h"
#include "lang/parser.h"

enum status lin_parse_formula(struct parser *parser, struct formula **formula) MUST_CHECK;

/* Parses a formula that stands alone. Any name may be an atom. STATUS_INPUT with the place;
 * STATUS_LIMIT. */
enum status lin_formula_from_text(const struct script *script, struct arena *arena,
                                  struct formula **formula, struct error *error) MUST_CHECK;

#endif
