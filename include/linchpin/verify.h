/* Deciding what a model asserts, and showing why. */
#ifndef LINCHPIN_VERIFY_H
#define LINCHPIN_VERIFY_H

#include <linchpin/check.h>
#include <linchpin/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lp_answer {
    LP_HOLDS,
    LP_VIOLATED,
    LP_UNDECIDED, /* a limit was reached, see lp_verification.limit; or points that are not declared
                     complete fail */
} lp_answer;

/* Whether `text` names reductions: "none" (the full product), "default" (every one that is sound
 * for the assertion), "paper" (that of Liu, Chen, Liu and Sun 2009 alone), or some of "intervals",
 * "partial-order", "symmetry", "antichain", "slice", "write-once", "pure-iterations",
 * "stale-reads", "dead-fields", "decided-steps", "sticky-fields", separated by commas. Else
 * LP_USAGE, with a message that lists the names. */
LP_API lp_status lp_reductions_check(const char *text, lp_error *error);

typedef enum lp_search {
    LP_SEARCH_AUTO,    /* breadth first; once that has taken up some four million states without an
                          answer, depth first and breadth first in turns of as many */
    LP_SEARCH_BREADTH, /* the shortest counterexample of what is explored; where reductions have
                          been used, the full product is searched for a shorter one about as long
                          again */
    LP_SEARCH_DEPTH,   /* may find a deep violation sooner, with a longer counterexample */

    /* Searches that store no states, and may miss some: they find a violation, or are undecided.
     * LP_UNDECIDED at once: temporal formulas, progress, failures, `deterministic`,
     * `divergencefree`, least and greatest values, any number of threads or copies. */
    LP_SEARCH_BITSTATE, /* depth first; which states were seen three bits each tell */
    LP_SEARCH_SWARM,    /* many such searches, small ones, each in a random order of its own: the
                           same ones each time. 256; with a timeout until that is over */
} lp_search;

/* How it is decided whether an implementation in `.lin` linearizes a specification. The answers
 * agree, but that values are without number for automata, so that they may find a violation that
 * takes more values than the assertion says. */
typedef enum lp_verify_method {
    LP_VERIFY_REFINEMENT, /* everything that it does is compared with what the specification can do
                           */
    LP_VERIFY_AUTOMATA,   /* of the specification's violation automata none accepts anything that it
                             does. LP_INPUT where the specification has none (of those built in
                             queue, stack, register, mutex and semaphore have), and where the
                             implementation does more with values than to copy them and to compare
                             them with null */
} lp_verify_method;

/* Which runs a temporal formula is about: the kinds of fairness of Sun, Liu, Dong and Pang (CAV
 * 2009), as in PAT. Weak: what could be taken all the time from some point on is taken again and
 * again. Strong: what could be taken again and again is. */
typedef enum lp_fairness {
    LP_FAIRNESS_NONE, /* all runs */
    LP_FAIRNESS_EVENT_WEAK,
    LP_FAIRNESS_EVENT_STRONG,
    LP_FAIRNESS_PROCESS_WEAK,
    LP_FAIRNESS_PROCESS_STRONG,
    LP_FAIRNESS_GLOBAL, /* every step of a state that is visited again and again */
    LP_FAIRNESS_KINDS,
} lp_fairness;

/* "none", "event-weak", ...; static. */
LP_API const char *lp_fairness_name(lp_fairness fairness);

/* How far a verification is; called from one thread at a time, a few times a second. */
typedef struct lp_verify_progress {
    uint64_t explored; /* states taken up so far */
    size_t memory;     /* bytes */
    double seconds;
} lp_verify_progress;

/* What takes the steps of implementations in `.lin`. The states, their order and the answer are the
 * same. */
typedef enum lp_engine {
    LP_ENGINE_AUTO,     /* an interpreter; where a search is long enough to pay for it, C that the
                           system's compiler (`cc`, or what the environment's CC says) has made of the
                           steps, in the background, and that is kept in $XDG_CACHE_HOME/linchpin */
    LP_ENGINE_NATIVE,   /* such C from the first state on; the interpreter where it cannot be had */
    LP_ENGINE_BYTECODE, /* the interpreter */
} lp_engine;

