/* Whether an implementation whose heap has no bound is linearizable for any number of threads, by
 * closing a set of views under the steps of each thread and the effects of others.
 *
 * A *placement* says at which of its steps each operation takes effect: as it changes something
 * there; and, for one that changes nothing, at which reading step it was last seen what it answers.
 * Or it takes effect where its text says so, whatever the step does.
 * An operation that takes a value away may have a step besides in which it *meets*: there the
 * operation that brings this value takes effect, whoever runs it, and then itself.
 * An operation that only brings a value may take effect nowhere in particular: then it *spans*, and
 * its call and its return are read where they are. Where no points are known, it is settled at a
 * step of each other operation what value it takes (unbounded/heap_marks.h).
 * A violation automaton reads the operations in the order in which they take effect. If in no view
 * it accepts, and none answers something else than it did there, then every history is
 * linearizable. */
#ifndef UNBOUNDED_HEAP_PROOF_H
#define UNBOUNDED_HEAP_PROOF_H

#include "unbounded/heap_effects.h"
#include "unbounded/heap_readings.h"
#include "unbounded/heap_specification.h"

#define HEAP_MOST_OPERATIONS 8

/* Instructions, + 1; 0: none. */
struct heap_point {
    uint32_t changing, reading;
    bool given;       /* the steps that come by a `linearize`, and no others */
    uint32_t meeting; /* where it meets who brings what it answers, if it changes something there */
    bool always;      /* it takes effect at `changing` if it changes nothing there, too */
    bool spans;       /* none of these: its call and its return are read */
    bool settles;     /* at `changing`, if it changes something there, it is settled what value it
                         takes; if it finds nothing it takes effect nowhere in particular */
};

struct heap_placement {
    struct heap_point points[HEAP_MOST_OPERATIONS]; /* by operation */
    bool meets;                                     /* one of them has a step where it does */
    uint16_t adder;                                 /* who is met */
};

/* Where operations meet, that each takes effect once, between its call and its return, is watched
 * beside the automata: of who brings the value of colour 1, in one call, it is seen how far it is.
 */
enum heap_watch {
    HEAP_WATCH_NOT_CALLED,
    HEAP_WATCH_RUNS,
    HEAP_WATCH_ADDED, /* it has taken effect */
};
#define HEAP_WATCH_COLOURS (1u << 1 | 1u << 2) /* of its alphabet; it reads no word */

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

/* Whether an operation takes effect in a step, which changes something or not. */
static inline bool heap_point_is_at(const struct heap_point *point, const struct thread_move *move,
                                    uint32_t at, bool changes)
{
    return point->given ? move->points > 0 : (changes || point->always) && at == point->changing;
}

/* Whether it meets another one there. */
static inline bool heap_point_meets(const struct heap_point *point, uint32_t at, bool changes)
{
    return changes && at == point->meeting;
}

/* Who is met by an operation that answers as `whole` says. */
static inline struct thread_move heap_met(const struct heap_placement *placement,
                                          const struct thread_move *whole)
{
    return (struct thread_move){.operation = placement->adder,
                                .calls = true,
                                .argument = whole->result,
                                .answer = ANSWER_PLAIN};
}

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

/* What the operation of a view's thread is held to, in heap_view.promise: besides, what it was
 * called with, until it has taken effect. Where a specification observes, it has been taken or not;
 * until then the promise has, bit by bit, the answers that the specification could have given
 * at some moment since the call without changing its state. */
enum heap_promise {
    HEAP_PROMISE_NONE,
    HEAP_PROMISE_TAKEN, /* it has taken effect, with this answer */
    HEAP_PROMISE_RIGHT, /* it has read, where this would have been its answer */
    HEAP_PROMISE_WRONG, /* likewise, and it would have been wrong */
};

static inline uint32_t heap_promise_make(enum heap_promise kind, const struct thread_move *answer)
{
    return (uint32_t)kind | (uint32_t)answer->answer << 2 | (uint32_t)answer->result << 10;
}

static inline enum heap_promise heap_promise_kind(uint32_t promise)
{
    return (enum heap_promise)(promise & 3);
}

/* Where a specification observes. */
#define HEAP_PROMISE_SEEN_SHIFT 2
static inline uint32_t heap_promise_seen(uint32_t promise)
{
    return promise >> HEAP_PROMISE_SEEN_SHIFT & ((1u << HEAP_MOST_ANSWERS) - 1);
}

/* The number of the answer with which it has taken effect. */
static inline uint32_t heap_promise_answer(uint32_t promise)
{
    return promise >> 10 & 0xff;
}

static inline uint32_t heap_promise_answered(uint8_t answer)
{
    return HEAP_PROMISE_TAKEN | (uint32_t)answer << 10;
}

static inline uint32_t heap_promise_of_argument(uint8_t argument)
{
    return (uint32_t)argument << 18;
}

static inline uint32_t heap_promise_of_call(const struct thread_move *call)
{
    return heap_promise_of_argument(call->argument);
}

/* The value that it was called with; 0: none, or it has taken effect. */
static inline uint8_t heap_promise_argument(uint32_t promise)
{
    return (uint8_t)(promise >> 18);
}

/* An operation that spans, with the value that it was called with: the letter of the alphabet as
 * which it was read there. It has not taken effect, and never will. */
static inline uint32_t heap_promise_of_span(uint32_t letter, uint8_t argument)
{
    return HEAP_PROMISE_NONE | (letter + 1) << 2 | heap_promise_of_argument(argument);
}

static inline bool heap_promise_is_span(uint32_t promise)
{
    return heap_promise_kind(promise) == HEAP_PROMISE_NONE && (promise >> 2 & 0xff);
}

static inline uint32_t heap_promise_letter(uint32_t promise)
{
    return (promise >> 2 & 0xff) - 1;
}

static inline bool heap_promise_is(uint32_t promise, const struct thread_move *answer)
{
    const uint32_t of_call = UINT32_C(0xff) << 18 | 3;
    return ((promise ^ heap_promise_make(HEAP_PROMISE_NONE, answer)) & ~of_call) == 0;
}

/* The system and the alphabet, or the specification that is set afterwards, must outlive it. */
void heap_proof_init(struct heap_proof *proof, struct thread_system *system,
                     const struct heap_shape *shape, const struct alphabet *alphabet,
                     const struct heap_placement *placement, struct budget *budget,
                     const struct limits *limits, struct error *error);
void heap_proof_release(struct heap_proof *proof);

/* What observes is enum heap_watch; the alphabet is one with its colours. */
void heap_proof_watch(struct heap_proof *proof);

/* Closes the set of views, until it is closed or proof->failure says why not. STATUS_LIMIT when out
 * of memory. */
enum status heap_proof_run(struct heap_proof *proof) MUST_CHECK;

/* The causes of the view of the failure, from an initial one on, the last ones as many as there is
 * room for; returns how many there are. */
#define HEAP_MOST_CAUSES 16
uint32_t heap_proof_path(const struct heap_proof *proof, struct heap_cause path[HEAP_MOST_CAUSES]);

/* Whether an arranged view is in the closed set, or one that need not be: of an operation that can
 * take effect in no run that the automaton accepts. */
bool heap_proof_covers(const struct heap_proof *proof, const struct heap_view *view);

#endif
