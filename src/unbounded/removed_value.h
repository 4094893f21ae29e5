/* Makes the automaton that accepts once a value has been added and removed by two operations that
 * have both returned. It belongs to no rule: QUESTION_REMOVED_AGAIN (questions.h) asks with it
 * whether such a value can be removed once more. */
#ifndef UNBOUNDED_REMOVED_VALUE_H
#define UNBOUNDED_REMOVED_VALUE_H

#include "rules/automaton.h"
#include "spec/rule_object.h"

/* Accepts when the one value of colour 1 has been: the object's methods with a value are those that
 * add and take. STATUS_LIMIT. Memory is the arena's. */
enum status removed_value_automaton(const struct rule_object *object, struct arena *arena,
                                    struct violation_automaton *automaton) MUST_CHECK;

#endif
