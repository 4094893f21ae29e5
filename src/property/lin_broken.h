/* Which rule of an object the history of an execution breaks: the first of its violation automata
 * for prefixes that accepts it with some colouring of its values. A name for people; whether it is
 * a violation was found out otherwise. */
#ifndef PROPERTY_LIN_BROKEN_H
#define PROPERTY_LIN_BROKEN_H

#include "property/trace.h"
#include "rules/shipped.h"
#include "spec/rule_object.h"

/* Of a trace with the events of a `.lin` implementation. Null: none is found, also if the history
 * is too large for all colourings to be tried. */
const struct violation_automaton *lin_find_broken(const struct trace *trace,
                                                  const struct violation_automata *automata);

#endif
