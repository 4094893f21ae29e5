/* Inductive rules: do they have the properties that the theory asks of them, and derive what a
 * specification allows? */
#ifndef LINCHPIN_RULE_SETS_H
#define LINCHPIN_RULE_SETS_H

#include <linchpin/rules.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The `rules` of a `.lin` file; there may be none. */
typedef struct lp_rule_sets lp_rule_sets;

/* Reads a file ("-" is standard input). LP_INPUT with the first fault: its place, what was expected
 * and what was found; LP_LIMIT: memory was refused, or the context was interrupted. Owned by the
 * caller. */
LP_API lp_status lp_rule_sets_read(lp_context *context, const char *path, lp_rule_sets **sets,
                                   lp_error *error);

/* The same from memory; `name` stands in messages. Everything is copied. */
LP_API lp_status lp_rule_sets_parse(lp_context *context, const char *name, const char *text,
                                    size_t length, lp_rule_sets **sets, lp_error *error);
LP_API void lp_rule_sets_destroy(lp_rule_sets *sets);

/* What it points to lives as long as the sets. */
typedef struct lp_rule_set {
    const char *name;
    const char *specification; /* that it is compared with, "semaphore(2)"; null: none */
    const char *outside; /* why it is outside the reduction to any number of threads; null: it is
                            not, as far as the form of the rules tells */
    unsigned rules;      /* how many */
} lp_rule_set;

/* The set with number `index` of the file, from 0; false past the end. */
LP_API bool lp_rule_sets_at(const lp_rule_sets *sets, size_t index, lp_rule_set *set);

typedef struct lp_rule_set_options {
    size_t size;    /* sizeof(lp_rule_set_options) */
    unsigned bound; /* events, at most LP_RULES_MOST_OPERATIONS; 0: 4 */
    unsigned jobs;  /* threads; 0: one per core */
    double timeout; /* seconds; 0: none */
} lp_rule_set_options;

/* A property of rules, and whether it holds of all executions and histories that were looked at. */
typedef struct lp_rule_property {
    const char *name;        /* one word: "step-by-step" */
    const char *title;       /* what is asked: "step-by-step linearizable" */
    const char *source;      /* "Definition 7" of the paper; may be empty */
    lp_answer verdict;       /* LP_UNDECIDED: a limit came first, or it is */
    bool asked;              /* false: there is nothing to ask, for the `reason` */
    const char *reason;      /* one sentence; null where it holds, or a limit came first */
    unsigned size;           /* LP_VIOLATED: the smallest number of events with a violation */
    lp_rule_history history; /* LP_VIOLATED by a history: this one */
} lp_rule_property;

/* Executions and histories of one size. */
typedef struct lp_rule_set_size {
    unsigned events;
    uint64_t executions, derived;
    uint64_t histories, linearizable;
} lp_rule_set_size;

/* The violation automata that are made from a rule, compared with what violates it. */
typedef struct lp_rule_comparison {
    const char *rule;
    bool made;             /* there are automata of it: its shape is one that they are made of, */
    bool own;              /* or the file has some that say that they belong to it */
    size_t automata;       /* how many; none are needed where nothing violates the rule */
    uint64_t violations;   /* histories that violate the rule */
    uint64_t first;        /* and no earlier one */
    uint64_t accepted;     /* of all violations */
    uint64_t missed;       /* of the first, those that none accepts */
    uint64_t false_alarms; /* accepted, and no violation of this rule or an earlier one */
    lp_rule_history difference; /* one of the smallest histories that make one */
    const char *culprit;        /* the automaton whose false alarm that is; null: it is missed */
} lp_rule_comparison;

typedef struct lp_rule_set_result {
    lp_answer verdict; /* LP_VIOLATED: a property is; LP_UNDECIDED: a limit */
    lp_limit limit;
    const char *reason;            /* one sentence */
    unsigned size;                 /* everything of at most so many events was looked at */
    const lp_rule_set_size *sizes; /* the last perhaps in part */
    size_t size_count;
    const lp_rule_property *properties;
    size_t property_count;
    const lp_rule_comparison *comparisons; /* by rule, the empty one left out; none where: */
    size_t comparison_count;
    const char *not_compared; /* why the rules were not compared with automata; null: they were */
    uint64_t comparison_histories; /* of up to `size` operations that were looked at */
    unsigned comparison_size;
    double seconds;
} lp_rule_set_result;

/* Tests the properties of one set on all executions and histories of up to options->bound events.
 * LP_OK whenever there is an answer, unknown included; LP_INPUT: the specification failed. Null
 * options: the defaults. The result is owned by the caller. */
LP_API lp_status lp_rule_set_check(lp_context *context, const lp_rule_sets *sets, size_t index,
                                   const lp_rule_set_options *options, lp_rule_set_result **result,
                                   lp_error *error);
/* Adds the violation automata that are made from the rules of one set, of those shapes that are
 * known; lp_rules_unmade names the rest. The rules must be of a specification. LP_USAGE: they are
 * not, or are outside the reduction, or methods stand for the same calls; LP_INPUT: as
 * lp_rules_read; LP_LIMIT. */
LP_API lp_status lp_rules_make(lp_rules *rules, const lp_rule_sets *sets, size_t index,
                               lp_error *error);
LP_API void lp_rule_set_result_destroy(lp_rule_set_result *result);

#ifdef __cplusplus
}
#endif

#endif
