/* Decides whether a violation automaton accepts a small history: some word of it, with some
 * colouring of its values and some choice of marks.
 *
 * Colours are chosen as values are met, and marks as operations are called, so that a prefix that
 * leads to a dead state is given up with all choices that begin so. Among all words of a history,
 * or of its closure, a configuration (calls and returns already read, state) is searched once. */
#ifndef RULES_ACCEPT_H
#define RULES_ACCEPT_H

#include "base/bits.h"
#include "rules/automaton.h"
#include "rules/history.h"

/* An automaton with the methods of its object; what cannot lead to acceptance is dead. */
struct prepared_automaton {
    uint32_t *next; /* by state, event, method, mark and colour */
    const bool *accepting;
    uint32_t state_count, initial;
    uint32_t method_count;
    bool has_copy[VIOLATION_MOST_METHODS]; /* by method */
    unsigned single;                       /* bits, by colour */
    unsigned digits; /* for what has been read of an operation, see search_from */
};

/* False when refused. All methods are the object's, or copies of them. */
bool automaton_prepare(const struct violation_automaton *automaton,
                       const struct rule_object *object, struct arena *arena,
                       struct prepared_automaton *prepared) MUST_CHECK;

/* Where it goes from a state with the call or return of a method of the object, marked or not,
 * whose value has a colour; VIOLATION_DEAD: nowhere. */
static inline uint32_t prepared_automaton_next(const struct prepared_automaton *prepared,
                                               uint32_t state, enum violation_event event,
                                               unsigned method, bool marked, unsigned colour)
{
    size_t row = (((size_t)state * 2 + event) * prepared->method_count + method) * 2 + marked;
    return prepared->next[row * VIOLATION_COLOURS + colour - 1];
}

/* Configurations of a search through the words of a history of so many operations. */
size_t automaton_configurations(const struct prepared_automaton *prepared, unsigned operations);

/* An automaton and a history, and with what colours and marks the first accepts the second. */
struct acceptance {
    const struct prepared_automaton *automaton;
    const struct labelling *labelling;
    const struct word *word;
    struct limits *limits;
    struct bits seen;                          /* configurations */
    uint8_t colours[HISTORY_MOST_OPERATIONS];  /* of values, 1 to 3; 0: no matter */
    unsigned marks;                            /* bits, by operation */
    uint8_t read[2 * HISTORY_MOST_OPERATIONS]; /* of what is accepted: the events of that word */
    bool stopped;                              /* the limits were looked at, and reached */
    bool in_blocks; /* the words searched are those of the history, else of its closure */
    uint16_t block_calls[2 * HISTORY_MOST_OPERATIONS]; /* by position: the block it is in */
    uint16_t block_returns[2 * HISTORY_MOST_OPERATIONS];
};

/* Whether the canonical word is accepted. */
bool accepts_canonical_word(struct acceptance *acceptance);

/* Whether some word of the history is, or of its closure; false as well when limits stop it. */
bool accepts_some_word(struct acceptance *acceptance, bool of_closure);

#endif
