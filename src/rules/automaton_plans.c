#include "rules/automaton_plans.h"

#define DEAD VIOLATION_DEAD

static bool is(struct letter letter, enum violation_event event, uint32_t method, unsigned colour)
{
    return letter.event == event && letter.method == method && letter.colour == colour;
}

/* ---- a value on its own ---- */

enum {
    FRESH,
    FRESH_ACCEPTED
};

/* b(1) returns before a(1) is called. */
static uint32_t step_fresh(const struct roles *roles, uint32_t state, struct letter letter)
{
    if (state == FRESH_ACCEPTED)
        return state;
    if (is(letter, VIOLATION_CALL, roles->adds, 1))
        return DEAD;
    return is(letter, VIOLATION_RETURN, roles->takes, 1) ? FRESH_ACCEPTED : state;
}

enum {
    REPEAT_ADDED = 1,
    REPEAT_TAKEN = 2,
    REPEAT_ACCEPTED = 4
};

/* b(1) returns twice, a(1) is called at most once. */
static uint32_t step_repeat(const struct roles *roles, uint32_t state, struct letter letter)
{
    if (state == REPEAT_ACCEPTED)
        return state;
    if (is(letter, VIOLATION_CALL, roles->adds, 1))
        return state & REPEAT_ADDED ? DEAD : state | REPEAT_ADDED;
    if (is(letter, VIOLATION_RETURN, roles->takes, 1))
        return state & REPEAT_TAKEN ? REPEAT_ACCEPTED : state | REPEAT_TAKEN;
    return state;
}

/* ---- a u b v: first in, first out ---- */

enum {
    ORDER_ACCEPTED = 4
};

/* a(1) returns before a(2) is called, and b(2) before b(1) is, if ever. */
static uint32_t step_order(const struct roles *roles, uint32_t state, struct letter letter)
{
    const struct letter path[] = {{VIOLATION_CALL, roles->adds, 1},
                                  {VIOLATION_RETURN, roles->adds, 1},
                                  {VIOLATION_CALL, roles->adds, 2},
                                  {VIOLATION_RETURN, roles->takes, 2}};
    if (state == ORDER_ACCEPTED)
        return state;
    if (is(letter, VIOLATION_CALL, roles->takes, 1))
        return DEAD;
    for (uint32_t i = 0; i < ORDER_ACCEPTED; i++)
        if (is(letter, path[i].event, path[i].method, path[i].colour))
            return i == state ? state + 1 : DEAD;
    return state;
}

/* ---- u m v: covered ---- */

/* A state: how many are surely inside, 0 to 2, and the phase, times 4. */
enum {
    BEFORE,
    DURING,
    AFTER,
    COVER_ACCEPTED = 3
};

static uint32_t covering(uint32_t phase, uint32_t inside)
{
    return phase * 4 + inside;
}

/* Values of colour 1 are surely inside from the return of a to the call of b; two at a time are
 * enough, for of three one can be left out. */
static uint32_t step_empty(const struct roles *roles, uint32_t state, struct letter letter)
{
    uint32_t phase = state / 4, inside = state % 4;
    if (phase == COVER_ACCEPTED)
        return state;
    if (is(letter, VIOLATION_RETURN, roles->adds, 1))
        return inside < (phase == BEFORE ? 1 : 2) ? covering(phase, inside + 1) : DEAD;
    if (is(letter, VIOLATION_CALL, roles->takes, 1))
        return inside == 2 ? covering(phase, 1) : DEAD;
    if (is(letter, VIOLATION_CALL, roles->finds, 2))
        return phase == BEFORE && inside == 1 ? covering(DURING, 1) : DEAD;
    if (is(letter, VIOLATION_RETURN, roles->finds, 2))
        return phase == DURING ? covering(COVER_ACCEPTED, 0) : DEAD;
    return state;
}

/* The same where m is a: 2 is never taken, and what covers it is, all of it. */
static uint32_t step_buried(const struct roles *roles, uint32_t state, struct letter letter)
{
    uint32_t phase = state / 4, inside = state % 4;
    if (letter.colour == 2 && letter.method == roles->takes)
        return DEAD;
    if (is(letter, VIOLATION_CALL, roles->adds, 2))
        return phase == BEFORE && inside == 1 ? covering(DURING, 1) : DEAD;
    if (is(letter, VIOLATION_RETURN, roles->adds, 2))
        return phase == DURING ? covering(AFTER, inside) : DEAD;
    if (is(letter, VIOLATION_RETURN, roles->adds, 1))
        return phase != AFTER && inside < (phase == BEFORE ? 1 : 2) ? covering(phase, inside + 1)
                                                                    : DEAD;
    if (is(letter, VIOLATION_CALL, roles->takes, 1)) {
        bool may = phase == AFTER ? inside > 0 : inside == 2;
        return may ? covering(phase, inside - 1) : DEAD;
    }
    return state;
}

/* ---- a u b v, matched: last in, first out ---- */

/* A state: 1 + 3 * values of colour 1 that are surely inside + those of colour 2. */
enum {
    NEST_START = 0,
    NEST_LATE = 100
};

static uint32_t step_nest(const struct roles *roles, uint32_t state, struct letter letter)
{
    bool adds = letter.method == roles->adds, takes = letter.method == roles->takes;
    if (letter.colour == 3 || (!adds && !takes))
        return state;
    if (state == NEST_START) {
        if (!is(letter, VIOLATION_CALL, roles->adds, 1))
            return is(letter, VIOLATION_RETURN, roles->adds, 1) ? 1 + 3 : DEAD;
        return state;
    }
    if (state == NEST_LATE)
        return letter.colour == 1 ? DEAD : state;
    uint32_t one = (state - 1) / 3, two = (state - 1) % 3;
    if (adds && letter.event == VIOLATION_CALL)
        return letter.colour == 1 ? DEAD : state;
    if (takes && letter.event == VIOLATION_RETURN)
        return state;
    if (adds)
        return one + two < 2 ? state + (letter.colour == 1 ? 3 : 1) : DEAD;
    if (one == 0 && two == 1 && letter.colour == 2)
        return NEST_LATE;
    if (one + two < 2 || (letter.colour == 1 ? one : two) == 0)
        return DEAD;
    return state - (letter.colour == 1 ? 3 : 1);
}

