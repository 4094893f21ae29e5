#include "space/found_states.h"

#include <assert.h>
#include <string.h>

#define HEAD_WORDS (sizeof(struct found_state) / sizeof(uint64_t))

void found_states_init(struct found_states *found, struct budget *budget)
{
    vector_init(&found->words, budget);
    found_states_clear(found);
}

void found_states_release(struct found_states *found)
{
    vector_release(&found->words);
    found_states_clear(found);
}

static size_t words_of(const struct state_layout *layout, uint32_t slots)
{
    return layout ? layout->words : (slots + (size_t)1) / 2;
}

bool found_states_push(struct found_states *found, const struct state_layouts *layouts,
                       const uint32_t *state, const struct found_state *as)
{
    const uint32_t slots = layouts->slots;
    const size_t at = found->words.length;
    if (!vector_reserve(&found->words, at + HEAD_WORDS + slots + 1))
        return false;
    struct found_state *item = (struct found_state *)(void *)&found->words.items[at];
    struct packed_state packed = {.words = item->words};
    *item = *as;
    state_layouts_pack(layouts, state, &packed);
    item->layout = packed.fits && packed.whole ? packed.layout : NULL;
    if (!item->layout)
        memcpy(item->words, state, slots * sizeof *state);
    found->words.length = at + HEAD_WORDS + words_of(item->layout, slots);
    return true;
}

static const struct found_state *item_at(const struct found_states *found, size_t at)
{
    return (const struct found_state *)(const void *)&found->words.items[at];
}

static size_t behind(const struct found_states *found, size_t at, uint32_t slots)
{
    assert(at < found->words.length);
    return at + HEAD_WORDS + words_of(item_at(found, at)->layout, slots);
}

void found_states_take(struct found_states *found, uint32_t slots)
{
    found->at = behind(found, found->at, slots);
    if (found->looks)
        found->looks--;
    else
        found->ahead = found->at;
}

const struct found_state *found_states_ahead(struct found_states *found, uint32_t slots,
                                             uint32_t most)
{
    if (found->looks >= most || found->ahead >= found->words.length)
        return NULL;
    const struct found_state *item = item_at(found, found->ahead);
    found->ahead = behind(found, found->ahead, slots);
    found->looks++;
    return item;
}
