/* Inductive rules: the sequential executions of an object as what can be derived from the empty one
 * (Bouajjani, Emmi, Enea, Hamza, "On Reducing Linearizability to State Reachability", ICALP 2015,
 * section 3).
 *
 * An execution is a word of events; an event is a method and a group, the events of one value. A
 * rule `u1 u2 ... where conditions => expression` cuts a word into u1 u2 ..., which must meet the
 * conditions, and puts events of a new group, the witness, between them as the expression says:
 *
 *     REnqDeq: u v where u in Enq*, v in {Enq, Deq}* => Enq u Deq v
 *
 * The words of a set are those that are derived from the empty one by rules that are applied in
 * their order, each any number of times. Rule 0 is the empty word.
 *
 * Every condition that holds of words holds when a group is left out of them, so the set of the
 * words that the first rules derive is closed under projection (Lemma 2). Hence the derivation of a
 * word can be taken back greedily: where some group is a witness of the last rule, it does not
 * matter which of them is taken out first, and where none is, the last rule was not used. */
#ifndef SPEC_RULE_SET_H
#define SPEC_RULE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "value/value.h"

/* More of them in a file is an input error. */
#define RULE_MOST_METHODS    32
#define RULE_MOST_RULES      32
#define RULE_MOST_ITEMS      24
#define RULE_MOST_CLOSURES   10 /* of one rule */
#define RULE_MOST_FREE       2  /* likewise: each multiplies the ways to cut a word */
#define RULE_MOST_VARIABLES  12
#define RULE_MOST_CONDITIONS 12 /* `matched` ones of one rule */

enum rule_values {
    RULE_VALUES_RENAMED,  /* values have no meaning: an execution with equal values is in the set
                             if it is with some of them told apart */
    RULE_VALUES_DISTINCT, /* only of executions that give each value to an input method once */
    RULE_VALUES_ORDERED,  /* likewise, and conditions compare values */
};

enum rule_answer {
    RULE_ANSWERS_ANYTHING, /* that no other method of the operation says it answers */
    RULE_ANSWERS_VALUE,
    RULE_ANSWERS_NIL,
    RULE_ANSWERS_TRUE,
    RULE_ANSWERS_FALSE,
    RULE_ANSWERS_SYMBOL, /* `symbol` */
};

struct rule_set_method {
    const char *name;
    const char *symbol;
    uint16_t operation; /* index into the set's */
    bool is_input;      /* a value is given to it once */
    bool takes_value;
    uint8_t answer; /* enum rule_answer */
};

enum rule_item_kind {
    RULE_VARIABLE,
    RULE_METHOD,
    RULE_CLOSURE, /* any number of the witness's events of a method, nothing between them */
};

struct rule_item {
    uint8_t kind; /* enum rule_item_kind */
    uint8_t number;
    bool free; /* a variable whose end the witness's events do not settle */
};

/* Bits: the methods that may stand in a variable, of groups whose value is less than the witness's,
 * and of others. Without `values ordered` the two are the same. */
struct rule_variable {
    uint32_t less, greater;
};

enum rule_comparison {
    RULE_COMPARES_NOT,
    RULE_COMPARES_LESS, /* only groups whose value is less than the witness's */
    RULE_COMPARES_GREATER,
};

/* Of every event of the method in these variables some other event of its group is in them too. */
struct rule_matched {
    uint8_t method;
    uint8_t compared;   /* enum rule_comparison */
    uint32_t variables; /* bits */
};

struct rule {
    const char *name;
    uint32_t methods; /* bits: of the expression */
    uint32_t begins;  /* bits: those that the witness's first event may be of */
    uint8_t item_count, variable_count, matched_count;
    struct rule_item items[RULE_MOST_ITEMS];
    struct rule_variable variables[RULE_MOST_VARIABLES];
    struct rule_matched matched[RULE_MOST_CONDITIONS];
};

/* Names are not owned. */
struct rule_set {
    const char *name;
    const char *subject; /* the specification that it is the rules of, "semaphore(2)"; null: none */
    const char *file;    /* where it was declared */
    uint32_t line;
    uint8_t values; /* enum rule_values */
    uint8_t method_count, rule_count, operation_count;
    struct rule_set_method methods[RULE_MOST_METHODS];
    struct rule rules[RULE_MOST_RULES];
    const char *operations[RULE_MOST_METHODS];
};

struct rule_event {
    uint16_t method;
    uint16_t group;
};

/* `ranks`: of ordered sets, by group, numbers in the order of the values; else null. */
struct rule_word {
    const struct rule_event *events;
    uint32_t length;
    const uint32_t *ranks;
};

/* Fills in what follows from the items and conditions of a rule: methods, begins, free. */
void rule_finish(struct rule *rule);

/* Whether the decomposition of a word by any rule is settled by the witness's events. */
bool rule_set_is_settled(const struct rule_set *set);

/* Whether two methods stand for the same calls, so that which of them a call is, is guessed. */
bool rule_methods_are_alike(const struct rule_set_method *one, const struct rule_set_method *other);

/* Whether the value of a method's events says anything: it is recorded, or other events have it. */
bool rule_set_shows_value(const struct rule_set *set, unsigned method);

/* Whether the word is what the rule makes of some word, the events of group `witness` being those
 * of the expression: its matching set, in the paper's words. */
bool rule_matches(const struct rule *rule, const struct rule_word *word, uint32_t witness);

/* Whether the first `count` rules derive the word. `scratch` has room for its events. */
bool rule_set_derives(const struct rule_set *set, unsigned count, const struct rule_word *word,
                      struct rule_event *scratch);

/* A copy whose names are in the arena too; null when refused. */
struct rule_set *rule_set_copy(const struct rule_set *set, struct arena *arena) MUST_CHECK;

#endif
