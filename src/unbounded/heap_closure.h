/* The set of views that a proof closes (unbounded/heap_proof.h), the effects of their steps, and
 * what these make of other views. What is found on the way that must not be ends the proof. */
#ifndef UNBOUNDED_HEAP_CLOSURE_H
#define UNBOUNDED_HEAP_CLOSURE_H

#include "unbounded/heap_effects.h"
#include "unbounded/heap_placement.h"
#include "unbounded/heap_readings.h"
#include "unbounded/heap_specification.h"

enum heap_failure_kind {
    HEAP_PROVED,
    HEAP_FAULT,         /* an operation does what it must not do, or may answer what none does */
    HEAP_NO_EFFECT,     /* it answers without having taken effect */
    HEAP_SECOND_EFFECT, /* it takes effect twice */
    HEAP_OTHER_ANSWER,  /* it answers something else than it took effect with */
    HEAP_OPEN_ANSWER,   /* where it takes effect it is not known what it will answer */
    HEAP_WRONG_EMPTY,   /* what it answers was not so where it last looked */
    HEAP_ACCEPTED,      /* the automaton accepts */
    HEAP_NOT_MET,       /* who it meets does not run, or has taken effect */
    HEAP_LOST,          /* a value that is surely inside is where not all threads see it */
    HEAP_MISPLACED,     /* a value is put into a second node, or written over */
    HEAP_MOVED_BACK,    /* a variable that is relied on to move on does not */
    HEAP_TOO_LARGE,     /* a view or an effect has no room */
    HEAP_LIMIT,
};

struct heap_failure {
    enum heap_failure_kind kind;
    uint16_t operation;
    uint32_t at;
    uint32_t view;      /* number, whose step it is */
    const char *reason; /* of HEAP_TOO_LARGE */
};

/* How a view came about: by a step of its thread, or of another one. */
struct heap_cause {
    uint32_t at; /* the instruction, + 1 */
    bool is_other;
    bool is_doubtful; /* one view became several: which heap it is was not known */
};

/* A step that an operation can take. */
struct heap_candidate {
    uint16_t operation;
    uint32_t at;
    bool changes; /* it may change something that others see */
    bool given;   /* it may come by a `linearize` */
};

struct heap_proof {
    struct heap_steps steps;
    const struct alphabet *alphabet;                /* null: what observes is the specification */
    const struct heap_specification *specification; /* likewise; not owned */
    uint32_t initial;                               /* state of what observes */
    const struct heap_placement *placement;         /* null: nothing observes, to find candidates */
    bool watches; /* what observes is enum heap_watch; the alphabet has its colours only */
    uint8_t
        acts_alone; /* the value, if any, of which only who takes a step now may be the bringer */
    struct word_arrays views, groups, effect_words;
    VECTOR(uint32_t) parents;         /* by view: from which it comes; UINT32_MAX: an initial one */
    VECTOR(struct heap_cause) causes; /* by view */
    VECTOR(uint32_t) group_of, next_view;      /* by view: those with one shared part, in a list */
    VECTOR(uint32_t) first_view, first_effect; /* by group */
    VECTOR(uint32_t) next_effect;              /* by effect */
    VECTOR(struct heap_ready_effect *) effects;
    VECTOR(uint32_t) effect_group, effect_at; /* by effect; the instruction, + 1 */
    struct heap_cause cause;                  /* of the views that are added now */
    VECTOR(struct heap_candidate) candidates; /* without an observer; */
    uint32_t moved_back;                      /* shared variables that do not move on */
    uint32_t released;                        /* and shared variables that became false, */
    uint8_t released_fields[16];              /* and fields, by pool */
    struct arena arena;
    bool adds[HEAP_MOST_OPERATIONS][VIOLATION_COLOURS + 1][VIOLATION_MOST_STATES];
    unsigned once; /* bits: colours of which the automaton reads at most one call */
    struct heap_failure failure;
    uint64_t merges;
    unsigned looked; /* at the limits, times 64 */
    struct budget *budget;
    const struct limits *limits;
    struct error *error;
    bool refused;
};

/* A step of the thread of a view. */
struct heap_taking {
    struct heap_proof *proof;
    uint32_t number;
    const struct heap_view *view; /* that one */
    uint32_t state; /* of what observes, as the step's operation finds it: others may have taken
                       effect in the step before it does */
};

/* Ends the proof: the first failure counts. It is that of a view's step at an instruction, + 1. */
void heap_closure_fail(struct heap_proof *proof, enum heap_failure_kind kind, uint16_t operation,
                       uint32_t at, uint32_t view);
void heap_closure_fail_for_size(struct heap_proof *proof, uint32_t view, const char *reason);

/* The number of a thread's operation: of a view of one that runs some. */
uint32_t heap_closure_operation(const struct heap_proof *proof, const struct heap_view *view);

/* The promise of an operation, with what the specification could answer in a state without changing
 * it. */
uint32_t heap_closure_see(struct heap_proof *proof, uint32_t operation, uint32_t state,
                          uint32_t promise);

/* Whether an operation brings the value that is watched. */
bool heap_closure_is_first(const struct heap_proof *proof, uint32_t operation, uint32_t promise);

/* The promise of a read that takes effect at some moment, with what was written last in a state of
 * what is watched. */
uint32_t heap_closure_see_written(const struct heap_proof *proof, uint32_t operation,
                                  uint32_t state, uint32_t promise);

/* Whether an operation of a view that has not taken effect never can, in a run that the automaton
 * accepts: it would add a value that is there already. */
bool heap_closure_is_dead(const struct heap_proof *proof, const struct heap_view *view);

/* Adds a view, not arranged, that comes from another one; UINT32_MAX: it is an initial one. */
void heap_closure_add(struct heap_proof *proof, const struct heap_view *view, uint32_t from);

/* A view of the set. */
void heap_closure_get(const struct heap_proof *proof, uint32_t number, struct heap_view *view);

/* Adds the view behind a step, and what others see of it. */
void heap_closure_emit(const struct heap_taking *taking, const struct heap_step *step,
                       uint32_t observer, uint32_t promise);

/* Adds what an effect makes of a view; both by number, with the same shared part. */
void heap_closure_apply(struct heap_proof *proof, uint32_t effect, uint32_t view);

/* Whether a limit is reached, which ends the proof; looked at now and then. */
bool heap_closure_is_out_of_time(struct heap_proof *proof);

#endif
