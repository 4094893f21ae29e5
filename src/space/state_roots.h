/* Pairs of 32-bit numbers in a list, as the roots of a tree store (space/state_table.h): in chunks
 * of ROOTS_A_CHUNK, each number in as many bits as the greatest of its chunk needs. Numbers that
 * are given out one after the other are small at first, so full chunks stay as they are. */
#ifndef SPACE_STATE_ROOTS_H
#define SPACE_STATE_ROOTS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/faults.h"
#include "base/vector.h"

#define ROOTS_A_CHUNK SIZE_OR_SMALL(1024, 8)

struct root_chunk {
    uint64_t *words; /* one more than the bits need */
    uint8_t left_bits, right_bits;
};

struct state_roots {
    struct budget *budget;
    VECTOR(struct root_chunk) chunks;
    uint32_t count;
};

void state_roots_init(struct state_roots *roots, struct budget *budget);
void state_roots_release(struct state_roots *roots);

size_t state_roots_bytes(const struct state_roots *roots);

/* Appends a pair; false when refused. */
bool state_roots_push(struct state_roots *roots, uint32_t left, uint32_t right) MUST_CHECK;

/* Drops the last one. */
void state_roots_pop(struct state_roots *roots);

static inline void state_roots_get(const struct state_roots *roots, uint32_t number, uint32_t *left,
                                   uint32_t *right)
{
    assert(number < roots->count);
    const struct root_chunk *chunk = &roots->chunks.items[number / ROOTS_A_CHUNK];
    const uint32_t bits = chunk->left_bits + chunk->right_bits;
    const uint64_t pair = bits_read(chunk->words, (size_t)(number % ROOTS_A_CHUNK) * bits, bits);
    *left = (uint32_t)(pair & bits_below(chunk->left_bits));
    *right = (uint32_t)(pair >> chunk->left_bits);
}

#endif
