/* The threads of a `.lin` implementation as a model: each calls operations, takes their steps one
 * at a time, and answers. Labels are `inv.OP.thread.arguments`, `res.OP.thread.result` (an answer
 * that is a symbol other than `ok` and `empty` is part of the name: `res.OP=full.thread`), and
 * `fault` for what the algorithm must not do; every other step is invisible. With points in the
 * setting there are `lin.OP.thread.arguments.result` too (`lin.OP=?.thread.arguments` where the
 * answer is left open), and `no-point.thread.instruction` and `second-point.thread.instruction` for
 * an operation that returns without one and for its second.
 *
 * The threads of a program take the steps of the operations that they call. Its labels are
 * `print.thread.answer`, termination when all threads have ended, and `fault`.
 *
 * With symmetry the threads of a state are renumbered into one order, and its values renamed. A
 * step after which they were is labelled `turn`, with the label it would have had and the
 * permutations of threads and of values as components.
 *
 * A step with several of these labels has them for components: `inv+res`, `inv+lin+res`, ...
 *
 * States are canonical: nodes that cannot be reached are collected, the others stand in the order
 * in which they are found from the shared variables and the threads' live locals; locals that will
 * not be read again are 0. Where nodes are kept, those that cannot be reached and were not given
 * back stand behind the others, without their contents. */
#ifndef MODEL_LIN_MODEL_H
#define MODEL_LIN_MODEL_H

#include "lang/lin_steps.h"
#include "model/model.h"
#include "model/turning.h"

/* What is made one step. None of it changes which histories there are up to earlier calls and later
 * answers; docs/internals/reductions.md argues why. */
struct lin_fusion {
    bool intervals; /* a call joins the first step behind it, an answer the step before it */
    bool local;     /* a step that no other thread can notice joins the one before it */
    bool symmetry; /* threads that could be exchanged stand in one order, see lin_model_is_symmetric
                    */
    bool values;   /* values are named in the order in which they are found; the caller knows that
                      the specification leaves them opaque */
    bool forget;   /* locals that will not be read again are no part of the state */
    bool names;    /* nodes keep their numbers: for executions that are shown */
};

/* How threads and values are renamed: value v is number v - 1 of its permutation. */
struct lin_turn {
    turning threads, values;
};

static inline bool lin_turns(struct lin_turn turn)
{
    return turn.threads != TURNING_IDENTITY || turn.values != TURNING_IDENTITY;
}

/* A shared array with an item for each thread, which goes with the thread when threads are
 * exchanged: every access is to `a[thread]`, or, between two threads, to `a[1 - thread]`. */
struct lin_own_items {
    uint32_t first, words; /* of an item */
    bool alone;            /* nobody else has access to a thread's item */
};

/* A word of each thread's item. */
struct lin_own_word {
    uint32_t first, apart; /* slot of thread 0, from there to the next thread's */
    bool is_reference, is_value;
};

