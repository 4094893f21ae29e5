/* What the violation automata of a `.lin` module mean: specifications, methods and states found,
 * each letter of a state led to one place at most. */
#ifndef LIN_AUTOMATON_H
#define LIN_AUTOMATON_H

#include "lin/ast.h"

#define LIN_AUTOMATON_MOST_STATES 1000

/* Fills in the fields of automata that are marked "checker". The methods of a specification are
 * known (spec/rule_object.h) or said in one of its automata. STATUS_INPUT with the place;
 * STATUS_LIMIT. */
enum status lin_check_automata(struct lin_module *module, struct error *error) MUST_CHECK;

#endif
