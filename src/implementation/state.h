/* A `.lin` model at work: what its parts share, and where the parts of a state stand.
 * implementation/model.h is on top of them. */
#ifndef IMPLEMENTATION_STATE_H
#define IMPLEMENTATION_STATE_H

#include "code/choices.h"
#include "implementation/native_abi.h"
#include "implementation/steps.h"
#include "model/model.h"
#include "model/turning.h"

#define MOST_ARGUMENTS  16
#define MOST_COMPONENTS (MOST_ARGUMENTS + 2)  /* of a label: the thread, the answer */
#define LIN_MOST_POINTS (MOST_COMPONENTS - 2) /* of a step: a call and an answer come besides */
#define MOST_POOLS      64
#define LIN_MOST_JOINED 1000 /* steps that join one; more would be a loop that ends for nobody */

/* What is chosen when a model is made. */
struct lin_options {
    /* What is made one step, or one state. None of it changes which histories there are up to
     * earlier calls and later answers; docs/internals/reductions.md argues why. */
    bool intervals;  /* a call joins the first step behind it, an answer the step before it */
    bool local;      /* a step that no other thread can notice joins the one before it */
    bool write_once; /* so does one that reads write-once fields and does nothing else */
    bool pure;       /* an iteration that leaves nothing behind is not taken to its end */
    bool stale;      /* nor is a step to a state in which some thread can but come back so */
    bool decided;    /* a step that comes out the same at any time goes before all others */
    /* Suppositions (implementation/step_accesses.h) that are known to be wrong; the others are
     * relied on, and steps that show one to be wrong end the search with STATUS_LIMIT, and add it.
     * Null: none is relied on. */
    _Atomic uint64_t *refuted;
    bool forget; /* locals that will not be read again are no part of the state, */
    bool fields; /* nor are fields of nodes (implementation/fields.h) */
    bool names;  /* nodes keep their numbers: for executions that are shown */

    /* What is alike, and renumbered by who arranges states (reduce/symmetry.h): steps lead to
     * states whose nodes are in no order then. */
    bool symmetry; /* threads that could be exchanged, see lin_model_is_symmetric */
    bool values;   /* values; the caller knows that the specification leaves them opaque */

    bool ignores_faults; /* what the algorithm must not do it does not do */
    bool tells_changes;  /* labels say which steps others may notice (implementation/changes.h), and
                            nothing  else */
    bool shows_errors;   /* of a thread whose step shows the model to be wrong that step is labelled
                            model->error, and its others are left out; else: STATUS_INPUT */
};

