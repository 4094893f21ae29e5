/* Compares violation automata with the definition of linearizability, on all small histories: that
 * together they accept just what is not linearizable is Theorem 1 of the paper (automaton.h).
 *
 * The automata of an object are right if a history is not linearizable exactly when one of them
 * accepts it, with some colouring of its values. Each is deterministic and reads words, of which a
 * history has many: its blocks of calls, and of returns, may be in any order. The closure of a
 * history has besides the words in which calls come earlier and returns later; if one of these is a
 * violation, so is the history. To ask the most in both directions is to want that of a history
 * that is not linearizable the canonical word is accepted, and of one that is linearizable no word.
 * (Then no word of its closure is, for that is a word of another linearizable history.) */
#ifndef RULES_CHECK_H
#define RULES_CHECK_H

#include "rules/automaton.h"
#include "rules/history.h"

/* The words of a history that are given to the automata. */
enum rules_words {
    RULES_STRICT,  /* the canonical word of violations, every word of the others */
    RULES_EXACT,   /* the canonical word */
    RULES_CLOSURE, /* the whole closure */
};

struct rules_request {
    const struct rule_object *object;
    const struct violation_automaton *automata; /* all of that object, and of its methods only */
    size_t automaton_count;
    const struct spec *spec;
    unsigned bound; /* operations, at most HISTORY_MOST_ENUMERATED */
    enum history_choice histories;
    enum rules_words words;
    bool partial; /* the automata are not all that there should be: what they miss is no difference
                   */
    unsigned threads;
};

/* A history that was found, with a colouring and marks where an automaton accepts it. */
struct rules_history {
    bool found;
    struct labelling labelling;
    struct word word;
    uint8_t colours[HISTORY_MOST_OPERATIONS];  /* of values, 1 to 3; 0: no matter */
    unsigned marks;                            /* bits, by operation */
    uint8_t read[2 * HISTORY_MOST_OPERATIONS]; /* the word that is accepted so, as struct word has
                                                  it; if none is, that of the history */
    bool alone;                                /* no other automaton accepts it */
};

/* The histories of one size. */
struct rules_size {
    uint64_t histories, linearizable;
    uint64_t missed;       /* not linearizable, and accepted by no automaton */
    uint64_t false_alarms; /* linearizable, and accepted */
};

struct rules_finding {
    unsigned size;    /* histories of 1 to so many operations were all compared */
    bool complete;    /* that is the bound, or the smallest size with a difference */
    enum limit limit; /* why not */
    struct rules_size by_size[HISTORY_MOST_ENUMERATED + 1];
    uint64_t *accepted; /* by automaton: violations that it accepts */
    uint64_t *alone;    /* that it alone accepts */
    struct rules_history
        *examples; /* by automaton: one of the smallest that it alone accepts, or else accepts */
    struct rules_history missed;      /* one of the smallest */
    struct rules_history false_alarm; /* likewise; accepted by automaton `culprit` */
    size_t culprit;
};

/* Compares, size by size, until one has a difference; where limits end it finding->complete is
 * false. `arena` holds the finding's arrays. STATUS_LIMIT: there was no memory to begin with. The
 * finding does not depend on the number of threads. */
enum status rules_check(const struct rules_request *request, struct limits *limits,
                        struct arena *arena, struct rules_finding *finding,
                        struct error *error) MUST_CHECK;

#endif
