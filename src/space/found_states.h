/* States on their way to a store: what one thread has found for another to add, once all threads
 * have stopped reading the store. They are packed where that is possible, and stand behind one
 * another with what they were found for, in the order in which they were found:
 *
 *     | hash, order, with, parent, layout | words | hash, order, ... | words | ... */
#ifndef SPACE_FOUND_STATES_H
#define SPACE_FOUND_STATES_H

#include "base/vector.h"
#include "space/state_layouts.h"

struct found_state {
    uint64_t hash;
    uint64_t order;                    /* of all that is found together, whoever found it */
    uint32_t with, parent;             /* of the node that the state may be: explore/node_list.h */
    const struct state_layout *layout; /* that the words have; null: they are its slots */
    uint64_t words[];
};

struct found_states {
    VECTOR(uint64_t) words;
    size_t at;      /* in `words`: the first that was not taken, */
    size_t ahead;   /* and what is looked at next before it is taken, */
    uint32_t looks; /* so many behind that */
};

void found_states_init(struct found_states *found, struct budget *budget);
void found_states_release(struct found_states *found);

/* Appends a state as the layouts have it, with all else that `as` says. False when refused. */
bool found_states_push(struct found_states *found, const struct state_layouts *layouts,
                       const uint32_t *state, const struct found_state *as) MUST_CHECK;

/* The first that was not taken; null: there is none. */
static inline const struct found_state *found_states_first(const struct found_states *found)
{
    return found->at < found->words.length
               ? (const struct found_state *)(const void *)&found->words.items[found->at]
               : NULL;
}

/* Takes the first, of a store of states of so many slots. */
void found_states_take(struct found_states *found, uint32_t slots);

/* The next one to be looked at before it is taken; null: `most` have been, or there are no more. */
const struct found_state *found_states_ahead(struct found_states *found, uint32_t slots,
                                             uint32_t most);

/* There are none then. */
static inline void found_states_clear(struct found_states *found)
{
    found->words.length = found->at = found->ahead = 0;
    found->looks = 0;
}

#endif
