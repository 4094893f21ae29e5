/* Some states of a table, one behind the other, packed in one layout. While a chunk is being filled
 * each state has its words. States that are found one after the other have most bits in common: of
 * a full chunk only those are kept of each that are not the same in all of them.
 *
 *     being filled   | words of state 0 | of state 1 | ...
 *     full           | words of state 0 | mask: which bits differ | those of state 0 | ...
 *                    |<------------ head ------------------------>|<------ rows ------
 *
 * (A frame of reference, as in explore/node_list.h, whose differences are by exclusive or, and may
 * be anywhere in the words.) Where the processor can, bits are gathered by one instruction. */
#ifndef SPACE_STATE_CHUNK_H
#define SPACE_STATE_CHUNK_H

#include "space/state_layout.h"

#define STATE_WORDS_MOST 16 /* of a state of which not all words are kept */

struct state_chunk {
    uint64_t *words;
    const struct state_layout *layout;
    uint32_t head; /* words, two for each of the layout; 0: there is none */
    uint32_t row;  /* bits of a state behind a head */
};

/* With room for so many states. False when refused. */
bool state_chunk_init(struct state_chunk *chunk, struct budget *budget,
                      const struct state_layout *layout, size_t states) MUST_CHECK;
void state_chunk_release(struct state_chunk *chunk, struct budget *budget, size_t states);

/* In bytes. */
size_t state_chunk_size(const struct state_chunk *chunk, size_t states);

/* Makes one smaller that is full, and to which nothing is put any more; where that would make it
 * larger, or is refused, it stays as it is. */
void state_chunk_close(struct state_chunk *chunk, struct budget *budget, size_t states);

/* Writes the words of a state of one with a head; and says whether they are these. */
void state_chunk_expand(const struct state_chunk *chunk, size_t number, uint64_t *words);
bool state_chunk_expands_to(const struct state_chunk *chunk, size_t number, const uint64_t *words);

/* The words of a state, counted from 0; `scratch` has STATE_WORDS_MOST. */
static inline const uint64_t *state_chunk_words(const struct state_chunk *chunk, size_t number,
                                                uint64_t *scratch)
{
    if (!chunk->head)
        return chunk->words + number * chunk->layout->words;
    state_chunk_expand(chunk, number, scratch);
    return scratch;
}

/* Whether it has these words. */
static inline bool state_chunk_has(const struct state_chunk *chunk, size_t number,
                                   const uint64_t *words)
{
    if (chunk->head)
        return state_chunk_expands_to(chunk, number, words);
    const uint32_t count = chunk->layout->words;
    const uint64_t *stored = chunk->words + number * count;
    uint64_t different = 0;
    for (uint32_t i = 0; i < count; i++)
        different |= stored[i] ^ words[i];
    return different == 0;
}

/* Puts a state, by its words, into one that is being filled. */
static inline void state_chunk_put(const struct state_chunk *chunk, size_t number,
                                   const uint64_t *words)
{
    const uint32_t count = chunk->layout->words;
    uint64_t *stored = chunk->words + number * count;
    assert(!chunk->head);
    for (uint32_t i = 0; i < count; i++)
        stored[i] = words[i];
}

/* Has a state fetched. */
static inline void state_chunk_fetch(const struct state_chunk *chunk, size_t number)
{
    __builtin_prefetch(chunk->words + (chunk->head ? chunk->head + number * chunk->row / WORD_BITS
                                                   : number * chunk->layout->words));
}

#endif
