/* Makes the violation automata of a semaphore with n permits that depend on n, `semaphore_inside`
 * and `semaphore_covered`.
 *
 * A process is surely inside from the return of its Acquire to the call of its Release. Where each
 * acquires once, and nobody else releases for it, a history that the automata `fresh` and `repeat`
 * reject is a violation if, and only if, at some moment n + 1 are surely inside (`inside`), or a
 * process calls Release before its Acquire returns and as long as both run n others are surely
 * inside (`covered`): it cannot enter, and these n are the same all the time, for to change one for
 * another takes n + 1. */
#ifndef RULES_SEMAPHORE_H
#define RULES_SEMAPHORE_H

#include "rules/automaton.h"

/* Makes one of them for the specification `object`; false when refused. */
bool semaphore_inside(const char *object, uint32_t permits, struct arena *arena,
                      struct violation_automaton *automaton) MUST_CHECK;
bool semaphore_covered(const char *object, uint32_t permits, struct arena *arena,
                       struct violation_automaton *automaton) MUST_CHECK;

#endif
