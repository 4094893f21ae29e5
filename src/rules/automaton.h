/* Violation automata: finite automata that accept calls and returns of histories that are not
 * linearizable (Bouajjani, Emmi, Enea, Hamza, "On Reducing Linearizability to State Reachability",
 * ICALP 2015, section 4.2).
 *
 * An automaton reads the calls and returns of a history in which nothing is pending. It sees of an
 * operation its method and the colour of its value, 1, 2 or 3: somebody has coloured the values,
 * each operation without a value on its own, and 3 stands for all that does not matter. A history
 * is accepted if it is with some colouring. The automaton is deterministic; where there is no
 * transition it is dead, and never accepts.
 *
 * A method may have a marked copy, named by an M behind its name. Somebody says of each operation
 * whether it is marked, as he says its colour; that of a marked one, call and return, is read as
 * its copy, of which an automaton can thus follow one among many that are alike. If the method has
 * a copy, a history is accepted if it is with some choice of marks.
 *
 * A colour may be `single`: it is given to one value at most. Most automata need none of these, for
 * they read that a value of colour 1 is added, which happens once to each.
 *
 * Where operations are pending a history is accepted only in accepting states that are not
 * `complete`, and not every automaton is meant for it: `for_prefixes`. An automaton that is not
 * waits for nobody to return: it takes what was called for what will return as was guessed. */
#ifndef RULES_AUTOMATON_H
#define RULES_AUTOMATON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "lang/script.h"
#include "lin/automaton.h"
#include "spec/rule_object.h"

#define VIOLATION_COLOURS 3
#define VIOLATION_DEAD    UINT32_MAX

/* More of either in a file is an input error. */
#define VIOLATION_MOST_STATES  LIN_AUTOMATON_MOST_STATES
#define VIOLATION_MOST_METHODS OBJECT_MOST_METHODS

enum violation_event {
    VIOLATION_CALL,
    VIOLATION_RETURN,
};

/* All memory is the arena's that it was read into. */
struct violation_automaton {
    const char *name;
    const char *object;   /* the specification that it belongs to: "queue" */
    const char *rule;     /* for people, may be empty */
    const char *violates; /* the inductive rule that it belongs to; null: not said */
    bool for_histories;   /* to be used on whole histories, in which nothing is pending */
    bool for_prefixes;    /* to be used on histories in which operations are pending */
    const char **methods;
    uint32_t method_count;
    unsigned single;    /* bits, by colour: 2 for colour 1, 4 for 2, 8 for 3 */
    uint32_t *unmarked; /* by method: the one that it is the marked copy of, else itself */
    uint32_t state_count, initial;
    const char **state_names; /* their number where the file gives none */
    bool *accepting;          /* by state */
    bool *complete;           /* by state: accepting, but only at the end of a whole history */
    uint32_t *next;           /* see violation_automaton_next */
};

/* Where a transition stands in `next`. */
static inline size_t violation_automaton_at(const struct violation_automaton *automaton,
                                            uint32_t state, enum violation_event event,
                                            uint32_t method, unsigned colour)
{
    size_t letter = ((size_t)event * automaton->method_count + method) * VIOLATION_COLOURS;
    return (size_t)state * 2 * automaton->method_count * VIOLATION_COLOURS + letter + colour - 1;
}

/* The state after the call or return of a method, by index, whose value has a colour from 1 to 3;
 * VIOLATION_DEAD: there is no transition. */
static inline uint32_t violation_automaton_next(const struct violation_automaton *automaton,
                                                uint32_t state, enum violation_event event,
                                                uint32_t method, unsigned colour)
{
    return automaton->next[violation_automaton_at(automaton, state, event, method, colour)];
}

/* The marked copy of a method; method_count if it has none. */
uint32_t violation_automaton_marked(const struct violation_automaton *automaton, uint32_t method);

/* The index of a method; method_count if it has none of that name. */
uint32_t violation_automaton_find_method(const struct violation_automaton *automaton,
                                         const char *name, size_t length);

/* To make one: its methods, copied, with what is a copy of what; its states, none accepting, named
 * by their numbers; and when both are known its table, in which all is dead. False when refused. */
bool violation_automaton_set_methods(struct violation_automaton *automaton,
                                     const char *const *methods, uint32_t count,
                                     struct arena *arena) MUST_CHECK;
bool violation_automaton_set_states(struct violation_automaton *automaton, uint32_t count,
                                    struct arena *arena) MUST_CHECK;
bool violation_automaton_make_table(struct violation_automaton *automaton,
                                    struct arena *arena) MUST_CHECK;

/* Reads an automaton from text, line by line:
 *
 *     name NAME, adt SPECIFICATION, methods NAME..., states N, init STATE, accept STATE...
 *                                each once, in any order
 *     rule WORDS                 may be missing
 *     complete STATE...          may be missing; accepting states, behind `accept`
 *     for histories|prefixes     may be missing: for both
 *     single COLOUR...           may be missing: there are none
 *     # state STATE = WORDS      names a state; all other comments say nothing
 *     trans FROM call|ret METHOD COLOUR TO
 *
 * States are numbers from 0, colours are 1, 2, 3. STATUS_INPUT at the first thing that is wrong:
 * unknown, missing, out of range or given twice; STATUS_LIMIT. The automaton lives in `arena`, and
 * so must `script`. */
enum status violation_automaton_read(const struct script *script, struct arena *arena,
                                     struct violation_automaton *automaton,
                                     struct error *error) MUST_CHECK;

/* Takes away the transitions of a table, of so many letters for each state, to states that lead to
 * no accepting one. `useful`, by state, becomes whether it leads to one. */
void violation_table_trim(uint32_t *next, uint32_t states, size_t letters, const bool *accepting,
                          bool *useful);

#endif
