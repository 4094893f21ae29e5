/* Compares words of a rule set with a specification: whether it allows a word, and all that it
 * allows, by its `step`.
 *
 * Executions of the specification are calls with what they answered; values are 1, 2, ... A call is
 * an event of the methods whose operation and answer it has; of which, and of which group, is
 * guessed. */
#ifndef RULES_RULE_SUBJECT_H
#define RULES_RULE_SUBJECT_H

#include "spec/rule_set_words.h"
#include "spec/spec.h"

struct rule_subject {
    const struct rule_set *set;
    const struct spec *spec;
    struct budget *budget;
};

struct rule_call {
    uint16_t operation; /* of the rule set */
    uint8_t argument;   /* a value; 0: none */
    value result;
};

struct rule_calls {
    uint8_t count;
    struct rule_call items[RULE_MOST_EVENTS];
};

/* Whether the specification allows the word, where the value of group g is values[g]. STATUS_LIMIT;
 * STATUS_INPUT for a fault of the specification. */
enum status rule_subject_allows(const struct rule_subject *subject, const struct rule_word *word,
                                const uint8_t *values, bool *allowed,
                                struct error *error) MUST_CHECK;

/* Calls visit(context, calls) for the executions of `count` calls that the specification allows,
 * until it returns false. Values are numbered in the order in which they are given; of ordered sets
 * every order of them comes. STATUS_LIMIT, STATUS_INPUT as above. */
enum status rule_subject_visit(const struct rule_subject *subject, unsigned count,
                               bool (*visit)(void *context, const struct rule_calls *calls),
                               void *context, struct error *error) MUST_CHECK;

/* Whether every value is given once to each input method, those that stand for the same calls
 * counted as one. */
bool rule_calls_are_differentiated(const struct rule_set *set, const struct rule_calls *calls);

/* Whether the calls can be told apart so that they are a word of the set. `prefix_closed`: that
 * every prefix of a word of the set is one may be relied upon. */
bool rule_calls_are_derived(const struct rule_set *set, const struct rule_calls *calls,
                            bool prefix_closed);

/* Appends "enqueue 1, dequeue -> 1". */
void rule_calls_print(const struct rule_set *set, const struct rule_calls *calls,
                      struct text *text);

/* The calls that a word stands for. */
void rule_calls_of_word(const struct rule_set *set, const struct rule_word *word,
                        const uint8_t *values, struct value_pool *pool, struct rule_calls *calls);

#endif
