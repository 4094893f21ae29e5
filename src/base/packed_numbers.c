#include "base/packed_numbers.h"

void packed_numbers_init(struct packed_numbers *numbers, struct budget *budget)
{
    vector_init(&numbers->chunks, budget);
}

static size_t size_of(uint32_t bits)
{
    return (bits_words((size_t)PACKED_NUMBERS_CHUNK * bits) + 1) * sizeof(uint64_t);
}

void packed_numbers_release(struct packed_numbers *numbers)
{
    for (size_t i = 0; i < numbers->chunks.length; i++)
        memory_release(numbers->chunks.budget, numbers->chunks.items[i].words,
                       size_of(numbers->chunks.items[i].bits));
    vector_release(&numbers->chunks);
}

size_t packed_numbers_bytes(const struct packed_numbers *numbers)
{
    size_t bytes = numbers->chunks.capacity * sizeof *numbers->chunks.items;
    for (size_t i = 0; i < numbers->chunks.length; i++)
        bytes += size_of(numbers->chunks.items[i].bits);
    return bytes;
}

static bool add_chunk(struct packed_numbers *numbers, uint32_t bits)
{
    struct budget *budget = numbers->chunks.budget;
    const struct packed_chunk chunk = {memory_zeroed(budget, size_of(bits)), bits,
                                       (uint32_t)bits_below(bits)};
    if (chunk.words && vector_push(&numbers->chunks, chunk))
        return true;
    memory_release(budget, chunk.words, size_of(bits));
    return false;
}

static bool widen_chunk(struct packed_chunk *chunk, uint32_t bits, struct budget *budget)
{
    uint64_t *words = memory_zeroed(budget, size_of(bits));
    if (!words)
        return false;
    for (size_t i = 0; i < PACKED_NUMBERS_CHUNK; i++)
        bits_write(words, i * bits, bits, bits_read(chunk->words, i * chunk->bits, chunk->bits));
    memory_release(budget, chunk->words, size_of(chunk->bits));
    *chunk = (struct packed_chunk){words, bits, (uint32_t)bits_below(bits)};
    return true;
}

/* A new chunk begins as wide as the one before: its numbers are likely to be as large. */
bool packed_numbers_widen(struct packed_numbers *numbers, uint32_t at, uint32_t number)
{
    const uint32_t bits = bits_needed(number);
    while (!packed_numbers_reach(numbers, at)) {
        const size_t count = numbers->chunks.length;
        if (!add_chunk(numbers, count ? numbers->chunks.items[count - 1].bits : 1))
            return false;
    }
    struct packed_chunk *chunk = &numbers->chunks.items[at / PACKED_NUMBERS_CHUNK];
    return bits <= chunk->bits || widen_chunk(chunk, bits, numbers->chunks.budget);
}
