/* THE interface between front ends and searches: a model is an initial state and a successor
 * function over arrays of 32-bit slots. CSP# terms, .lin threads and sequential specifications
 * implement it; reductions are decorators of it; searches, state spaces and properties see nothing
 * else.
 *
 * A model does not change once it is made: threads share it. What computing with it takes is in a
 * worker, of which each thread makes its own.
 *
 * Of a state's slots only the first `identity_slots` say which state it is; the rest ride along
 * (hvar). A step says what a specification sees of it (label), what people see (shown), which
 * process took it, and which slots it may have read and written: reductions need the last. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <assert.h>

#include "base/status.h"
#include "base/vector.h"
#include "model/labels.h"
#include "model/packing.h"
#include "model/turning.h"

struct step {
    label label;        /* LABEL_TAU if invisible */
    label shown;        /* equals `label` unless invisible */
    uint32_t process;   /* column: component of the outermost composition; 0 if there is none */
    bool preempts;      /* the step, or one its process can take next, goes before all others */
    uint64_t processes; /* bit i: process i takes part; STEP_OTHERS: some from 63 on does */
};

#define STEP_OWN_BITS    63 /* so many processes have a bit of their own */
#define STEP_OTHERS      (UINT64_C(1) << STEP_OWN_BITS)
#define SUCCESSORS_FAULT 200 /* bytes */

/* The bit of a process in step.processes. */
static inline uint64_t step_bit(uint32_t process)
{
    return UINT64_C(1) << (process < STEP_OWN_BITS ? process : STEP_OWN_BITS);
}

struct worker;

/* Steps, and the states they lead to: states.items + i * slots for step i.
 *
 * A partial order reduction offers ample sets beside them: the steps in which some processes take
 * part, and no others, that stand for all, provided that one of them leads upwards in some order of
 * states (space/graph.c), so that no step is put off for ever. */
struct successors {
    /* Takes each step of a front end that announces steps (model_class), as soon as it is made:
     * labels are numbered in the order in which they are met, and searches go by these numbers.
     * Null: nobody does. */
    enum status (*announce)(struct worker *decorator, struct step *step, uint32_t *state);
    struct worker *decorator;
    VECTOR(struct step) steps;
    VECTOR(uint32_t) states;
    VECTOR(uint64_t) ample; /* bits of processes whose steps are ample, in order of preference */
    bool puts_off;          /* steps may be put off for ever: ample sets need not lead upwards */

    /* What else there is to say of the state, if the front end can tell. Bit i: process i. */
    uint64_t running;            /* it is inside an operation */
    uint64_t resting;            /* it is inside none, nor in the middle of a row of them */
    uint64_t cut;                /* it has none left, though it is in the middle of such a row */
    uint64_t waiting;            /* it cannot take some step unless others have stepped */
    VECTOR(struct step) waits;   /* one of each of these: how that step is shown */
    uint64_t starving;           /* likewise, for want of memory of which the model has so much */
    uint32_t renumbered;         /* states that symmetry has put others in the place of */
    uint32_t passed;             /* states that were skipped on the way to these */
    uint32_t pure;               /* steps left out: iterations that leave nothing behind, */
    uint32_t stale;              /* states in which a thread holds what is stale */
    uint32_t decided;            /* 1: the steps of one thread stand for all */
    const struct limits *limits; /* looked at where a state has many steps; null: none. Not owned */
    uint32_t looked;             /* steps since then */
    bool exhausted;              /* and nobody has said how much there should be */
    char fault[SUCCESSORS_FAULT]; /* what the first step labelled LABEL_FAULT does wrong; "": there
                                     is none */
};

/* The steps of states that have their slots as bits, of which nobody asks more than their labels
 * and where they lead to, as bits as well. */
struct packed_steps {
    const struct packing *from, *to; /* how the states are packed, how the others are to be */
    const uint64_t *states;          /* one behind the other */
    uint32_t count;                  /* of them */
    uint32_t condition;              /* asked of each; UINT32_MAX: none is */
    bool unhashed;                   /* no hashes are asked for */
    bool arranges;                   /* states are to be as model_class.arrange leaves them, and
                                        labels to say so; else as `successors` does */
    uint32_t done;                   /* so many have been found; behind one in which the condition
                                        holds no more are looked for */
    int64_t holds;                   /* its value in the last one of these */
    bool exhausted;                  /* as of struct successors, and these */
    uint32_t renumbered, pure, stale, decided;
    VECTOR(uint32_t) ends; /* by state: behind its steps */
    VECTOR(label) labels;
    VECTOR(uint64_t) hashes;
    VECTOR(uint64_t) words; /* of each to->words */
};

