/* What linchpin rules asks: each question is a piece of work about one set of automata or rules. */
#ifndef CLI_RULES_ANSWERS_H
#define CLI_RULES_ANSWERS_H

#include "cli/run.h"

/* The automata of one object. */
struct automata_set {
    lp_rules *rules;
    const char **inputs; /* of each automaton, as the user named it */
    size_t input_count;
};

struct rules_question {
    const struct run_kind *kind;         /* one of those below */
    const char *name;                    /* what it is about, as the user named it */
    const struct automata_set *automata; /* or null: */
    const lp_rule_sets *rules;           /* rules of a file, */
    size_t index;                        /* and which of them */
};

struct rules_request {
    const struct rules_question *questions; /* by piece */
};

/* Testing inductive rules, comparing automata with the specification of their object, and running
 * them on a recorded history. */
extern const struct run_kind rules_test, rules_compare, rules_run_on;

/* All of these: each piece as its question's kind says. */
extern const struct run_kind rules_answers;

#endif
