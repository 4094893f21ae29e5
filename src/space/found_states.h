/* States on their way to a store: what one thread has found for another to add, once all threads
 * have stopped reading the store. They are packed where that is possible, and stand behind one
 * another with what they were found for, in the order in which they were found:
 *
 *     | hash, order, with, parent, layout | words | hash, order, ... | words | ... */
#ifndef SPACE_FOUND_STATES_H
#define SPACE_FOUND_STATES_H

#include <assert.h>
#include <string.h>

#include "base/attributes.h"
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

/* Appends a state of so many slots, with all that `as` says: `words` has its words in that layout,
 * `state` its slots where there is none. False when refused. */
static inline MUST_CHECK bool found_states_push(struct found_states *found,
                                                const struct found_state *as, const uint64_t *words,
                                                const uint32_t *state, uint32_t slots);

#define FOUND_HEAD (sizeof(struct found_state) / sizeof(uint64_t)) /* words */

/* How many words are behind that. */
static inline size_t found_states_words(const struct state_layout *layout, uint32_t slots)
{
    return layout ? layout->words : (slots + (size_t)1) / 2;
}

static inline bool found_states_push(struct found_states *found, const struct found_state *as,
                                     const uint64_t *words, const uint32_t *state, uint32_t slots)
{
    const size_t at = found->words.length,
                 end = at + FOUND_HEAD + found_states_words(as->layout, slots);
    if (UNLIKELY(end > found->words.capacity) && !vector_reserve(&found->words, end))
        return false;
    struct found_state *item = (struct found_state *)(void *)&found->words.items[at];
    *item = *as;
    for (uint32_t i = 0; as->layout && i < as->layout->words; i++)
        item->words[i] = words[i];
    if (!as->layout)
        memcpy(item->words, state, slots * sizeof *state);
    found->words.length = end;
    return true;
}

/* The first that was not taken; null: there is none. */
static inline const struct found_state *found_states_first(const struct found_states *found)
{
    return found->at < found->words.length
               ? (const struct found_state *)(const void *)&found->words.items[found->at]
               : NULL;
}

/* Where the next one begins, of a store of states of so many slots. */
static inline size_t found_states_behind(const struct found_states *found, size_t at,
                                         uint32_t slots)
{
    const struct found_state *item =
        (const struct found_state *)(const void *)&found->words.items[at];
    assert(at < found->words.length);
    return at + FOUND_HEAD + found_states_words(item->layout, slots);
}

/* Takes the first. */
static inline void found_states_take(struct found_states *found, uint32_t slots)
{
    found->at = found_states_behind(found, found->at, slots);
    if (found->looks)
        found->looks--;
    else
        found->ahead = found->at;
}

/* The next one to be looked at before it is taken; null: `most` have been, or there are no more. */
static inline const struct found_state *found_states_ahead(struct found_states *found,
                                                           uint32_t slots, uint32_t most)
{
    if (found->looks >= most || found->ahead >= found->words.length)
        return NULL;
    const size_t at = found->ahead;
    found->ahead = found_states_behind(found, at, slots);
    found->looks++;
    return (const struct found_state *)(const void *)&found->words.items[at];
}

/* There are none then. */
static inline void found_states_clear(struct found_states *found)
{
    found->words.length = found->at = found->ahead = 0;
    found->looks = 0;
}

#endif
