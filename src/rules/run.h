/* Decides whether a violation automaton accepts one word of any length, with some colouring of its
 * values and some choice of marks.
 *
 * The word is read once, with the set of all configurations that are possible so far: the state,
 * the colours of the values that are still to be met, and whether the running operations are
 * marked. A value has its colour chosen when it is first met. Of colours that make no difference in
 * any state, for none of the methods that a value is an operand of, one is tried. */
#ifndef RULES_RUN_H
#define RULES_RUN_H

#include "rules/accept.h"

/* A word: calls and returns of operations, each a method of the object with a value; an operation
 * without a value has one of its own. What is pending has a call and no return. */
struct run_word {
    const struct labelled_event {
        uint32_t operation;
        bool returns;
    } * events;
    size_t length;
    const struct run_operation {
        uint32_t method, value;
    } * operations;
    uint32_t operation_count, value_count;
};

struct run {
    bool accepted;
    /* Where accepted; the arena's: */
    uint8_t *colours; /* by value, 1 to 3 */
    bool *marked;     /* by operation */
    size_t at;        /* the event behind which the automaton accepts, and goes on accepting */
    bool only_whole;  /* it ends in a state in which only a whole history may */
};

/* `complete`: by state, the automaton's; null: it does not matter. STATUS_LIMIT: memory, or the
 * limits were reached. */
enum status automaton_run(const struct prepared_automaton *automaton, const bool *complete,
                          const struct run_word *word, struct limits *limits, struct arena *arena,
                          struct run *run) MUST_CHECK;

#endif