/* What the steps of one process of a state may touch: bit sets over the model's slots, of
 * model->slots bits in words of 32, reads and then writes. Upper bounds; owned by the model. */
struct outlook {
    const uint32_t *next;   /* all first steps it could take in any valuation, guards included */
    const uint32_t *future; /* all steps it could ever take, these included */
    bool several;           /* it stands for several identical processes */
    bool joint;             /* a first step may need others, and it is not known which */
    bool conditional;       /* which first steps it can take depends on the valuation */
    bool synchronises;      /* some are plain events, which others may have to take part in */
    bool faults;            /* some step that it could ever take may be a fault */
    bool labelled;          /* a first step may be an event, visible if it is not hidden */
    uint32_t event, events; /* where those stand that it may take with others first, how many */
};

/* An event that several processes take together, and the bits of them all. */
struct joint_event {
    label label;
    uint64_t processes;
};

struct outlooks {
    VECTOR(struct outlook) items; /* by process; none: the state is not made of processes */
    VECTOR(struct joint_event) events;
    uint32_t words; /* of one bit set */
};

void outlooks_init(struct outlooks *outlooks, struct budget *budget);
void outlooks_release(struct outlooks *outlooks);

/* Who takes the steps of a state, and who is where behind them. A place in a state need not stay
 * with one process: those that are alike may be counted, and others move up where one ends. */
struct followed {
    VECTOR(uint32_t) processes; /* by step */
    VECTOR(uint32_t) words;     /* who is where, in words of the front end, step by step */
    VECTOR(size_t) ends;        /* by step: where its words end */
};

void followed_init(struct followed *followed, struct budget *budget);
void followed_clear(struct followed *followed);
void followed_release(struct followed *followed);

/* The words of a step, and how many they are. */
static inline const uint32_t *followed_words(const struct followed *followed, size_t step,
                                             size_t *length)
{
    size_t start = step ? followed->ends.items[step - 1] : 0;
    *length = followed->ends.items[step] - start;
    return followed->words.items + start;
}

void successors_init(struct successors *successors, struct budget *budget);
void successors_clear(struct successors *successors);
void successors_release(struct successors *successors);

/* Appends a step that leads to a state of so many slots, and announces it. False when refused. */
bool successors_push(struct successors *successors, const struct step *step, const uint32_t *state,
                     uint32_t slots) MUST_CHECK;

struct model;

/* What one thread computes with: first in what a front end or a decorator makes of it. */
struct worker {
    const struct model *model; /* whose worker it is; not owned */
};

struct model_class {
    const char *name;
    bool announces; /* steps, with successors_push */

    /* Makes a worker of the model, which must outlive it; null when refused. */
    struct worker *(*worker_create)(const struct model *model)MUST_CHECK;
    void (*worker_destroy)(struct worker *worker);

    /* Appends the initial states (steps labelled LABEL_TAU). */
    enum status (*initial)(struct worker *worker, struct successors *out,
                           struct error *error) MUST_CHECK;

    /* Appends every step from `state`. STATUS_INPUT: a run-time fault of the model, with its
     * place. */
    enum status (*successors)(struct worker *worker, const uint32_t *state, struct successors *out,
                              struct error *error) MUST_CHECK;

    /* Finds the same steps in the same order for `steps`, as far as the model can: where states are
     * packed so, and all slots are bytes. Null: never. */
    enum status (*expand)(struct worker *worker, struct packed_steps *steps) MUST_CHECK;

    /* Appends the steps of one process of a state, as `successors` would, and maybe steps of
     * others, which step.processes tells. Right for those whose outlook is not joint. Null like
     * `outlooks`. */
    enum status (*process_steps)(struct worker *worker, const uint32_t *state, uint32_t process,
                                 struct successors *out, struct error *error) MUST_CHECK;

    /* Appends who takes each step `of` the successors of the state, all of them, where `who` says
     * who is where in it: the words of the step that led to it, none in an initial state. Processes
     * have numbers from 0, and keep them. Null: the places of processes are their numbers. */
    enum status (*follow)(struct worker *worker, const uint32_t *state, const uint32_t *who,
                          size_t length, const struct successors *of, struct followed *out,
                          struct error *error) MUST_CHECK;

    /* The value of condition `condition` (as the front end numbers them) in a state. */
    enum status (*evaluate)(struct worker *worker, uint32_t condition, const uint32_t *state,
                            int64_t *value, struct error *error) MUST_CHECK;