struct lin_model {
    struct model model; /* first */
    const struct lin_steps *steps;
    struct lin_fusion fusion;
    VECTOR(struct lin_own_items) own;
    VECTOR(struct lin_own_word) own_words; /* of all of these */
    label fault;
    VECTOR(const char *) operation_names; /* by entry; texts of the labels */
    VECTOR(const char *) symbol_names;    /* by symbol; null of `ok` and `empty` */
    const char *open_answer;              /* "?": a point leaves the answer to the response */
    label point;                          /* of the running step; LABEL_TAU: none */
    VECTOR(label) notes;                  /* by instruction: how a step is shown; 0: not made yet */
    VECTOR(uint32_t) before;              /* a copy of the state that is expanded */
    VECTOR(uint32_t) after;               /* the state that a step is building */
    VECTOR(uint32_t) saved;               /* before a step that may join the one before it */
    VECTOR(uint32_t) moved;               /* while nodes are renumbered: the old heap */
    VECTOR(uint32_t) numbers;             /* by old node: 1 + its new number */
    VECTOR(uint32_t) order;               /* nodes found, to be looked through */
    VECTOR(int32_t) stack;
    VECTOR(struct lin_choice) choices;
    size_t chosen;
    VECTOR(uint32_t) touched; /* nodes that the running step follows references to: pool, number */
    bool touches_shared;      /* it touches something else that is shared */
    uint64_t waiting, starving; /* threads that, in the state last expanded, could not take a step:
                                   that wait for others; for a node of an empty pool */
    bool links;                 /* the implementation uses ll */
    bool frees;                 /* it gives nodes back */
    bool exhausted;             /* some `new` waited on a pool of default size */
    bool ignores_faults;        /* what the algorithm must not do it does not do; set by the user */
    bool tells_changes;         /* labels say which steps others may notice (lin_changes.h), and
                                   nothing else; set by the user */
    label error;     /* of the last step of a thread that shows the model to be wrong, whose other
                        steps are left out; LABEL_TAU: that is STATUS_INPUT; set by the user */
    uint32_t number; /* by which `only thread` knows the first thread; set by the user */
    struct word_arrays
        objects;             /* of a program: the specification's states, as two words of 32 each */
    VECTOR(uint64_t) object; /* one of them */
    struct outcomes outcomes;
    char reason[200]; /* of the last fault that was met */
    char first[200];  /* of the first fault among the steps of the state last expanded; may be "" */
};

struct lin_choice {
    uint32_t taken, count;
};

/* The steps and labels must outlive it. STATUS_LIMIT. Release whatever the status. */
enum status lin_model_create(const struct lin_steps *steps, const struct lin_fusion *fusion,
                             struct labels *labels, struct budget *budget, struct lin_model *model,
                             struct error *error) MUST_CHECK;
/* Appends the steps of one thread, as the model's successors have them. */
enum status lin_model_steps_of(struct lin_model *model, const uint32_t *state, uint32_t thread,
                               struct successors *out, struct error *error) MUST_CHECK;

/* What the thread does wrong that from `before` stands faulted in `after`, in `model->first`.
 * STATUS_LIMIT. */
enum status lin_model_explain(struct lin_model *model, const uint32_t *before,
                              const uint32_t *after, struct error *error) MUST_CHECK;
/* Whether the thread is inside an operation; whether it has none left although it is in the middle
 * of its client's order; whether it is in the middle of that. */
bool lin_model_is_running(const struct lin_model *model, const uint32_t *state, uint32_t thread);
bool lin_model_is_cut(const struct lin_model *model, const uint32_t *state, uint32_t thread);
bool lin_model_is_inside_order(const struct lin_model *model, const uint32_t *state,
                               uint32_t thread);

/* Whether threads can be exchanged: the code asks for its thread's number only to find items that
 * are exchanged as well, any operation may be called by any thread, and there are no more than 8.
 */
bool lin_model_is_symmetric(const struct lin_model *model);

/* `state` with its threads and values renamed, its nodes in their order again, in `out`; false when
 * refused. */
bool lin_model_turn(struct lin_model *model, const uint32_t *state, struct lin_turn by,
                    uint32_t *out) MUST_CHECK;

/* Whether the label is one that nothing follows: a fault, a linearization point out of place. */
bool lin_model_is_last(const struct lin_model *model, label l);
/* The instruction at which a linearization point is out of place; UINT32_MAX: the label is of
 * something else. `*second`: it is a second one; else there was none. */
uint32_t lin_model_misplaced(const struct lin_model *model, label l, bool *second);

/* Makes `state` the one that the model would have in its place. False when refused. */
bool lin_model_represent(struct lin_model *model, uint32_t *state) MUST_CHECK;

/* What a step would be labelled had nothing been renamed behind it. */
label lin_model_own_label(const struct lin_model *model, label l);

/* A label with its thread and values renamed; LABEL_REFUSED. */
label lin_model_turn_label(struct lin_model *model, label l, struct lin_turn by) MUST_CHECK;

/* How the step that a running thread stands before is shown. */
label lin_model_note(struct lin_model *model, const uint32_t *state, uint32_t thread);

void lin_model_release(struct lin_model *model);

#endif
