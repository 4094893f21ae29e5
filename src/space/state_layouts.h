/* The layouts (space/state_layout.h) that a table of states has had, each for all that those before
 * it can hold: the last is in use. The parts of a graph that threads add to share theirs: what
 * values there are is found out once, not by each part for itself. */
#ifndef SPACE_STATE_LAYOUTS_H
#define SPACE_STATE_LAYOUTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/vector.h"
#include "space/state_layout.h"

struct state_layouts {
    struct budget *budget;
    uint32_t slots, identity;
    bool is_large;                       /* a layout is as large as a state: there are to be few */
    pthread_mutex_t lock;                /* of `items` */
    VECTOR(struct state_layout *) items; /* owned */
    _Atomic(const struct state_layout *) last; /* of these; null: none */
};

/* A state as the bits of one layout, made before it is known whether the state is there. */
struct packed_state {
    uint64_t *words;                   /* a word more than the state has slots */
    const struct state_layout *layout; /* that was tried; null: none */
    bool fits;                         /* it can hold what says which state it is, */
    bool whole;                        /* which is all of it */
    uint32_t *slots; /* where they are to be written before they are looked at: only the words are
                        known; null: they are */
};

void state_layouts_init(struct state_layouts *layouts, struct budget *budget, uint32_t slots,
                        uint32_t identity, bool is_large);
void state_layouts_release(struct state_layouts *layouts); /* there are none then */

/* None is in use any more; who has one may read it still. */
static inline void state_layouts_retire(struct state_layouts *layouts)
{
    atomic_store_explicit(&layouts->last, NULL, memory_order_release);
}

/* The one in use; null: there is none. Whoever has it may read it as long as the layouts are there.
 */
static inline const struct state_layout *state_layouts_last(const struct state_layouts *layouts)
{
    return atomic_load_explicit(&layouts->last, memory_order_acquire);
}

/* Tries the one in use for what says which state it is. */
void state_layouts_pack(const struct state_layouts *layouts, const uint32_t *state,
                        struct packed_state *packed);

/* One that can hold the state: that in use, else a wider one, which is from then on. `words`:
 * scratch, as of a packed state. Null when refused. Threads may call it at the same time. */
const struct state_layout *state_layouts_for(struct state_layouts *layouts, const uint32_t *state,
                                             uint64_t *words) MUST_CHECK;

/* Begins, where there are none, with the one that others have in use, which can hold this state.
 * False when refused. */
bool state_layouts_begin_like(struct state_layouts *layouts, const struct state_layouts *others,
                              const uint32_t *state) MUST_CHECK;

#endif