struct lp_ranks;

typedef struct lp_verify_options {
    size_t size;            /* sizeof(lp_verify_options) */
    const char *reductions; /* as above; those that are not sound for the assertion are left out;
                               null: default */
    lp_search search;
    lp_verify_method method;                                          /* for `linearizes` */
    lp_fairness fairness;                                             /* for temporal formulas */
    double timeout;                                                   /* seconds; 0: none */
    void (*progress)(void *user, const lp_verify_progress *progress); /* may be null */
    void *progress_user;
    lp_engine engine;
    size_t jobs; /* threads, at most 1024; 0: one per core. The answer and its counts are those of
                    one, but with LP_SEARCH_SWARM */
    const char *checkpoint; /* a folder, made if need be, where the search is kept now and then, and
                               the answer: the same call goes on from there. LP_USAGE where what is
                               there is of another model of this name, of other options or of
                               another version, where it is damaged, and for what there are no
                               checkpoints of: temporal formulas, progress, any number of threads,
                               searches that store no states, and "paper". Null: none */
    struct lp_ranks *ranks; /* the program's own (--mpi), of which several share a search; null */
} lp_verify_options;

/* A variable or channel with its value, for people: "HL", "[1, 0]". */
typedef struct lp_variable {
    const char *name, *value;
} lp_variable;

/* What a step does. */
typedef enum lp_step_kind {
    LP_STEP_INTERNAL, /* nothing that is seen from outside */
    LP_STEP_EVENT,    /* an event, or a transition of a net */
    LP_STEP_CALL,     /* an operation is called: inv.OP.thread.arguments */
    LP_STEP_RETURN,   /* an operation returns: res.OP.thread.result */
} lp_step_kind;

/* A step of an execution. */
typedef struct lp_step {
    const char *event; /* "enq.0.1", "c!3", "terminate"; invisible: "τ", "[if]", "[e.1]" */
    uint32_t process;  /* component of the outermost composition, from 0 */
    bool visible;
    const lp_variable *changes; /* what the step changed, with its value afterwards */
    size_t change_count;
    /* Set by the library, and read by none of its functions: */
    lp_step_kind kind;
    uint32_t line;    /* of a statement, in `file`; 0: it is none */
    const char *file; /* a file that the model includes; null: the model's own */
} lp_step;

/* An execution of the model from its initial state. */
typedef struct lp_execution {
    const lp_variable *start; /* the initial state */
    size_t start_count;
    const lp_step *steps;
    size_t length;
    bool is_lasso;
    size_t loop_start; /* lasso: behind the last step everything from this one on comes again */
} lp_execution;

/* Where a refinement fails. */
typedef enum lp_failure {
    LP_FAILURE_NONE,
    LP_FAILURE_EVENT,      /* the last step is no step of the specification */
    LP_FAILURE_REFUSAL,    /* in its last state the implementation refuses too much */
    LP_FAILURE_DIVERGENCE, /* the implementation can go on invisibly for ever: a lasso */
} lp_failure;

typedef enum lp_question_answer {
    LP_QUESTION_SAFE,   /* it cannot come about, with any number of threads: proved */
    LP_QUESTION_UNSAFE, /* it can, in the threads' Petri net */
    LP_QUESTION_OPEN,
} lp_question_answer;

/* One of the questions that an assertion about any number of threads comes down to: whether in a
 * Petri net something can come about. */
typedef struct lp_question {
    const char *name;  /* "fault", "queue_order" */
    const char *about; /* what would come about: "a value is dequeued twice" */
    lp_question_answer answer;
    const char *method; /* what answered it; "" */
    const char *reason; /* LP_QUESTION_OPEN: why; else "" */
    uint64_t explored;  /* markings */
    uint64_t controls, places, transitions;
    double seconds;
} lp_question;

