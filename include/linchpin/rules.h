/* Violation automata: do those of an object accept exactly the histories that are not linearizable?
 */
#ifndef LINCHPIN_RULES_H
#define LINCHPIN_RULES_H

#include <linchpin/check.h>
#include <linchpin/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The violation automata of one object. */
typedef struct lp_rules lp_rules;

/* No automata yet. Null when memory is refused. Owned by the caller. */
LP_API lp_rules *lp_rules_create(lp_context *context);
LP_API void lp_rules_destroy(lp_rules *rules);

/* Adds the automaton in a file ("-" is standard input; gzip and zstd are unpacked). LP_INPUT with
 * the first fault: its place, what was expected and what was found; also where the automaton's
 * object is not that of the others, where its name is taken, and where it is one of an object, or
 * has a method, that cannot be checked. LP_LIMIT: memory was refused, or the context was
 * interrupted. */
LP_API lp_status lp_rules_read(lp_rules *rules, const char *path, lp_error *error);

/* The same from memory; `name` stands in messages. Everything is copied. */
LP_API lp_status lp_rules_parse(lp_rules *rules, const char *name, const char *text, size_t length,
                                lp_error *error);

/* The automata of the `automaton` blocks in a `.lin` file: as many sets as specifications that they
 * are of, in the order of their first one. `*sets` is an array of `*count`, each to be destroyed by
 * the caller, and itself released with free(). LP_INPUT: the file is wrong; LP_LIMIT. On failure,
 * and where the file has no automata, there are no sets. */
LP_API lp_status lp_rules_read_lin(lp_context *context, const char *path, lp_rules ***sets,
                                   size_t *count, lp_error *error);

/* Adds the automata that come with the program for a specification, such as "queue" or
 * "semaphore(2)": those for whole histories, or those for histories in which operations are
 * pending. LP_USAGE: it has none; LP_LIMIT. */
LP_API lp_status lp_rules_ship(lp_rules *rules, const char *specification, bool for_prefixes,
                               lp_error *error);

#define LP_RULE_COLOURS 3
#define LP_RULE_DEAD    UINT32_MAX

/* An automaton: what it points to lives as long as the rules. */
typedef struct lp_rule_automaton {
    const char *name;
    const char *object;   /* "queue" */
    const char *rule;     /* what it is about, for people; may be empty */
    const char *violates; /* the inductive rule that it belongs to; null: not said */
    const char *const *methods;
    uint32_t method_count;
    const uint32_t *unmarked; /* by method: the one that it is the marked copy of, else itself */
    uint32_t state_count, initial;
    const char *const *state_names;
    const bool *accepting; /* by state */
    const bool *complete;  /* by state: accepting, but only at the end of a whole history */
    bool for_histories;    /* what it is meant for: whole histories, */
    bool for_prefixes;     /* and those in which operations are pending */
    unsigned single;       /* bits, by colour: 2 for colour 1; colours that no two values share */
    /* Where it goes from state s, with event e (0: call, 1: return) of method m whose value has
     * colour c (1 to 3): next[((s * 2 + e) * method_count + m) * LP_RULE_COLOURS + c - 1];
     * LP_RULE_DEAD: nowhere. */
    const uint32_t *next;
} lp_rule_automaton;

/* The automaton added as number `index`, from 0; false past the end. */
LP_API bool lp_rules_at(const lp_rules *rules, size_t index, lp_rule_automaton *automaton);

/* A rule of which lp_rules_make has made no automata. */
typedef struct lp_rule_unmade {
    const char *rule;
    const char *reason;
} lp_rule_unmade;

/* The one with number `index`, from 0; false past the end. Where there are some, the automata are
 * not all that there should be: what is not linearizable and accepted by none of them is no
 * violation, and leaves the verdict LP_UNDECIDED. */
LP_API bool lp_rules_unmade(const lp_rules *rules, size_t index, lp_rule_unmade *unmade);

/* The words that automata are given of a history: a history that is not linearizable should be
 * accepted, one that is should not. */
typedef enum lp_rules_words {
    LP_RULES_STRICT,  /* of the first one word, of the second every word */
    LP_RULES_EXACT,   /* one word of each: blocks of calls and of returns, in a fixed order */
    LP_RULES_CLOSURE, /* every word of the closure of each: calls earlier, returns later */
} lp_rules_words;

/* The histories that are enumerated; in all of them nothing is pending, and each value is added at
 * most once. */
typedef enum lp_rules_histories {
    LP_RULES_ALL,
    LP_RULES_MATCHED, /* each value is added once, and then removed once; up to renaming */
    LP_RULES_IN_TURN, /* of mutex and semaphore: Unlock(1) is called when Lock(1) has returned */
} lp_rules_histories;

#define LP_RULES_MOST_OPERATIONS 8 /* of histories that are enumerated */

/* Of histories that are random. */
#define LP_RULES_RANDOM_LEAST 8
#define LP_RULES_RANDOM_MOST  12

typedef struct lp_rules_options {
    size_t size;    /* sizeof(lp_rules_options) */
    unsigned bound; /* operations, at most LP_RULES_MOST_OPERATIONS; 0: 4 */
    lp_rules_histories histories;
    lp_rules_words words;
    uint64_t random_histories; /* so many besides, of LP_RULES_RANDOM_LEAST to LP_RULES_RANDOM_MOST
                                  operations, where the others make no difference; none of
                                  LP_RULES_MATCHED or LP_RULES_CLOSURE */
    uint64_t seed;             /* of these */
    unsigned jobs;             /* threads; 0: one per core */
    double timeout;            /* seconds; 0: none */
} lp_rules_options;

