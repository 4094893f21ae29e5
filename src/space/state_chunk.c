#include "space/state_chunk.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define GATHERS  1
#define TARGETED __attribute__((target("avx2,bmi2")))
#else
#define GATHERS 0
#endif

#define FEWEST 16 /* states for which a head is worth it */

/* Two words more than the rows need: where one is read the next is looked at, too. */
static size_t words_of_rows(uint32_t row, size_t states)
{
    return bits_words(states * row) + 2;
}

size_t state_chunk_size(const struct state_chunk *chunk, size_t states)
{
    const size_t words = chunk->head ? chunk->head + words_of_rows(chunk->row, states)
                                     : states * chunk->layout->words;
    return words * sizeof(uint64_t);
}

bool state_chunk_init(struct state_chunk *chunk, struct budget *budget,
                      const struct state_layout *layout, size_t states)
{
    *chunk = (struct state_chunk){.layout = layout};
    chunk->words = memory_zeroed(budget, state_chunk_size(chunk, states));
    return chunk->words;
}

void state_chunk_release(struct state_chunk *chunk, struct budget *budget, size_t states)
{
    memory_release(budget, chunk->words, state_chunk_size(chunk, states));
    chunk->words = NULL;
}

static inline uint32_t ones(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask);
}

/* ---- bit by bit ---- */

static void expand_singly(const struct state_chunk *chunk, size_t number, uint64_t *words)
{
    const uint32_t count = chunk->head / 2;
    const uint64_t *first = chunk->words, *masks = first + count, *rows = masks + count;
    size_t at = number * chunk->row;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits = bits_from(rows, at);
        words[i] = first[i];
        for (uint64_t mask = masks[i]; mask; mask &= mask - 1, bits >>= 1)
            words[i] ^= bits & 1 ? mask & -mask : 0;
        at += ones(masks[i]);
    }
}

static bool expands_to_singly(const struct state_chunk *chunk, size_t number, const uint64_t *words)
{
    uint64_t stored[STATE_WORDS_MOST];
    expand_singly(chunk, number, stored);
    return memcmp(stored, words, chunk->head / 2 * sizeof *words) == 0;
}

static uint64_t gather_singly(uint64_t word, uint64_t mask)
{
    uint64_t bits = 0;
    for (uint64_t bit = 1; mask; mask &= mask - 1, bit <<= 1)
        bits |= word & mask & -mask ? bit : 0;
    return bits;
}

/* ---- at once ---- */

#if GATHERS
TARGETED static void expand_at_once(const struct state_chunk *chunk, size_t number, uint64_t *words)
{
    const uint32_t count = chunk->head / 2;
    const uint64_t *first = chunk->words, *masks = first + count, *rows = masks + count;
    size_t at = number * chunk->row;
    for (uint32_t i = 0; i < count; i++) {
        words[i] = first[i] ^ _pdep_u64(bits_from(rows, at), masks[i]);
        at += ones(masks[i]);
    }
}

TARGETED static bool expands_to_at_once(const struct state_chunk *chunk, size_t number,
                                        const uint64_t *words)
{
    const uint32_t count = chunk->head / 2;
    const uint64_t *first = chunk->words, *masks = first + count, *rows = masks + count;
    uint64_t different = 0;
    size_t at = number * chunk->row;
    for (uint32_t i = 0; i < count; i++) {
        different |= words[i] ^ first[i] ^ _pdep_u64(bits_from(rows, at), masks[i]);
        at += ones(masks[i]);
    }
    return different == 0;
}

TARGETED static uint64_t gather_at_once(uint64_t word, uint64_t mask)
{
    return _pext_u64(word, mask);
}
#else
#define expand_at_once     expand_singly
#define expands_to_at_once expands_to_singly
#define gather_at_once     gather_singly
#endif

/* Whether the processor can: state_groups_fit found out. */
static bool is_at_once(const struct state_chunk *chunk)
{
    return chunk->layout->groups;
}

void state_chunk_expand(const struct state_chunk *chunk, size_t number, uint64_t *words)
{
    (is_at_once(chunk) ? expand_at_once : expand_singly)(chunk, number, words);
}

bool state_chunk_expands_to(const struct state_chunk *chunk, size_t number, const uint64_t *words)
{
    return (is_at_once(chunk) ? expands_to_at_once : expands_to_singly)(chunk, number, words);
}

/* ---- closing ---- */

/* Writes the first state, and the mask of the bits that are not the same in all; returns how many
 * these are. */
static uint32_t write_head(const struct state_chunk *chunk, size_t states, uint64_t *head)
{
    const uint32_t count = chunk->layout->words;
    const uint64_t *words = chunk->words;
    uint64_t *masks = head + count;
    uint32_t bits = 0;
    memcpy(head, words, count * sizeof *head);
    memset(masks, 0, count * sizeof *masks);
    for (size_t number = 0; number < states; number++, words += count)
        for (uint32_t i = 0; i < count; i++)
            masks[i] |= words[i] ^ head[i];
    for (uint32_t i = 0; i < count; i++)
        bits += ones(masks[i]);
    return bits;
}

static void write_rows(const struct state_chunk *to, const uint64_t *words, size_t states)
{
    uint64_t (*const gather)(uint64_t, uint64_t) = is_at_once(to) ? gather_at_once : gather_singly;
    const uint32_t count = to->head / 2;
    const uint64_t *first = to->words, *masks = first + count;
    struct bits_end end = {.to = to->words + to->head};
    uint32_t counts[STATE_WORDS_MOST];
    for (uint32_t i = 0; i < count; i++)
        counts[i] = ones(masks[i]);
    for (size_t number = 0; number < states; number++, words += count)
        for (uint32_t i = 0; i < count; i++)
            bits_append(&end, counts[i], gather(words[i] ^ first[i], masks[i]));
}

void state_chunk_close(struct state_chunk *chunk, struct budget *budget, size_t states)
{
    const struct state_layout *layout = chunk->layout;
    struct state_chunk closed = {.layout = layout, .head = 2 * layout->words};
    uint64_t head[2 * STATE_WORDS_MOST];
    if (chunk->head || states < FEWEST || layout->words > STATE_WORDS_MOST)
        return;
    closed.row = write_head(chunk, states, head);
    const size_t size = state_chunk_size(&closed, states);
    if (size >= state_chunk_size(chunk, states))
        return;
    closed.words = memory_zeroed(budget, size);
    if (!closed.words)
        return;
    memcpy(closed.words, head, closed.head * sizeof *head);
    write_rows(&closed, chunk->words, states);
    state_chunk_release(chunk, budget, states);
    *chunk = closed;
}
