/* Permutations of threads, or of values, for symmetry: of at most 8, four bits each saying which
 * number one is given. The identity is 0, so that a permutation fits a label's component. */
#ifndef MODEL_TURNING_H
#define MODEL_TURNING_H

#include <stdint.h>

#define TURNING_MOST     8 /* threads */
#define TURNING_IDENTITY 0

typedef uint32_t turning;

#define TURNING_MASK UINT32_C(0x76543210)

/* What `thread` is called afterwards. */
static inline uint32_t turning_of(turning t, uint32_t thread)
{
    return thread < TURNING_MOST ? (t ^ TURNING_MASK) >> (4 * thread) & 15 : thread;
}

/* From the new numbers of 8 threads. */
static inline turning turning_make(const uint8_t numbers[TURNING_MOST])
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        bits |= (uint32_t)numbers[i] << (4 * i);
    return bits ^ TURNING_MASK;
}

/* First `first`, then `second`. */
static inline turning turning_then(turning first, turning second)
{
    uint8_t numbers[TURNING_MOST];
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        numbers[i] = (uint8_t)turning_of(second, turning_of(first, i));
    return turning_make(numbers);
}

static inline turning turning_back(turning t)
{
    uint8_t numbers[TURNING_MOST];
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        numbers[turning_of(t, i)] = (uint8_t)i;
    return turning_make(numbers);
}

#endif