/* Whether a symmetry (reduce/symmetry.h) goes on top of a model with these. */
static inline bool lin_is_arranged(const struct lin_options *options)
{
    return options->symmetry || options->values;
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

struct lin_native;
struct lin_native_functions;

#define LIN_KNOWN_LABELS 256

/* The label of a call or an answer that a worker has made: of an operation, with one word. */
struct lin_known_label {
    uint32_t of, thread, word; /* `of`: an instruction, or behind the last one an operation */
    label label;               /* LABEL_TAU: none is known here */
};

#define LIN_KNOWN_EVENT_BITS 9

/* What an event of compiled steps is labelled; all 0: none is known here. */
struct lin_known_event {
    uint64_t keys, by; /* the former's complement */
    label label;
};

/* Of an instruction: whether its step may end without anything shared being touched, from before it
 * on, and, where it is a STEP, which ends the one before it, from behind it. */
struct lin_quiet {
    bool before, behind;
};

/* Does not change once it is made. */
struct lin_model {
    struct model model; /* first */
    const struct lin_steps *steps;
    struct lin_options options;
    VECTOR(struct lin_own_items) own;
    VECTOR(struct lin_own_word) own_words; /* of all of these */
    label fault, error;                    /* the labels of LABEL_FAULT and LABEL_ERROR */
    VECTOR(const char *) operation_names;  /* by entry; texts of the labels */
    VECTOR(const char *) symbol_names;     /* by symbol; null of `ok` and `empty` */
    const char *open_answer;               /* "?": a point leaves the answer to the response */
    VECTOR(label) notes; /* by instruction that a thread stands before: how its step is shown */
    VECTOR(struct lin_quiet) quiet; /* by instruction (implementation/quiet_steps.h) */
    struct lin_native *native;      /* compiled steps (implementation/native.h), or null; owned */
    bool links;                     /* the implementation uses ll */
    bool frees;                     /* it gives nodes back */
    uint32_t most_expanded; /* where steps can be taken at once: as native_source.h has it */
    uint64_t supposed;      /* set of suppositions that are relied on */
};

/* Whether it is asked of steps that have been taken whether others notice them at any time. */
static inline bool lin_asks_unnoticed(const struct lin_model *model)
{
    return model->options.refuted || (model->options.decided && model->steps->writes_fresh);
}

/* What one thread computes with. */
struct lin_worker {
    struct worker worker; /* first */
    const struct lin_model *model;
    struct lin_options options; /* the model's, but while `init` runs */
    label point;                /* of the running step, or several; LABEL_TAU: none */
    uint32_t owner;             /* the thread whose operation had its last point */
    VECTOR(uint32_t) before;    /* a copy of the state that is expanded */
    VECTOR(uint32_t) after;     /* the state that a step is building */
    VECTOR(uint32_t) saved;     /* before a step that may join the one before it */
    VECTOR(uint32_t) called;    /* behind a call, before the operation's first step */
    VECTOR(uint32_t) moved;     /* while nodes are renumbered: the old heap */
    VECTOR(uint32_t) numbers;   /* by old node: 1 + its new number */
    VECTOR(uint32_t) order;     /* nodes found, to be looked through */
    VECTOR(uint64_t) reads;     /* by node: its fields that may be read */
    VECTOR(datum) stack;
    struct choices choices;
    VECTOR(uint32_t) touched; /* nodes that the running step follows references to: pool, number;
                                 but those of which it reads write-once fields */
    bool touches_shared;      /* it touches something else that is shared */
    bool reads_write_once;    /* it reads write-once fields, which the options let it do */
    bool is_unnoticed;        /* the first step of what runs is one that nobody else notices, */
    bool are_unnoticed;       /* and so are those of all ways of the last step */
    uint64_t wrong;           /* suppositions that a step has shown to be wrong */
    const uint32_t *stood;    /* the state in which the thread stood before what runs; null: it did
                                 not, but was called */
    uint32_t stood_at;        /* before which STEP */
    bool leads_on;            /* no way of the last step is seen by others, or leads back */
    bool is_pure;             /* it has come back to where it began an iteration, for nothing */
    bool exhausted;           /* its `new` waits on a pool of default size */
    const struct lin_native_functions *native; /* compiled steps, once there are some; else null */
    uint64_t expanded, patience; /* states so far; those until compiled steps are asked for again */
    uint64_t touched_nodes;      /* by compiled code, in place of `touched`: all pools in one row */
    bool ran_native;             /* the running step did: not by the interpreter */
    struct lin_known_label known[LIN_KNOWN_LABELS]; /* some of them, by hash */
    VECTOR(label) labels;  /* by key, where steps are taken at once; LABEL_TAU, or none: unknown */
    VECTOR(uint32_t) keys; /* of such steps, */
    VECTOR(struct lin_native_event) events;                         /* or these */
    struct lin_known_event known_events[1 << LIN_KNOWN_EVENT_BITS]; /* some of them, by hash */
    VECTOR(uint64_t) object; /* of a program: a state of the specification */
    struct outcomes outcomes;
    char reason[SUCCESSORS_FAULT]; /* of the last fault that was met, its place and what is wrong */
    size_t what;                   /* where the latter begins */
};

static inline struct lin_worker *lin_worker_create(const struct lin_model *model)
{
    return (struct lin_worker *)worker_create(&model->model);
}

static inline void lin_worker_destroy(struct lin_worker *worker)
{
    worker_destroy((struct worker *)worker);
}

static inline uint32_t *thread_slots(const struct lin_steps *steps, uint32_t *slots,
                                     uint32_t thread)
{
    return slots + steps->thread_first + thread * steps->thread_words;
}

static inline const uint32_t *thread_slots_of(const struct lin_steps *steps, const uint32_t *slots,
                                              uint32_t thread)
{
    return slots + steps->thread_first + thread * steps->thread_words;
}

static inline bool is_at_code(const uint32_t *own)
{
    return own[LIN_THREAD_AT] != 0 && own[LIN_THREAD_AT] != LIN_THREAD_FAULTED;
}

/* The operation that an instruction belongs to; of `init`, whose locals nobody renames, some one.
 */
static inline const struct lin_entry *entry_at(const struct lin_steps *steps, uint32_t instruction)
{
    static const struct lin_entry none = {.only = -1};
    uint32_t entry = 0;
    if (steps->object->operation_count == 0)
        return &none;
    while (entry + 1 < steps->object->operation_count &&
           steps->entries[entry + 1].start <= instruction)
        entry++;
    return &steps->entries[entry];
}

/* Where each pool's nodes begin when all are numbered in one row; returns how many there are. */
static inline uint32_t pool_starts(const struct lin_steps *steps, uint32_t starts[MOST_POOLS])
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        starts[i] = total;
        total += steps->pools[i].nodes;
    }
    return total;
}

static inline struct lin_known_label *lin_known_label(struct lin_worker *worker, uint32_t of,
                                                      uint32_t thread, uint32_t word)
{
    const uint32_t hash = (of * 31 + thread) * 31 + word;
    return &worker->known[hash % LIN_KNOWN_LABELS];
}

static inline bool lin_label_is_known(const struct lin_known_label *known, uint32_t of,
                                      uint32_t thread, uint32_t word)
{
    return known->label != LABEL_TAU && known->of == of && known->thread == thread &&
           known->word == word;
}

#endif
