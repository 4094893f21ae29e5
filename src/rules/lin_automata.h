/* Makes violation automata of the `automaton` blocks of a `.lin` file. */
#ifndef RULES_LIN_AUTOMATA_H
#define RULES_LIN_AUTOMATA_H

#include "lin/ast.h"
#include "rules/shipped.h"

/* One of a module that has been checked; false when refused. Its texts are the module's. */
bool lin_automaton_make(const struct lin_automaton *automaton, struct arena *arena,
                        struct violation_automaton *made) MUST_CHECK;

/* All that are for a specification, given with its arguments and without white space: those that
 * name it so, and those that name it without arguments. STATUS_LIMIT. */
enum status lin_automata_of(const struct lin_module *module, const char *specification,
                            struct arena *arena, struct violation_automata *automata) MUST_CHECK;

#endif
