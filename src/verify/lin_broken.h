/* Which rule of an object the history of an execution breaks: the first of its violation automata
 * for prefixes that accepts it with some colouring of its values. A name for people; whether it is
 * a violation was found out otherwise. */
#ifndef VERIFY_LIN_BROKEN_H
#define VERIFY_LIN_BROKEN_H

#include "rules/shipped.h"
#include "spec/rule_object.h"
#include "tell/trace.h"

/* Of a trace with the events of a `.lin` implementation. Null: none is found, also if the history
 * is too large for all colourings to be tried. */
const struct violation_automaton *lin_find_broken(const struct trace *trace,
                                                  const struct violation_automata *automata);

#endif
