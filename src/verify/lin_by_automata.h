/* `I linearizes S` decided by the violation automata of S, for a number of threads: what must be so
 * that it can be, and the automata made ready. Sound and complete for implementations that only
 * copy values and compare them with null; docs/internals/automata.md says why. */
#ifndef VERIFY_LIN_BY_AUTOMATA_H
#define VERIFY_LIN_BY_AUTOMATA_H

#include "property/automata_normal.h"
#include "verify/lin_instance.h"

/* Values that the implementation has to run with. */
#define LIN_BY_AUTOMATA_VALUES VIOLATION_COLOURS

struct lin_by_automata {
    const struct lin_module *module; /* not owned */
    struct arena arena;
    struct any_rules rules;
    struct automata_normal normal;
};

/* Of an open instance of a `linearizes` assertion, with LIN_BY_AUTOMATA_VALUES values.
 * STATUS_INPUT: the specification has no automata, or the implementation does more with values,
 * with the place; STATUS_LIMIT. Close whatever the status. */
enum status lin_by_automata_open(struct lin_by_automata *automata,
                                 const struct lin_instance *instance,
                                 struct error *error) MUST_CHECK;
void lin_by_automata_close(struct lin_by_automata *automata);

/* Whether what never returns could hide a violation. */
bool lin_by_automata_needs_returns(const struct lin_by_automata *automata);

/* Appends "queue_empty, queue_fresh or queue_order"; "; it breaks the rule `queue_order`" of the
 * first automaton that accepted, or nothing. */
void lin_by_automata_append_names(const struct lin_by_automata *automata, struct text *text);
void lin_by_automata_append_violated(const struct lin_by_automata *automata, struct text *text);

/* What the first automaton accepted is no violation: STATUS_INPUT with its place if the file has
 * it.
 */
enum status lin_by_automata_blame(const struct lin_by_automata *automata,
                                  struct error *error) MUST_CHECK;

#endif