/* What the search for an answer was made of, of those that store states; of several searches of
 * one assertion the last. With a checkpoint all but `levels` is of this run alone. Counts of
 * completed searches are the same in every run. */
typedef struct lp_search_stats {
    uint64_t expanded; /* states of which the steps were asked for; one may be more than once */
    uint64_t steps;    /* that these had */
    uint64_t found;    /* states, or pairs of one and a set of the specification's */
    const uint32_t *levels; /* breadth first, up to where depth first took a turn: how many were
                               found so many steps from the initial ones */
    size_t level_count;
    uint64_t ample_offered; /* partial order: states in which some processes could stand for all, */
    uint64_t ample; /* in which they did; decided steps: in which those of one thread did, */
    uint64_t ample_left_out; /* steps of others that were left out there, */
    uint64_t passed;         /* and states that were not stored, for they have one step to take */
    uint64_t renumbered;     /* symmetry: states that steps led to, and others stand for */
    uint64_t pure;     /* steps left out that would end an iteration of which nothing is left */
    uint64_t stale;    /* steps left out to states in which a thread holds what is stale */
    uint64_t covered;  /* antichain: pairs found when a smaller one was there, */
    uint64_t replaced; /* and pairs that a smaller one has replaced */
    bool has_specification;          /* a refinement: */
    uint64_t sets;                   /* sets of the specification's states, */
    uint64_t asked;                  /* steps of these that were asked for, */
    uint64_t worked_out;             /* of which so many were worked out, and the others known */
    size_t state_bytes, index_bytes; /* when it ended: stored states, what finds them, */
    size_t found_bytes;              /* what was found from what, */
    size_t pair_bytes;               /* which pairs there are, */
    size_t edge_bytes;               /* edges that are kept, */
    size_t other_bytes;              /* the specification's sets, the model, and all else */
    bool is_native;       /* steps of a .lin implementation were compiled ones from the */
    uint64_t native_from; /* so many-th expanded state on */
} lp_search_stats;

/* The answer. Owned by the caller; what it points to lives until lp_verification_destroy. */
typedef struct lp_verification {
    lp_answer answer;
    lp_limit limit;                /* why it is undecided; LP_LIMIT_NONE: not by a limit */
    const char *method;            /* "reachability", "refinement", "linearizability", "automaton",
                                      "automata", "coverability" */
    const char *reason;            /* one sentence; "" where it holds, but for any number of copies,
                                      temporal formulas with events that no run has, automata,
                                      values that are compared with constants, and where bounds
                                      were met */
    const char *covered;           /* where a limit ended it: what was covered until then, as the
                                      end of the reason, " after 12 states ..."; else "" */
    bool met_bounds;               /* LP_HOLDS, of progress: nodes or operations ran out, and what
                                      follows is not asked about; the reason says which */
    const char *const *reductions; /* names of those used */
    size_t reduction_count;
    /* LP_HOLDS of linearizability, of a `.lin` model LP_UNDECIDED, too: operations of the
     * specification that the implementation lacks, or calls in no execution; nothing is said of
     * them. Of other assertions about a `.lin` implementation, whatever the answer: an operation
     * that the client order comes to, and it lacks. */
    const char *const *missing;
    size_t missing_count;
    /* With them, of a `.lin` model: operations of the implementation that are never called, since
     * the client order does not get past one that is missing; nothing is said of these either. */
    const char *const *uncalled;
    size_t uncalled_count;
    uint64_t states; /* stored; of a refinement pairs with a state of the specification */
    uint64_t transitions;
    size_t memory; /* bytes, at most */
    double seconds;
    bool is_temporal;     /* a formula: `|=`; states and transitions are those of its product */
    lp_fairness fairness; /* of the runs that it was decided for */
    bool has_extreme;     /* `reaches ... with min(...)` or max(...) that holds */
    int64_t extreme;

    /* What shows a violation, or a goal that is reached, with so many copies of what is in each
     * `|||{..}` of the process (0: there is none). */
    unsigned copies;
    lp_search search; /* the order that found it: LP_SEARCH_BREADTH or LP_SEARCH_DEPTH */
    unsigned values;  /* of a `.lin` model: among how many its threads choose there; 0: as many as
                         the assertion says */
    bool has_execution;
    lp_execution execution;

    /* Of an assertion about any number of threads, `with threads = any` (else 0): LP_VIOLATED, how
     * many threads the execution takes; and the questions that were asked, in their order (none:
     * few threads showed the violation). */
    unsigned threads;
    const lp_question *questions;
    size_t question_count;

    /* LP_VIOLATED, of a refinement or of linearizability: how, and the events that the
     * specification offered there. */
    lp_failure failure;
    const char *const *offered;
    size_t offered_count;

    /* LP_VIOLATED, of linearizability without points: the operations of the execution as a history,
     * and what lp_check says of it, which is a violation. Null where it says otherwise (of a
     * compare-and-swap that failed histories ask less than models) or had no time. */
    const lp_history *history;
    const lp_result *check;

    /* With a checkpoint. */
    bool resumed; /* the search went on where another run was ended, or its answer was there */
    const char *checkpoint_fault; /* why the checkpoint could not be written; "": it could */

    const lp_search_stats *stats; /* null: no such search, or the answer was kept */
} lp_verification;

