/* Violation automata made from inductive rules (Bouajjani, Emmi, Enea, Hamza, "On Reducing
 * Linearizability to State Reachability", ICALP 2015, Definition 8 and Lemma 7).
 *
 * An automaton of a rule accepts histories that have a projection whose last rule it is, and which
 * is not linearizable to what the rule matches. What such a projection looks like follows from the
 * shape of the rule; automata are made for these, where a and b are methods, a an input, and no
 * other methods have been added by the rule or those before it:
 *
 *     u => u a                           nothing: any order of such events matches. u in a*
 *     a                                  two values, of which neither has another event
 *     a u b v                            a value is taken early, or twice, or of two that are added
 *         u in a*, v in {a, b}*          one after the other the later one is taken first
 *     a u b v, matched(a, u),            early, or twice, or below others: values cover each other,
 *         matched(a, v), u, v in {a, b}* so that there is no moment to take it
 *     u m v, matched(a, u)               as long as m runs some value is surely inside
 *     a b* u, a b u                      early, or (without star) twice, or of two values some
 *                                        event of each precedes some event of the other
 *     m u                                an event of a value precedes m, which has none
 *
 * Why these are right: docs/internals/inductive.md. */
#ifndef RULES_MAKE_AUTOMATA_H
#define RULES_MAKE_AUTOMATA_H

#include "rules/automaton.h"
#include "spec/rule_set.h"

#define MADE_MOST 8 /* automata of one rule */

struct made_automata {
    bool made;       /* the rule has such a shape, or is the empty one */
    const char *why; /* not; null where it is */
    uint32_t count;
    struct violation_automaton items[MADE_MOST];
};

/* The automata of a rule, named RULE_KIND; of the object with the methods of the set, in their
 * order. False when refused. */
bool violation_automata_make(const struct rule_set *set, unsigned rule, struct arena *arena,
                             struct made_automata *made) MUST_CHECK;

#endif
