/* Where operations take effect, and what the operation of a view is held to
 * (unbounded/heap_proof.h).
 */
#ifndef UNBOUNDED_HEAP_PLACEMENT_H
#define UNBOUNDED_HEAP_PLACEMENT_H

#include "unbounded/heap_specification.h"

#define HEAP_MOST_OPERATIONS 8

/* Instructions, + 1; 0: none. */
struct heap_point {
    uint32_t changing, reading;
    bool given;       /* the steps that come by a `linearize`, and no others */
    uint32_t meeting; /* where it meets who brings what it answers, if it changes something there */
    bool always;      /* it takes effect at `changing` if it changes nothing there, too */
    bool spans;       /* none of these: its call and its return are read */
    bool moment;      /* it takes effect at some moment at which what it answers was written last */
    bool settles;     /* at `changing`, if it changes something there, it is settled what value it
                         takes; if it finds nothing it takes effect nowhere in particular */
};

struct heap_placement {
    struct heap_point points[HEAP_MOST_OPERATIONS]; /* by operation */
    bool meets;     /* one of them has a step where it does; or `helps` */
    bool helps;     /* points are given for who is met: the steps that come by one for another
                       thread's operation, which is that of the value which they say */
    bool moments;   /* all that do not bring values take effect at some moment; then `meets` */
    uint16_t adder; /* who is met */
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

/* Where reads take effect at some moment, it is watched besides what was written last. */
enum heap_last_write {
    HEAP_LAST_NOTHING,
    HEAP_LAST_FIRST, /* the value of colour 1 */
    HEAP_LAST_OTHER,
};

static inline uint32_t heap_watch_state(enum heap_watch watch, enum heap_last_write written)
{
    return (uint32_t)watch | (uint32_t)written << 2;
}

static inline enum heap_watch heap_watch_of(uint32_t state)
{
    return (enum heap_watch)(state & 3);
}

static inline enum heap_last_write heap_last_write_of(uint32_t state)
{
    return (enum heap_last_write)(state >> 2);
}

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

/* Who is met, and brings a value: an operation that answers it meets who brings it. */
static inline struct thread_move heap_met(const struct heap_placement *placement, uint8_t brought)
{
    return (struct thread_move){
        .operation = placement->adder, .calls = true, .argument = brought, .answer = ANSWER_PLAIN};
}

/* What the operation of a view's thread is held to, in heap_view.promise: besides, what it was
 * called with, until it has taken effect. Where a specification observes, it has been taken or not;
 * until then the promise has, bit by bit, the answers that the specification could have given
 * at some moment since the call without changing its state. Of an operation that takes effect at
 * some moment it has what was written last at one of those since the call (enum heap_last_write).
 */
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

#endif
