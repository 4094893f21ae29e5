/* Violation automata (rules/automaton.h) as what an implementation is compared with: the product of
 * the implementation with them is a refinement, which is violated where one of them accepts
 * (Bouajjani, Emmi, Enea and Hamza, ICALP 2015, Theorem 1).
 *
 * The implementation runs with the values 1, 2 and 3, the automata's colours. A letter is a method
 * and a colour. What an operation will answer is not known at its call, so that what the automaton
 * reads there is guessed, in every way; letters that no call tells apart are guessed together,
 * and of a guess the letters that the answer fits are read at the return, in every way. A
 * normalised state is a set of possibilities, each a state of some automaton and of every thread
 * with a running operation what was guessed of it
 * (its prophecy, as in unbounded/prophecy.h). Where values are processes, as of a mutex, the
 * colour is chosen at the call of what adds it, and stays with the thread until the operation that
 * gives it back has returned.
 *
 * What is read is accepted
 * - where nothing is guessed, by automata for prefixes: at once;
 * - else by automata for histories: where no operation is running, so that nothing is guessed.
 *
 * Besides the automata there is a possibility without an automaton, as long as every colour has
 * been 3: so everything that an implementation can do is seen with some values, its faults
 * included. Where no possibility is left, nothing further is asked: NORMAL_EVERYTHING. */
#ifndef PROPERTY_AUTOMATA_NORMAL_H
#define PROPERTY_AUTOMATA_NORMAL_H

#include "property/operations_normal.h"
#include "rules/shipped.h"
#include "spec/rule_object.h"

#define AUTOMATA_MOST_METHODS 5 /* of an object */

struct automata_normal {
    struct operations_normal base; /* possibilities: a state; of each thread, a guess */
    const struct rule_object *object;
    const struct violation_automaton **automata;
    uint32_t automaton_count;
    bool at_once;                          /* what is read need not be a whole history */
    int operations[AUTOMATA_MOST_METHODS]; /* by method: the specification's */
    uint32_t letters;
    uint32_t state_count; /* of all automata, and 1 */
    struct automata_state *states;
    uint32_t *guesses;    /* by automaton and letter: what is guessed at its call; 0: it is not read
                           */
    bool is_foreign;      /* the answer that is followed is none of the object's */
    uint32_t violated_by; /* the first automaton that accepted; automaton_count: none */
};

/* Of an object, which is `spec`, whose methods add values, answer them, or have none; the automata
 * are for histories, where values are processes for prefixes, and have no colour that is `single`.
 * All that is given must outlive it. STATUS_LIMIT. Release whatever the status. */
enum status automata_normal_init(struct automata_normal *normal, const struct spec *spec,
                                 const struct rule_object *object,
                                 const struct violation_automata *automata, struct labels *labels,
                                 struct arena *arena, struct budget *budget) MUST_CHECK;
void automata_normal_release(struct automata_normal *normal);

#endif
