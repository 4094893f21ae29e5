/* The automaton of a question that is no rule: has a value been added, and taken, by operations
 * that have returned? */
#ifndef UNBOUNDED_LEFTOVER_H
#define UNBOUNDED_LEFTOVER_H

#include "rules/automaton.h"
#include "spec/rule_object.h"

/* Accepts when the one value of colour 1 has been: the object's methods with a value are those that
 * add and take. STATUS_LIMIT. Memory is the arena's. */
enum status leftover_automaton(const struct rule_object *object, struct arena *arena,
                               struct violation_automaton *automaton) MUST_CHECK;

#endif
