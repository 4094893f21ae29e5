#include "space/state_roots.h"

#include <string.h>

void state_roots_init(struct state_roots *roots, struct budget *budget)
{
    *roots = (struct state_roots){.budget = budget};
    vector_init(&roots->chunks, budget);
}

static size_t chunk_size(uint32_t bits)
{
    return ((size_t)ROOTS_A_CHUNK * bits / 64 + 1) * sizeof(uint64_t);
}

static size_t size_of(const struct root_chunk *chunk)
{
    return chunk_size(chunk->left_bits + (uint32_t)chunk->right_bits);
}

void state_roots_release(struct state_roots *roots)
{
    for (size_t i = 0; i < roots->chunks.length; i++)
        memory_release(roots->budget, roots->chunks.items[i].words,
                       size_of(&roots->chunks.items[i]));
    vector_release(&roots->chunks);
    roots->count = 0;
}

static void put(struct root_chunk *chunk, uint32_t place, uint32_t left, uint32_t right)
{
    const uint32_t bits = chunk->left_bits + (uint32_t)chunk->right_bits;
    assert(bits_needed(left) <= chunk->left_bits);
    bits_write(chunk->words, (size_t)place * bits, bits,
               left | (uint64_t)right << chunk->left_bits);
}

/* A last chunk with so many bits, and in it those that there are of the last one. */
static bool widen(struct state_roots *roots, uint8_t left_bits, uint8_t right_bits)
{
    struct root_chunk *last = &roots->chunks.items[roots->chunks.length - 1];
    struct root_chunk wider = {.left_bits = left_bits, .right_bits = right_bits};
    wider.words = memory_zeroed(roots->budget, size_of(&wider));
    if (!wider.words)
        return false;
    const uint32_t first = (uint32_t)(roots->chunks.length - 1) * ROOTS_A_CHUNK;
    for (uint32_t number = first; number < roots->count; number++) {
        uint32_t left, right;
        state_roots_get(roots, number, &left, &right);
        put(&wider, number - first, left, right);
    }
    memory_release(roots->budget, last->words, size_of(last));
    *last = wider;
    return true;
}

static bool add_chunk(struct state_roots *roots)
{
    struct root_chunk chunk = {0};
    if (roots->chunks.length > 0) {
        const struct root_chunk *last = &roots->chunks.items[roots->chunks.length - 1];
        chunk.left_bits = last->left_bits;
        chunk.right_bits = last->right_bits;
    }
    chunk.words = memory_zeroed(roots->budget, size_of(&chunk));
    if (!chunk.words)
        return false;
    if (vector_push(&roots->chunks, chunk))
        return true;
    memory_release(roots->budget, chunk.words, size_of(&chunk));
    return false;
}

bool state_roots_push(struct state_roots *roots, uint32_t left, uint32_t right)
{
    if (roots->count == roots->chunks.length * ROOTS_A_CHUNK && !add_chunk(roots))
        return false;
    struct root_chunk *chunk = &roots->chunks.items[roots->chunks.length - 1];
    const uint8_t left_bits = bits_needed(left), right_bits = bits_needed(right);
    if ((left_bits > chunk->left_bits || right_bits > chunk->right_bits) &&
        !widen(roots, left_bits > chunk->left_bits ? left_bits : chunk->left_bits,
               right_bits > chunk->right_bits ? right_bits : chunk->right_bits))
        return false;
    put(chunk, roots->count % ROOTS_A_CHUNK, left, right);
    roots->count++;
    return true;
}

void state_roots_pop(struct state_roots *roots)
{
    assert(roots->count > 0);
    roots->count--;
    struct root_chunk *chunk = &roots->chunks.items[roots->count / ROOTS_A_CHUNK];
    const uint32_t bits = chunk->left_bits + (uint32_t)chunk->right_bits;
    bits_write(chunk->words, (size_t)(roots->count % ROOTS_A_CHUNK) * bits, bits, 0);
}

size_t state_roots_bytes(const struct state_roots *roots)
{
    size_t bytes = roots->chunks.capacity * sizeof *roots->chunks.items;
    for (size_t i = 0; i < roots->chunks.length; i++)
        bytes += size_of(&roots->chunks.items[i]);
    return bytes;
}