/* Decides assertion `index` of the model. LP_OK whenever there is an answer, `undecided` included.
 * LP_INPUT: the assertion or the model is wrong; for a fault at run time (an index out of bounds, a
 * division by zero) there is a `*result` nevertheless, whose execution leads to it; otherwise, and
 * for every other failure, it is null. The model may belong to another context. Null options: the
 * defaults.
 *
 *     #include <linchpin/linchpin.h>
 *     #include <stdio.h>
 *     #include <string.h>
 *
 *     static const char model_text[] = "var n = 0;"
 *                                      "Add() = tau -> read.n -> Write(n);"
 *                                      "Write(i) = write.i{n = i + 1} -> Stop;"
 *                                      "Both() = Add() ||| Add();"
 *                                      "#define two n == 2;"
 *                                      "#assert Both() reaches two;"
 *                                      "#assert Both() deadlockfree;";
 *
 *     // Two processes that each add one to n.
 *     int main(void)
 *     {
 *         lp_context *context = lp_context_create(0);
 *         lp_model *model;
 *         lp_error error;
 *         if (lp_model_parse(context, "adders", model_text, strlen(model_text), &model, &error)) {
 *             fprintf(stderr, "%s:%u: %s\n", error.file, error.line, error.message);
 *             return 2;
 *         }
 *
 *         lp_assertion assertion;
 *         for (size_t i = 0; lp_model_assertion_at(model, i, &assertion); i++) {
 *             static const char *const answers[] = {"holds", "violated", "undecided"};
 *             lp_verification *result;
 *             if (lp_verify(context, model, i, NULL, &result, &error)) {
 *                 fprintf(stderr, "%s\n", error.message);
 *                 return 2;
 *             }
 *             printf("%s: %s", assertion.text, answers[result->answer]);
 *             for (size_t step = 0; step < result->execution.length; step++)
 *                 printf(" %s", result->execution.steps[step].event);
 *             puts("");
 *             lp_verification_destroy(result);
 *         }
 *         lp_model_destroy(model);
 *         lp_context_destroy(context);
 *         return 0;
 *     }
 */
LP_API lp_status lp_verify(lp_context *context, const lp_model *model, size_t index,
                           const lp_verify_options *options, lp_verification **result,
                           lp_error *error);
LP_API void lp_verification_destroy(lp_verification *result);

/* The operations of an execution as a closed history: a visible event inv.OP.thread.arguments
 * begins one, res.OP.thread.result completes it; others are none of it. LP_INPUT: an event
 * completes what has not begun. */
LP_API lp_status lp_execution_history(lp_context *context, const lp_execution *execution,
                                      const char *name, lp_history **history, lp_error *error);

#ifdef __cplusplus
}
#endif

#endif