/* ---- blocks: a b* u, a b u ---- */

/* Bits. */
enum {
    ADDED = 1,     /* a(1) has been called; the next bit: a(2) */
    RETURNED = 4,  /* some event on 1 has returned; on 2 */
    PRECEDES = 16, /* some event on 1 precedes one on 2; the other way round */
    BOTH = 3 * PRECEDES,
    TAKEN = 64,     /* b(1) has been called; b(2) */
    OVERLAPS = 256, /* what step_overlap looks for is there */
};

/* What an event adds to the bits of precedence. */
static uint32_t precede(uint32_t state, struct letter letter)
{
    unsigned this = letter.colour - 1, other = 2 - letter.colour;
    if (letter.event == VIOLATION_RETURN)
        return state | (uint32_t)RETURNED << this;
    return state & (uint32_t)RETURNED << other ? state | (uint32_t)PRECEDES << other : state;
}

/* Each value is that of a whole block. */
static uint32_t step_conflict(const struct roles *roles, uint32_t state, struct letter letter)
{
    bool adds = letter.method == roles->adds, takes = letter.method == roles->takes;
    if (letter.colour == 3 || (!adds && !takes))
        return state;
    if (adds && letter.event == VIOLATION_CALL) {
        if (state & (uint32_t)ADDED << (letter.colour - 1))
            return DEAD;
        state |= (uint32_t)ADDED << (letter.colour - 1);
    }
    if ((state & BOTH) == BOTH)
        return state;
    state = precede(state, letter);
    return (state & BOTH) == BOTH ? state & (BOTH | 3 * ADDED) : state;
}

/* 2 is that of a whole block; 1, too, or else it is only added. */
static uint32_t step_overlap(const struct roles *roles, uint32_t state, struct letter letter)
{
    bool adds = letter.method == roles->adds, takes = letter.method == roles->takes;
    if (letter.colour == 3 || (!adds && !takes))
        return state;
    uint32_t called = (uint32_t)(adds ? ADDED : TAKEN) << (letter.colour - 1);
    if (letter.event == VIOLATION_CALL && (state & called))
        return DEAD;
    if (letter.event == VIOLATION_CALL)
        state |= called;
    state = precede(state & ~(uint32_t)OVERLAPS, letter);
    bool whole = (state & 2 * TAKEN) && (state & ADDED) && (state & 2 * ADDED);
    bool first = (state & BOTH) == BOTH || !(state & TAKEN);
    return whole && (state & PRECEDES) && first ? state | OVERLAPS : state;
}

/* Two values that are only added. */
static uint32_t step_alone(const struct roles *roles, uint32_t state, struct letter letter)
{
    if (letter.colour == 3 || !(roles->others >> letter.method & 1))
        return state;
    if (letter.method != roles->adds)
        return DEAD;
    if (letter.event == VIOLATION_RETURN)
        return state;
    uint32_t called = (uint32_t)ADDED << (letter.colour - 1);
    return state & called ? DEAD : state | called;
}

/* ---- m u: first of all ---- */

enum {
    INIT_START,
    INIT_OVER,
    INIT_ACCEPTED
};

static uint32_t step_init(const struct roles *roles, uint32_t state, struct letter letter)
{
    if (state == INIT_ACCEPTED)
        return state;
    if (letter.event == VIOLATION_RETURN && letter.colour == 1 &&
        (roles->others >> letter.method & 1))
        return INIT_OVER;
    if (is(letter, VIOLATION_CALL, roles->finds, 2))
        return state == INIT_OVER ? INIT_ACCEPTED : DEAD;
    return state;
}

/* A row for each: kind, what it finds, step, initial state, mask, accepting bits, whole. */
#define ALL UINT32_MAX
const struct plan plan_fresh = {
    "fresh", "a value is taken before it is added", step_fresh, FRESH, ALL, FRESH_ACCEPTED, false};
const struct plan plan_repeat = {"repeat", "a value is taken twice", step_repeat, 0,
                                 ALL,      REPEAT_ACCEPTED,          false};
const struct plan plan_order = {
    "order", "of two values the later one is taken first", step_order, 0, ALL, ORDER_ACCEPTED,
    false};
const struct plan plan_empty = {
    "empty", "nothing is found while some value is inside", step_empty, 0, ALL, 4 * COVER_ACCEPTED,
    false};
const struct plan plan_buried = {
    "order", "what was added while others were inside stays below", step_buried, 0, ALL, 4 * AFTER,
    true};
const struct plan plan_nest = {
    "order", "a value is taken from below others", step_nest, NEST_START, ALL, NEST_LATE, true};
const struct plan plan_conflict = {
    "conflict", "of two values each is seen after the other", step_conflict, 0, BOTH, BOTH, true};
const struct plan plan_overlap = {
    "conflict", "of two values neither comes first", step_overlap, 0, OVERLAPS, OVERLAPS, true};
const struct plan plan_alone = {
    "pair", "two values are added, and neither is taken", step_alone, 0, ALL, 3 * ADDED, true};
const struct plan plan_init = {"init",    "the initial value is found after another one was",
                               step_init, INIT_START,
                               ALL,       INIT_ACCEPTED,
                               false};
