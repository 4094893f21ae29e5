/* The parser of `.lin`: from a text to its tree. Expressions, formulas, statements, rules, automata
 * and assertions have files of their own: none includes this one. */
#ifndef LIN_PARSER_H
#define LIN_PARSER_H

#include "lin/ast.h"

/* Parses a script into a new module. Release it whatever the status; what it points to lives as
 * long as the arena. */
enum status lin_parse(const struct script *script, struct arena *arena, struct lin_module *module,
                      struct error *error) MUST_CHECK;

/* Parses `NAME`, `NAME(3, initial = 4)` as a user gives it. STATUS_USAGE when it is not of that
 * form. */
enum status lin_parse_reference(const char *text, struct arena *arena,
                                struct lin_reference *reference, struct error *error) MUST_CHECK;

#endif
