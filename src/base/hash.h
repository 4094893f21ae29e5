/* Hashing: xxh3 for byte ranges, a multiplicative mix for single words. 64 bits always: 32-bit
 * hashes taken for identities lose states silently. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed);

/* An invertible mix of one word (the finaliser of splitmix64). */
static inline uint64_t hash_word(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

static inline uint64_t hash_pair(uint64_t first, uint64_t second)
{
    return hash_word(hash_word(first + UINT64_C(0x9e3779b97f4a7c15)) ^ second);
}

#endif
