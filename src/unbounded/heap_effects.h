/* What the steps of a thread do to the views of others: interference. An *effect* is a step cut
 * down to what others may see of it: what is shared, the nodes that it writes or refers to, and
 * what it writes there. It happens to a view whose shared part is that of the effect, in every way
 * in which these nodes may be, or not be, among those of the view. */
#ifndef UNBOUNDED_HEAP_EFFECTS_H
#define UNBOUNDED_HEAP_EFFECTS_H

#include "base/arena.h"
#include "unbounded/heap_steps.h"

#define HEAP_MOST_CHANGES 12

/* A word that is written: of the shared variables, or of a node of the effect's view. */
struct heap_change {
    bool is_shared, is_reference;
    uint8_t node, word; /* index of the node and its field; or of the variable */
    uint32_t value;     /* a reference is to a node of the effect's view */
};

struct heap_effect {
    struct heap_view before; /* arranged; nodes that were the thread's own are `own` */
    uint32_t observer;       /* afterwards */
    uint8_t by_bringer;      /* its thread runs the only operation that brings this value; 0: no */
    uint32_t taken;          /* as in struct heap_step */
    uint32_t change_count;
    struct heap_change changes[HEAP_MOST_CHANGES];
};

/* What is asked of each view to which an effect may happen, worked out once. */
struct heap_ready_effect {
    struct heap_effect effect;
    uint64_t shared; /* nodes that its shared variables lead to: bits */
    uint32_t count;  /* words of what its thread has seen, locks aside */
    uint32_t seen[];
};

enum heap_cut {
    HEAP_CUT_NOTHING, /* others see nothing of the step */
    HEAP_CUT_MADE,
    HEAP_CUT_TOO_LARGE,
};

/* Calls `each` with the effects of a step, behind which the observer is in some state: one for each
 * way in which runs may be behind the nodes that it names. */
enum heap_cut heap_effect_make(const struct heap_shape *shape, const struct heap_step *step,
                               uint32_t observer,
                               void (*each)(void *user, const struct heap_effect *effect),
                               void *user);

/* Whether a step writes anything that others may see. */
bool heap_step_changes(const struct heap_shape *shape, const struct heap_step *step);

/* Writes an effect as words: equal effects, equal words; returns how many. */
#define HEAP_MOST_EFFECT_WORDS (HEAP_MOST_WORDS + 3 + 3 * HEAP_MOST_CHANGES)
size_t heap_effect_write(const struct heap_shape *shape, const struct heap_effect *effect,
                         uint32_t *words);

/* What all threads see of a view: its observer, the shared variables and what these lead to. In
 * words, at most HEAP_MOST_WORDS; returns how many. */
size_t heap_view_cut(const struct heap_shape *shape, const struct heap_view *view, uint32_t *words);

/* Null if it is refused, or there is no room. */
struct heap_ready_effect *heap_effect_prepare(const struct heap_shape *shape,
                                              const struct heap_effect *effect,
                                              struct arena *arena);

/* Calls `each` with the views, not arranged, that an effect makes of one with the same shared part.
 * False if there was no room for the nodes of one. */
typedef void heap_effect_user(void *user, const struct heap_view *view);
bool heap_effect_apply(const struct heap_shape *shape, const struct heap_ready_effect *ready,
                       const struct heap_view *view, heap_effect_user *each, void *user) MUST_CHECK;

#endif