typedef struct lp_rule_operation {
    const char *method; /* "Enq" */
    uint32_t value;     /* from 0; a method without a value has one of its own, for its colour */
    bool has_value;     /* whether its method has one */
    unsigned colour;    /* of the value; 0: none was needed */
    bool marked;        /* the automaton reads it as the marked copy of its method */
    uint32_t call, ret; /* positions of its events, from 0 */
    /* Where an automaton accepts the history, the same in the word that it reads: calls in a row,
     * and returns in a row, may have another order there; with LP_RULES_CLOSURE calls may be
     * earlier and returns later, too. */
    uint32_t read_call, read_ret;
} lp_rule_operation;

/* A history in which nothing is pending. */
typedef struct lp_rule_history {
    size_t operation_count; /* 0: there is none */
    lp_rule_operation operations[LP_RULES_RANDOM_MOST];
} lp_rule_history;

typedef struct lp_rules_size {
    unsigned operations;
    uint64_t histories, linearizable;
    uint64_t missed;       /* not linearizable, and not accepted */
    uint64_t false_alarms; /* linearizable, and accepted */
} lp_rules_size;

typedef struct lp_rules_automaton_result {
    uint64_t accepted;       /* histories that are not linearizable */
    uint64_t alone;          /* that no other automaton accepts */
    lp_rule_history example; /* one of the smallest that it alone accepts, or else accepts, with the
                                colours and marks it is accepted with */
} lp_rules_automaton_result;

typedef struct lp_rules_result {
    lp_answer verdict; /* LP_VIOLATED: there is a difference; LP_UNDECIDED: a limit, or something is
                          missed and lp_rules_unmade */
    lp_limit limit;
    const char *reason;         /* one sentence */
    unsigned size;              /* all histories of at most so many operations were compared */
    const lp_rules_size *sizes; /* those that there are histories of; the last perhaps in part */
    size_t size_count;
    bool random;                  /* random histories were compared, too: */
    uint64_t random_histories;    /* how many; up to the first difference, if they make one */
    uint64_t random_linearizable; /* of these, where they make none */
    uint64_t random_missed;       /* likewise; with lp_rules_unmade only */
    uint64_t seed;
    const lp_rules_automaton_result *automata; /* by index */
    lp_rule_history difference; /* LP_VIOLATED: one of the smallest histories that make one;
                                   LP_UNDECIDED: one of the smallest that are missed, if any */
    bool accepted;              /* it is linearizable, and accepted; else neither */
    size_t culprit;             /* where accepted: by this automaton */
    double seconds;
} lp_rules_result;

/* Compares the automata with the specification of their object, on all histories of up to
 * options->bound operations in which nothing is pending and each value is added at most once. LP_OK
 * whenever there is an answer, unknown included; LP_USAGE: there are no automata, or the object
 * has no such histories; LP_INPUT: the specification is one of a file, and wrong. Null options: the
 * defaults. The result is owned by the caller. */
LP_API lp_status lp_rules_check(lp_context *context, const lp_rules *rules,
                                const lp_rules_options *options, lp_rules_result **result,
                                lp_error *error);
LP_API void lp_rules_result_destroy(lp_rules_result *result);

/* What an automaton makes of a recorded history. */
typedef struct lp_rules_reading {
    bool accepted;
    /* Where accepted: */
    size_t operation; /* behind whose event it accepts, and goes on accepting: an index */
    bool returned;    /* the event is its return, else its call */
    const unsigned char *colours; /* by operation, of its value; 0: it was left out */
    const bool *marked;           /* by operation: it is read as the marked copy of its method */
} lp_rules_reading;

typedef struct lp_rules_run {
    lp_answer verdict; /* LP_HOLDS: what is not linearizable is accepted, and nothing else;
                          LP_UNDECIDED: a limit, operations may or may not have happened, or it is
                          missed and lp_rules_unmade */
    lp_limit limit;
    const char *reason;               /* one sentence */
    lp_verdict decided;               /* by lp_check */
    size_t operations;                /* that were read */
    size_t failed;                    /* did not happen, and were left out */
    size_t completed;                 /* never returned, and were read as if at the end */
    size_t left_out;                  /* never returned, with an answer that may be any */
    const char *const *methods;       /* by operation: what it is read as; null: it was left out */
    const lp_rules_reading *readings; /* of each automaton, by index */
    size_t accepting;                 /* so many automata accept */
    double seconds;
} lp_rules_run;

/* Runs the automata on a closed history, and decides with lp_check whether it is linearizable. Of
 * the options jobs and timeout count. LP_INPUT, with the line: an operation or answer that the
 * object has not, a value that is added twice, a release of what was not acquired, several objects
 * or keys; LP_USAGE: there are no automata. Null options: the defaults. Owned by the caller. */
LP_API lp_status lp_rules_run_on(lp_context *context, const lp_rules *rules,
                                 const lp_history *history, const lp_rules_options *options,
                                 lp_rules_run **run, lp_error *error);
LP_API void lp_rules_run_destroy(lp_rules_run *run);

#ifdef __cplusplus
}
#endif

#endif