    /* Fills `out` with the outlook of each process of a state. Null where the front end cannot
     * tell. */
    enum status (*outlooks)(struct worker *worker, const uint32_t *state, struct outlooks *out,
                            struct error *error) MUST_CHECK;

    /* A number of a state on which its outlooks depend, and on nothing else of it. Null: there is
     * none. */
    uint32_t (*control)(const struct model *model, const uint32_t *state);

    /* The slots whose value may still be read in some future of a state before it is written, as a
     * bit set; the others may be changed at will. Null like `outlooks`. */
    enum status (*live)(struct worker *worker, const uint32_t *state, const uint32_t **live,
                        struct error *error) MUST_CHECK;

    /* Replaces a state by the one that stands for all those which behave alike. Null: by itself.
     * Steps lead to states as they are; who stores states calls this. */
    enum status (*represent)(struct worker *worker, uint32_t *state,
                             struct error *error) MUST_CHECK;

    /* Where one process has a single step, invisible, that stands for all: replaces the state by
     * what it leads to. *process: whose step it was, a bit of step.processes; UINT32_MAX if there
     * is none. Null: never. */
    enum status (*skip)(struct worker *worker, uint32_t *state, uint32_t *process,
                        struct error *error) MUST_CHECK;

    /* Renumbers what is alike in a state as `by` says, and brings it into the form that all
     * renumbered states have. Null where nothing is alike, or the front end cannot tell. */
    enum status (*turn)(struct worker *worker, uint32_t *state, struct renumbering by,
                        struct error *error) MUST_CHECK;

    /* Replaces a state by the one that stands for all which differ by their numbers (of some more
     * than one is left), in that form; *by: how it was renumbered. Null like `turn`. */
    enum status (*arrange)(struct worker *worker, uint32_t *state, struct renumbering *by,
                           struct error *error) MUST_CHECK;

    /* A label with what is alike renumbered; LABEL_REFUSED when refused. Null like `turn`. */
    label (*turn_label)(struct worker *worker, label l, struct renumbering by);

    /* Adds what a condition touches to a pair of bit sets, reads and then writes. Null like
     * `outlooks`. */
    void (*condition_touches)(const struct model *model, uint32_t condition, uint32_t *sets);

    /* How much numbers were given to so far, or was worked out, that the numbers, steps and forms
     * of states can depend on; it only grows. What is computed where it stays the same depends on
     * the state alone (explore/checkpoint.h). Null: the front end cannot tell. */
    uint64_t (*known)(const struct model *model);

    /* Appends what people should see of a state; with `before` only what differs from it. */
    void (*print)(const struct model *model, const uint32_t *state, const uint32_t *before,
                  struct text *text);
};

struct model {
    const struct model_class *class;
    struct labels *labels; /* not owned */
    struct budget *budget; /* not owned */
    uint32_t slots, identity_slots;
};

/* A worker of the model, which must outlive it; null when refused. */
struct worker *worker_create(const struct model *model) MUST_CHECK;
void worker_destroy(struct worker *worker); /* null: nothing */

/* For a model_class whose workers have nothing of their own. */
struct worker *worker_create_plain(const struct model *model) MUST_CHECK;
void worker_destroy_plain(struct worker *worker);

/* What the class of the worker's model does; as model_class says. */
static inline enum status worker_initial(struct worker *worker, struct successors *out,
                                         struct error *error)
{
    enum status status = worker->model->class->initial(worker, out, error);
    assert(status != STATUS_OK || out->states.length == out->steps.length * worker->model->slots);
    return status;
}

static inline enum status worker_successors(struct worker *worker, const uint32_t *state,
                                            struct successors *out, struct error *error)
{
    assert(worker->model->identity_slots <= worker->model->slots);
    enum status status = worker->model->class->successors(worker, state, out, error);
    assert(status != STATUS_OK || out->states.length == out->steps.length * worker->model->slots);
    return status;
}

static inline enum status worker_evaluate(struct worker *worker, uint32_t condition,
                                          const uint32_t *state, int64_t *found,
                                          struct error *error)
{
    return worker->model->class->evaluate(worker, condition, state, found, error);
}

/* As model_class.follow; `out` is emptied first. */
enum status worker_follow(struct worker *worker, const uint32_t *state, const uint32_t *who,
                          size_t length, const struct successors *of, struct followed *out,
                          struct error *error) MUST_CHECK;

/* A state stands for itself where the model does not say otherwise. */
static inline enum status worker_represent(struct worker *worker, uint32_t *state,
                                           struct error *error)
{
    const struct model_class *class = worker->model->class;
    return class->represent ? class->represent(worker, state, error) : STATUS_OK;
}

#endif
